#version 450
//! feature widths of curves, coarse and fine
layout(location = 0) in vec4 plain;
layout(location = 0) out vec4 colour;
layout(location = 1) out uvec4 numbers;
void main() {
    float curve = plain.x * plain.y;
    colour = vec4(fwidth(plain.x), fwidthFine(curve), fwidthCoarse(plain.z), fwidthCoarse(plain.w * 4.0));
    numbers = uvec4(fwidthFine(curve * 2.0), 1, 2, 3);
}
