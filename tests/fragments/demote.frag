#version 450
//! feature demote to a helper invocation
#extension GL_EXT_demote_to_helper_invocation : require
layout(location = 0) in vec4 plain;
layout(location = 0) out vec4 colour;
layout(location = 1) out uvec4 bits;
layout(set = 0, binding = 0) buffer Data { uint data[]; };
//! buffer 8192
void main() {
    uint at = uint(gl_FragCoord.x) + 32u * uint(gl_FragCoord.y);
    data[at] = at;
    if (int(gl_FragCoord.x) % 2 == 1 && plain.y > 7.0) demote;
    // The neighbours of a demoted invocation still have a derivative.
    float square = plain.x * plain.x;
    colour = vec4(dFdxFine(square), dFdyFine(plain.y * plain.x), dFdx(plain.x), plain.z);
    bits = uvec4(1);
    data[1024 + at] = 5u;
}
