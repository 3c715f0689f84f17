#version 450
//! feature sample mask, in and out
layout(location = 0) in vec4 plain;
layout(location = 0) out vec4 colour;
layout(location = 1) out uvec4 bits;
void main() {
    gl_SampleMask[0] = int(plain.x) % 3;
    colour = plain;
    bits = uvec4(gl_SampleMaskIn[0], 1, 2, 3);
}
