#version 450
// As the shader of 8-bit inputs and outputs, which lavapipe does not have, but with inputs and outputs of 32 bits.
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(location = 0) flat in ivec2 small_;
layout(location = 1) flat in uint bytes[2];
layout(location = 3) flat in uvec3 number_;
layout(location = 4) in float side;
layout(location = 0) out vec4 colour;
layout(location = 1) out uvec4 numbers;
void main() {
    i8vec2 small = i8vec2(small_);
    u8vec3 number = u8vec3(number_);
    int chosen = int(gl_FragCoord.x) & 1;
    i8vec4 signed_ = i8vec4(small, small.x - small.y, int8_t(side));
    signed_[chosen] = small[chosen] * int8_t(3);
    colour = vec4(signed_);
    u8vec4 result = u8vec4(uint8_t(bytes[chosen]), number);
    result[chosen + 1] = number[chosen] + uint8_t(250);
    numbers = uvec4(result);
}
