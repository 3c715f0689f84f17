//! draw 6
//! attribute 0 = f32 4: 24 * uniform -1 1
//! buffer 0.0 = u32 16 * bits
//! uniform 0.1 = u32 8 * bits
//! buffer 0.2 = f32 8 * uniform -3 3
//! buffer 0.3 = u32 8 * bits
//! push = u32 0x81fe7f03 0xc0014002
//! output 0 = 4 * u32
//! output 1 = 4 * i32
//! output 2 = 4 * f32 abs 2e-3
// Integers of 8 and 16 bits and half floats in buffers, uniforms and push constants, computed with and stored.

//@ vertex
#version 450
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(location = 0) in vec4 place;
layout(std430, set = 0, binding = 0) readonly buffer A { uint16_t words[]; };
layout(std140, set = 0, binding = 1) uniform B { i8vec4 bytes; u16vec3 more; };
layout(std430, set = 0, binding = 2) readonly buffer C { f16vec4 halves[]; };
layout(std430, set = 0, binding = 3) buffer D { uint16_t out_words[6]; uint8_t out_bytes[8]; };
layout(push_constant) uniform P { int8_t p0; int8_t p1; uint16_t p2; i16vec2 p3; };
layout(location = 0) flat out uvec4 x;
layout(location = 1) flat out ivec4 y;
layout(location = 2) out vec4 z;
void main() {
    gl_Position = place;
    uint16_t w = words[gl_VertexIndex * 3 + 1];
    uint16_t sum = w + words[gl_VertexIndex * 3];
    x = uvec4(w, sum, uint(sum >> uint16_t(3)), uint(more.z) + uint(p2));
    int8_t least = bytes.x;
    for (int i = 0; i < 4; ++i) least = min(least, int8_t(bytes[i] - int8_t(gl_VertexIndex)));
    y = ivec4(least, int(p0) * int(p1), int(p3.x) + int(p3.y), int(int16_t(sum)));
    f16vec4 h = halves[gl_VertexIndex % 4];
    f16vec4 k = h * float16_t(0.5) + f16vec4(1.0, h.xyz);
    z = vec4(k.xyz, float(dot(h, f16vec4(1.0))));
    out_words[gl_VertexIndex] = sum;
    out_bytes[gl_VertexIndex] = uint8_t(w);
}
