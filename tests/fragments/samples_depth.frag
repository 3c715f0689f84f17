#version 450
//! feature depth output, four samples
//! samples
//! side 32
layout(location = 0) in vec4 plain;
layout(location = 0) out vec4 colour;
void main() {
    colour = plain;
    gl_FragDepth = plain.x / 64.0 + 0.25;
}
