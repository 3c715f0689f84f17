#version 450
//! feature gl_FragCoord
layout(location = 0) out vec4 colour;
layout(location = 1) out uvec4 bits;
void main() {
    colour = gl_FragCoord;
    bits = uvec4(gl_FrontFacing, gl_HelperInvocation, uint(gl_FragCoord.x) * 32u + uint(gl_FragCoord.y), 7u);
}
