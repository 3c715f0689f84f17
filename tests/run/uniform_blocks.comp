//! dispatch 4 1 1
//! push = u32 2 5 3 7
//! buffer 0.0 = u32 384 * bits
//! buffer 0.1 = zero 2048
//! buffer 0.2 = u32 128 * bits
//! uniform 0.3 = u32 256 * bits
// Reads of neighbouring dwords at places that are the same for all invocations but not constant: of whole structures, before
// and behind writes, in conditionals and loops, at distances below and above the first read.
#version 450
layout(local_size_x = 8) in;
layout(push_constant) uniform Push { uint k; uint l; uint m; uint n; };
struct Row { uvec4 a; uvec4 b; uvec2 c; uint d; uint e; };
layout(set = 0, binding = 0, std430) readonly buffer In { Row rows[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Out { uvec4 result[]; };
layout(set = 0, binding = 2, std430) buffer State { uint state[]; };
layout(set = 0, binding = 3, std140) uniform Table { uvec4 table[64]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    Row row = rows[k];
    uvec4 sum = row.a ^ row.b;
    sum.xy += row.c;
    sum.zw += uvec2(row.d, row.e);
    sum = sum * 3u + uvec4(rows[l].e, rows[l].d, rows[l].c.y, rows[l].b.x);
    sum ^= uvec4(rows[l - 1u].e, rows[l].a.w, rows[l].a.x, rows[l + 1u].a.x);
    if ((i & 3u) == 1u) {
        sum += rows[k + 1u].b + rows[k].a;
    }
    result[4u * i] = sum;

    // Each workgroup is one thread, and all its invocations write the same. With a barrier, no test runs the code in another
    // stage, where threads differ.
    barrier();
    uint s = 16u * gl_WorkGroupID.x + m;
    uint before = state[s] + 3u * state[s + 1u];
    state[s + 1u] = before;
    uint behind = state[s] ^ state[s + 1u];
    uint last = state[s + 2u];
    if (before > behind) {
        state[s] = behind;
        last += state[s + 1u];
    }
    last = last * 5u + state[s] + state[s + 2u];
    result[4u * i + 1u] = uvec4(before, behind, last, i);

    uint total = table[3].y;
    for (uint t = 0u; t < n; t++) {
        total = total * 7u + table[t + k].x * table[t + k].w + table[t + k + 1u].y;
        if ((t & 1u) == 1u) {
            total ^= table[3].z + table[4].x;
            state[s + 3u] = total;
        }
        total += state[s + 3u] * state[s + 2u];
    }
    result[4u * i + 2u] = uvec4(total, table[2].w, table[63].x, state[s + 3u]);
}
