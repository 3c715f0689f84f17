#version 450
//! feature interpolateAtSample with a number from a register
//! samples
//! side 32
layout(location = 0) in vec4 plain;
layout(location = 1) noperspective in vec4 linear;
layout(location = 2) flat in ivec4 number;
layout(location = 0) out vec4 colour;
layout(location = 1) out uvec4 numbers;
void main() {
    // The provoking vertex has 10.
    colour = interpolateAtSample(plain, number.x - 8);
    vec2 sum = vec2(0.0);
    for (int i = 0; i < number.x - 6; i++) {
        sum = sum * 4.0 + interpolateAtSample(linear.wz, i);
    }
    numbers = uvec4(8.0 * sum, number.x, 1);
}
