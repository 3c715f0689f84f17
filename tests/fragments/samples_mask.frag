#version 450
//! feature sample masks, four samples
//! samples
//! side 32
layout(location = 0) in vec4 plain;
layout(location = 0) out vec4 colour;
layout(location = 1) out uvec4 numbers;
void main() {
    gl_SampleMask[0] = int(gl_FragCoord.x) ^ gl_SampleMaskIn[0];
    colour = plain;
    numbers = uvec4(gl_SampleMaskIn[0], 1, 2, 3);
    if (plain.y > 24.0) {
        discard;
    }
}
