//! dispatch 2 1 1
//! also chv bxt
//! push = zero 16; u32 3 0 0 0
//! buffer 0.0 = zero 64
//! buffer 0.1 = zero 512
//! buffer 0.2 = zero 1024
//! buffer 1.0 = u32 0 0 10 1; u32 0 0 20 2; u32 0 0 30 3; u32 0 0 40 4; u32 0 0 50 5; u32 0 0 60 6
//! buffer 1.1 = u32 64 * iota 1 3
//! address push:0 = 1.1
//! address push:8 = 0.2
//! address 0.0:0 = 1.0
//! address 0.0:8 = 1.0+32
//! address 0.0:16 = 1.0+80
//! address 1.0:0 = 1.0+16
//! address 1.0:16 = 1.0+64
//! address 1.0:32 = 1.0+48
//! address 1.0:64 = 1.0+80
// Linked lists of different lengths, addresses in buffers and push constants, conversions to and from integers.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 32) in;
layout(buffer_reference) buffer Node;
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Node { Node next; uint value; uint id; };
layout(buffer_reference, std430, buffer_reference_align = 4) readonly buffer Table { uint words[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) restrict buffer Four { uvec4 v; };
layout(push_constant) uniform Push { Table table; uvec2 place; uint scale; };
layout(set = 0, binding = 0, std430) buffer Heads { Node heads[4]; };
layout(set = 0, binding = 1, std430) writeonly buffer Sums { uint sums[]; };

uint sum(Node node) {
    uint total = 0u;
    while (uint64_t(node) != 0ul) {
        total = total * 7u + node.value;
        node = node.next;
    }
    return total;
}

void main() {
    uint i = gl_GlobalInvocationID.x;
    uint total = sum(heads[i & 3u]);
    sums[i] = total + table.words[i] * scale;
    sums[i + 64u] = table.words[5u] + uint(uint64_t(table) == uint64_t(Table(uvec2(table))));
    Four out_place = Four(place);
    Four mine = out_place[i];
    mine.v = uvec4(total, i, mine.v.z + 1u, uint(uint64_t(mine) - uint64_t(out_place)));
    if (i == 9u) out_place[i - 9u].v.w = heads[1].next.value;
}
