#version 450
//! feature 16-bit inputs and outputs
//! twin
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(location = 0) in f16vec3 half_;
layout(location = 1) flat in i16vec2 small;
layout(location = 2) flat in uint16_t words[2];
layout(location = 4, component = 1) in float16_t one;
layout(location = 9) in vec2 plain;
layout(location = 5) in Block { f16vec4 row[2]; flat u16vec3 number; } block;
layout(location = 0) out f16vec4 colour;
layout(location = 1) out u16vec4 numbers;
void main() {
    int chosen = int(gl_FragCoord.x) & 1;
    // No product is added to, so that no pass fuses.
    colour = f16vec4(half_.xy * float16_t(3.3), half_.z, one) + f16vec4(0.0, 0.0, plain.x, block.row[1].w);
    colour[chosen] = block.row[chosen][chosen + 1];
    numbers = u16vec4(words[chosen], small, block.number.x);
    numbers[chosen + 1] = block.number[chosen] + uint16_t(small.x);
}
