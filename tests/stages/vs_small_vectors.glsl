//! draw 7
//! attribute 0 = u32 1: 7 * iota 1 5
//! buffer 0.0 = u16 60 * bits
//! buffer 0.1 = u8 61 * bits
//! buffer 0.2 = zero 126
//! buffer 0.3 = zero 110
//! output 0 = 4 * f32
//! output 1 = 4 * u32
//! output 2 = 4 * u32
// Vectors and matrices of small elements at any place in a dword, by known and unknown offsets; components stored alone.

//@ vertex
#version 450
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_scalar_block_layout : require
layout(location = 0) in uint n;
layout(scalar, set = 0, binding = 0) readonly buffer A { u16vec3 words[20]; };
layout(scalar, set = 0, binding = 1) readonly buffer B { int8_t first; i8vec4 bytes[15]; };
layout(scalar, set = 0, binding = 2) buffer C { f16vec3 halves[21]; };
struct Pair { uint8_t a; u8vec4 b; };
layout(scalar, set = 0, binding = 3) buffer D { Pair pairs[22]; };
layout(location = 0) out vec4 x;
layout(location = 1) flat out uvec4 y;
layout(location = 2) flat out uvec4 z;
void main() {
    uint i = uint(gl_VertexIndex);
    u16vec3 w = words[n % 20u];
    i8vec4 b = bytes[n % 15u] + bytes[2] * bytes[i];
    f16vec3 h = f16vec3(w >> u16vec3(4)) / float16_t(16.0);
    halves[i * 3u] = h;
    halves[i * 3u + 1u].y = float16_t(first);
    halves[i * 3u + 2u].zx = f16vec2(b.xw);
    pairs[i * 3u].a = uint8_t(b.x);
    pairs[i * 3u + 1u].b = u8vec4(b);
    pairs[i * 3u].b.yw = u8vec2(w.xz);
    x = vec4(h, float(b.z));
    y = uvec4(w.zyx, uint(n));
    z = uvec4(u8vec4(b.wzyx));
    gl_Position = vec4(0.0);
}
