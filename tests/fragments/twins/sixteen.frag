#version 450
// As the shader of 16-bit inputs and outputs, which lavapipe does not have, but with inputs and outputs of 32 bits.
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(location = 0) in vec3 half_;
layout(location = 1) flat in ivec2 small;
layout(location = 2) flat in uint words[2];
layout(location = 4, component = 1) in float one;
layout(location = 9) in vec2 plain;
layout(location = 5) in Block { vec4 row[2]; flat uvec3 number; } block;
layout(location = 0) out vec4 colour;
layout(location = 1) out uvec4 numbers;
void main() {
    int chosen = int(gl_FragCoord.x) & 1;
    f16vec3 three = f16vec3(half_);
    f16vec4 sum = f16vec4(three.xy * float16_t(3.3), three.z, float16_t(one));
    sum += f16vec4(0.0, 0.0, float16_t(plain.x), f16vec4(block.row[1]).w);
    sum[chosen] = f16vec4(block.row[chosen])[chosen + 1];
    colour = vec4(sum);
    i16vec2 small_ = i16vec2(small);
    u16vec4 result = u16vec4(uint16_t(words[chosen]), small_, uint16_t(block.number.x));
    result[chosen + 1] = u16vec3(block.number)[chosen] + uint16_t(small_.x);
    numbers = uvec4(result);
}
