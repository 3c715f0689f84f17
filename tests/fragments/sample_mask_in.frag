#version 450
//! feature input sample mask with sample-qualified inputs
layout(location = 0) sample in vec4 plain;
layout(location = 0) out vec4 colour;
layout(location = 1) out uvec4 numbers;
void main() {
    colour = plain;
    numbers = uvec4(gl_SampleMaskIn[0], 1, 2, 3);
}
