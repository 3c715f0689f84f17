//! dispatch 2 1 1
//! push = u16 1 65535 0x1234; u8 7 250; u64 0x123456789abcdef0; u8 1 2 3 4
//! uniform 0.0 = u16 1 2 3 40000; u8 9 8 7 255; i8 -1 -2 -3 -4; u64 0xfedcba9876543210 5
//! buffer 0.1 = u8 256 * bits
//! buffer 0.2 = u16 256 * bits
//! buffer 0.3 = u64 128 * bits
//! buffer 0.4 = zero 512
//! buffer 0.5 = zero 1024
//! buffer 0.6 = zero 2048
//! buffer 0.7 = zero 1536
// Elements of 8, 16 and 64 bits in every kind of memory, alone and in vectors, at places known and not.
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 32) in;
layout(push_constant) uniform Push { uint16_t p16[3]; uint8_t p8[2]; uint64_t p64; uint8_t q8[4]; };
layout(set = 0, binding = 0) uniform U { u16vec4 c16; u8vec4 c8; i8vec4 d8; uint64_t c64; uint64_t d64; };
layout(set = 0, binding = 1) readonly buffer A { u8vec4 a8[]; };
layout(set = 0, binding = 2) readonly buffer B { u16vec4 a16[]; };
layout(set = 0, binding = 3) readonly buffer C { u64vec2 a64[]; };
struct Mixed { uint8_t byte; uint16_t word; uint8_t next; uint dword; };
layout(set = 0, binding = 4) writeonly buffer D { u8vec4 o8[]; };
layout(set = 0, binding = 5) writeonly buffer E { u16vec3 o16[]; };
layout(set = 0, binding = 6) writeonly buffer F { u64vec3 o64[]; };
layout(set = 0, binding = 7) buffer G { Mixed mixed[]; };
shared uint16_t s16[64];
shared uint8_t s8[64];
shared uint64_t s64[32];

void main() {
    uint i = gl_GlobalInvocationID.x, l = gl_LocalInvocationIndex;
    u8vec4 bytes = a8[i];
    u16vec4 words = a16[i];
    u64vec2 wide = a64[i];
    s16[l] = words.x;
    s16[l + 32u] = words.w;
    s8[l * 2u] = bytes.y;
    s8[l * 2u + 1u] = bytes.z;
    s64[l] = wide.x;
    barrier();
    uint other = (l * 5u + 1u) & 31u;
    o8[i] = u8vec4(s8[other], bytes.wz, c8.z + p8[1]) + u8vec4(q8[l & 3u]);
    o8[i].y = uint8_t(d8.w) - p8[l & 1u];
    o16[i] = u16vec3(s16[other + 32u], words.y + c16[l & 3u], p16[l % 3u] + c16.w);
    // Private arrays at places known at run time only.
    uint8_t few[12];
    uint16_t some[6];
    uint64_t many[4];
    for (uint n = 0u; n < 12u; n++) few[n] = uint8_t(n * n) + bytes.x;
    for (uint n = 0u; n < 6u; n++) some[n] = uint16_t(n) * words.z;
    for (uint n = 0u; n < 4u; n++) many[n] = wide.y ^ uint64_t(n);
    few[i % 12u] = uint8_t(99);
    some[i % 6u] += uint16_t(few[(i + 1u) % 12u]);
    many[i & 3u] = s64[other];
    o64[i].xy = u64vec2(many[(i >> 2) & 3u], p64);
    o64[i].z = i < 40u ? c64 : d64;
    mixed[i].byte = few[(i * 3u) % 12u];
    mixed[i].word = some[(i * 5u) % 6u];
    mixed[i].next = uint8_t(mixed[i].byte + uint8_t(1));
    mixed[i].dword = uint(mixed[i].word) << 8 | uint(mixed[i].next);
}
