//! dispatch 2 1 1
//! also chv bxt
//! push = zero 8
//! buffer 0.0 = zero 2048
//! buffer 0.1 = u32 64 * iota 1000 1
//! buffer 0.2 = u32 64 * iota 5 11
//! buffer 0.3 = zero 32
//! address 0.3:0 = 0.1
//! address 0.3:8 = 0.2
//! address 0.3:16 = 0.1+64
//! address 0.3:24 = 0.2+128
//! address push:0 = 0.3
// Pointers to pointers, pointers in private arrays and structures, in selections and loops.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 32) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint w[16]; };
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Table { Words entries[4]; };
layout(push_constant) uniform Push { Table table; };
layout(set = 0, binding = 0, std430) writeonly buffer Out { uint result[]; };
struct Item { Words at; uint index; };

uint pick(Item item) { return item.at.w[item.index & 15u]; }

Words chosen(Words list[4], uint i) {
    if (i % 5u == 0u) return list[3];
    return list[i & 3u];
}

void main() {
    uint i = gl_GlobalInvocationID.x;
    Words list[4];
    for (uint k = 0u; k < 4u; k++) list[k] = table.entries[(k + i) & 3u];
    Item item = Item(list[i & 3u], i);
    uint first = pick(item);
    item.at = i % 3u == 0u ? list[0] : list[2];
    uint second = pick(item);
    Words at = list[1];
    uint sum = 0u;
    for (uint k = 0u; k < i % 7u; k++) {
        sum += at.w[k];
        at = (k & 1u) == 0u ? list[3] : chosen(list, k + i);
    }
    result[i * 4u] = first;
    result[i * 4u + 1u] = second;
    result[i * 4u + 2u] = sum;
    result[i * 4u + 3u] = chosen(list, i).w[i & 15u];
}
