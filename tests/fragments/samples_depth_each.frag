#version 450
//! feature depth output with sample shading
//! samples
//! side 32
layout(location = 0) sample in vec4 plain;
layout(location = 0) out vec4 colour;
void main() {
    colour = plain;
    gl_FragDepth = plain.x / 64.0 + 0.125 * float(gl_SampleID);
}
