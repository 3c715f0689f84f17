#version 450
//! feature 8-bit inputs and outputs
//! twin
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(location = 0) flat in i8vec2 small;
layout(location = 1) flat in uint8_t bytes[2];
layout(location = 3) flat in u8vec3 number;
layout(location = 4) in float side;
layout(location = 0) out vec4 colour;
layout(location = 1) out u8vec4 numbers;
void main() {
    int chosen = int(gl_FragCoord.x) & 1;
    i8vec4 signed_ = i8vec4(small, small.x - small.y, int8_t(side));
    signed_[chosen] = small[chosen] * int8_t(3);
    colour = vec4(signed_);
    numbers = u8vec4(bytes[chosen], number);
    numbers[chosen + 1] = number[chosen] + uint8_t(250);
}
