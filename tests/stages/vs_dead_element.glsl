//! draw 12 1 1 1
//! topology points
//! attribute 0 = f32 4: 52 * iota 1 3
//! instanced 2 = u32 2: 8 * iota 5 11
//! buffer 0.0 = zero 32
//! output 0 = 8 * i32
//! output 4 = 16 * u32
// An element of an array of outputs is written at an index in a loop, and replaced afterwards: its register is free in the loop.

//@ vertex
#version 460
layout(set = 0, binding = 0) buffer Data { uint totals[8]; };
layout(location = 0) in vec4 place;
layout(location = 2) in uvec2 own;
layout(location = 0) out ivec2 v0[4];
layout(location = 4) out uvec4 v1[4];
void main() {
    uint u0 = uint(gl_VertexIndex), u1 = uint(gl_InstanceIndex) * 2654435761u, u2 = 77u;
    int i0 = int(gl_InstanceIndex) - 9, i1 = int(gl_VertexIndex) * 3, i2 = 12;
    float f0 = float(u0 & 63u), f1 = float(i1 & 255), f2 = 5.0;
    uint list[4] = uint[4](u0, 7u, u1, 3u);
    gl_Position = place;
    v0[0] = ivec2(0);
    v0[1] = ivec2(0);
    v0[2] = ivec2(0);
    v0[3] = ivec2(0);
    v1[0] = uvec4(0);
    v1[1] = uvec4(0);
    v1[2] = uvec4(0);
    v1[3] = uvec4(0);
    atomicOr(totals[0], list[1]);
    v1[1] = uvec4((u0 << (u2 & 7u)));
    atomicOr(totals[4], (298u ^ u1));
    for (int k0 = 0; k0 < int(u0 & 3u); ++k0) {
        for (int k1 = 0; k1 < 2; ++k1) {
            list[(list[3] & list[2]) & 3u] = (own.x << (u2 & 7u));
            u2 = ((u1 > 241u ? 241u : own.x) ^ u2);
            v1[(uint(gl_BaseVertex) - uint(gl_BaseInstance)) % 4u] = uvec4(uint(i0));
        }
        if (i2 > (i0 * 43)) break;
        u2 ^= uint(k0);
    }
    i2 = int(f0);
    list[(u1 > u2 ? u2 : own.y) & 3u] = (u0 / (u0 & 6u | 1u));
    v0[u1 % 4u] = ivec2(int(f2));
    v1[0] = uvec4(u2);
}
