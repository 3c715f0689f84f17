//! dispatch 1 1 1
//! uniform 0.0 = u8 256 * bits
//! push = u8 1 254 3 128; u16 65535 4096; u16 0x3e00 0xb400; u8 9 10 11 12
//! buffer 0.1 = zero 512
// Numbers of 8 and 16 bits in a uniform buffer and in push constants.
#version 450
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 32) in;
layout(std140, set = 0, binding = 0) uniform In { u8vec4 bytes[8]; u16vec4 words[7]; int8_t last; int16_t end; };
layout(push_constant) uniform Push { uint8_t a; int8_t b; u8vec2 c; u16vec2 d; f16vec2 e; uint8_t f[4]; };
layout(set = 0, binding = 1) buffer Out { uvec4 result[32]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    u8vec4 byte = bytes[i & 7u] * u8vec4(a);
    u16vec4 word = words[i % 7u] + u16vec4(d, c);
    uint tail = uint(int(last) * int(b) + int(end)) ^ uint(f[i & 3u]);
    result[i] = uvec4(byte) + uvec4(word) + uvec4(tail, i, int(float(e.x) * 8.0), int(float(e.y) * 16.0));
}
