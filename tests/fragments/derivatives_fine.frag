#version 450
//! feature fine derivatives of curves
layout(location = 0) in vec4 plain;
layout(location = 0) out vec4 colour;
void main() {
    // Curved: each row and column of a quad has its own.
    float product = plain.x * plain.y * 4.0;
    vec3 more = vec3(product, product + plain.x * plain.x, 1.0);
    colour = vec4(dFdxFine(product), dFdyFine(product), fwidthFine(more).y, length(dFdxFine(more).z));
}
