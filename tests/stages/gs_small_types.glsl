//! draw 8
//! attribute 0 = u32 1: 8 * iota 3 7
//! buffer 0.0 = u16 18 * bits; u8 1 2 3
//! buffer 0.1 = u32 16 * bits
//! buffer 0.2 = f32 16 * uniform -40 40
//! buffer 0.3 = u8 22 * bits
//! output 0 = 4 * u32
//! output 1 = 4 * f32
//! output 2 = 4 * i32
// Bytes, words and half floats in a geometry shader: neighbours stored by other invocations, the last dword of buffers that end in one, arrays
// indexed at run time, values chosen and carried round loops, conversions both ways.

//@ vertex
#version 450
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(location = 0) in uint a;
layout(std430, set = 0, binding = 3) buffer Bytes { uint8_t bytes[]; };
layout(location = 0) flat out uint n;
void main() {
    n = a;
    // Vertices of a thread store to bytes of one dword.
    bytes[gl_VertexIndex] = uint8_t(a * 37u);
    if ((gl_VertexIndex & 1) == 1) bytes[14 + gl_VertexIndex] = uint8_t(gl_VertexIndex) + bytes[13];
    gl_Position = vec4(0.0);
}

//@ geometry
#version 450
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(points) in;
layout(points, max_vertices = 2) out;
struct Mixed { int8_t x; uint16_t y; i8vec3 z; f16vec2 w; };
layout(std430, set = 0, binding = 0) readonly buffer Words { uint16_t words[18]; uint8_t tail[3]; };
layout(std430, set = 0, binding = 1) buffer Result { Mixed mixed[4]; uint16_t sums[8]; };
layout(std430, set = 0, binding = 2) readonly buffer Floats { float floats[16]; };
layout(location = 0) flat in uint n[];
layout(location = 0) flat out uvec4 x;
layout(location = 1) out vec4 y;
layout(location = 2) flat out ivec4 z;
void main() {
    uint i = uint(gl_PrimitiveIDIn);
    uint16_t w = words[n[0] % 18u];
    // Values round a loop, and out of conditionals.
    int8_t byte = int8_t(w);
    uint16_t sum = uint16_t(0);
    for (uint k = 0u; k < (n[0] & 7u); ++k) {
        sum += words[k] ^ uint16_t(byte);
        if (sum > uint16_t(40000)) byte = int8_t(-byte);
        else byte += int8_t(3);
    }
    int8_t turned[4] = int8_t[](byte, int8_t(-7), int8_t(w >> 8), int8_t(5));
    turned[n[0] & 3u] = int8_t(100);
    x = uvec4(sum, uint(tail[i % 3u]), uint(uint8_t(byte)), uint(w) >> 3);
    float16_t h = float16_t(floats[i]);
    f16vec2 p = f16vec2(floats[i + 1u], h);
    p = i > 3u ? p * h : p.yx - float16_t(0.25);
    y = vec4(h, p, float(int16_t(w)));
    z = ivec4(turned[(n[0] + i) & 3u], int(byte) * 3, int(h), int(int16_t(h * float16_t(3.0))));
    EmitVertex();
    if (i < 4u) {
        mixed[i].x = byte;
        mixed[i].y = sum;
        mixed[i].z.yz = i8vec2(w, w >> 8);
        mixed[i].w = p;
    }
    sums[i] = uint16_t(packFloat2x16(p.yx)) + w;
    x = uvec4(uint(mixed[i & 3u].y), floatBitsToUint(float(float16_t(0.1))), uint(uint16_t(-n[0])), unpack16(pack32(u16vec2(w, sum))).y);
    y = vec4(unpackFloat2x16(uint(w & uint16_t(0x7bff)) | 0x3c000000u).xy, float(abs(h)), float(sign(p.x)));
    z = ivec4(min(int16_t(w), int16_t(sum)), max(w, sum), bitCount(uint(w)), findMSB(int(byte)));
    EmitVertex();
}
