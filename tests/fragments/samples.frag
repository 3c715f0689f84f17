#version 450
//! feature number and position of the sample
layout(location = 0) sample in vec4 plain;
layout(location = 0) out vec4 colour;
void main() {
    colour = vec4(gl_SamplePosition, gl_SampleID, plain.x);
}
