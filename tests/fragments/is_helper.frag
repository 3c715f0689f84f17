#version 450
//! feature helper invocation queries
#extension GL_EXT_demote_to_helper_invocation : require
layout(location = 0) in vec4 plain;
layout(location = 1) out uvec4 bits;
void main() {
    bool before = helperInvocationEXT();
    if (int(gl_FragCoord.x) % 2 == 1) demote;
    // What the demoted neighbour says, as a difference.
    float says = helperInvocationEXT() ? 8.0 : 1.0;
    bits = uvec4(before, helperInvocationEXT(), uint(dFdxFine(says)), gl_HelperInvocation);
}
