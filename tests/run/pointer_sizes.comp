//! dispatch 2 1 1
//! also chv bxt
//! push = zero 16
//! buffer 0.0 = zero 4096
//! buffer 0.1 = u32 1024 * bits
//! buffer 0.2 = zero 4096
//! address push:0 = 0.1
//! address push:8 = 0.2
// Members of 8, 16, 32 and 64 bits behind pointers, and vectors of them.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 32) in;
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Mixed {
    uint8_t a; int8_t b; u16vec3 c; i64vec2 d; uint8_t e[8]; int16_t f; u8vec4 g; uint64_t h;
};
layout(push_constant) uniform Push { Mixed from; Mixed to; };
layout(set = 0, binding = 0, std430) writeonly buffer Out { uvec4 result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    Mixed mine = from[i];
    int64_t sum = mine.d.x + mine.d.y * 3l + int64_t(mine.h);
    uint k = i & 7u;
    result[i * 2u] = uvec4(uint(mine.a) + uint(mine.c.y), uint(int(mine.b)), uint(sum), uint(sum >> 32));
    result[i * 2u + 1u] = uvec4(mine.e[k], uint(int(mine.f)), uint(mine.g.x) + uint(mine.g.w) * 256u, uint(mine.c.z));
    Mixed there = to[i];
    there.a = mine.e[k];
    there.b = int8_t(i);
    there.c = mine.c.zxy;
    there.d = mine.d.yx;
    there.e[k] = uint8_t(i * 3u);
    there.f = int16_t(-int(i));
    there.g = mine.g.wzyx;
    there.h = uint64_t(mine.d.x) ^ mine.h;
}
