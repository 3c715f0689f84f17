#version 450
//! feature coverage of four samples, centroid
//! samples
//! side 32
layout(location = 0) in vec4 plain;
layout(location = 3) centroid in vec2 inside;
layout(location = 0) out vec4 colour;
layout(location = 1) out uvec4 numbers;
void main() {
    colour = vec4(plain.x, inside, interpolateAtCentroid(plain.y));
    numbers = uvec4(gl_SampleMaskIn[0], gl_FragCoord.xy, 1.0 / gl_FragCoord.w);
}
