#version 450
//! feature components that are not written
layout(location = 0) in vec4 plain;
layout(location = 0) out vec2 few;
layout(location = 1) out uvec4 bits;
layout(location = 0, component = 2) out float third;
void main() {
    few = plain.xy;
    third = plain.w;
    bits.xyz = uvec3(plain.xyw);
    for (int i = 0; i < 4; i++) bits[i] += uint(i);
    bits.w = 4u;
}
