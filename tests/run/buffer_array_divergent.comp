//! dispatch 2 1 1
//! buffer 0.0[0] = u32 48 * iota 0 1
//! buffer 0.0[1] = u32 16 * iota 100 2
//! buffer 0.0[2] = u32 48 * iota 1000 3
//! buffer 0.0[3] = u32 48 * iota 10000 5
//! uniform 0.1[0] = u32 7 6 5 4
//! uniform 0.1[1] = u32 90 80 70 60
//! buffer 0.2[0] = zero 256
//! buffer 0.2[1] = zero 256
//! buffer 1.0 = u32 64 * bits
//! buffer 1.1 = zero 1536
//! expect 1.1 = u32 384 * iota 1 0
//! compare 0.0[0] = skip
//! compare 0.0[2] = skip
//! compare 0.2[0] = skip
//! compare 0.2[1] = skip
#version 450
#extension GL_EXT_nonuniform_qualifier : require
// Elements of descriptor arrays that differ between invocations, also where only some of them run, and one that is the
// same for those that run together but comes out of a loop at different times.
//
// lavapipe 22.3 has no such indexing (it takes the first invocation's element for all), so the shader itself compares
// with what constant elements give, and what they leave in memory.
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer In { uint data[]; } inputs[4];
layout(set = 0, binding = 1) uniform Table { uvec4 entries; } tables[2];
layout(set = 0, binding = 2) buffer Count { uint slots[64]; } counts[2];
layout(set = 1, binding = 0) readonly buffer Pick { uint pick[]; };
layout(set = 1, binding = 1) writeonly buffer Out { uint result[]; };

uint by_constants(uint which, uint index) {
    switch (which) {
    case 0: return inputs[0].data[index];
    case 1: return inputs[1].data[index];
    case 2: return inputs[2].data[index];
    default: return inputs[3].data[index];
    }
}

void check(inout uint at, bool good) { result[at++] = good ? 1u : 0u; }

void main() {
    uint i = gl_GlobalInvocationID.x, at = i * 6;
    uint which = pick[i] & 3u, odd = which & 1u;
    check(at, inputs[nonuniformEXT(which)].data[i & 15u] == by_constants(which, i & 15u));
    uint entry = odd == 0u ? tables[0].entries[which] : tables[1].entries[which];
    check(at, tables[nonuniformEXT(odd)].entries[which] == entry);
    check(at, inputs[nonuniformEXT(which)].data.length() == (which == 1u ? 16u : 48u));
    bool kept = true;
    if ((pick[i] & 4u) != 0u) {
        // Each invocation has a place of its own in inputs[0] or inputs[2].
        uint place = 16u + (i >> 2) * 2u + (i & 1u), old = by_constants(i & 2u, place);
        inputs[nonuniformEXT(i & 2u)].data[place] += 7u;
        kept = by_constants(i & 2u, place) == old + 7u;
    }
    check(at, kept);
    uint before = atomicAdd(counts[nonuniformEXT(odd)].slots[i], i + 1u);
    bool counted = (odd == 0u ? counts[0].slots[i] : counts[1].slots[i]) == i + 1u;
    check(at, before == 0u && counted);
    uint last = 0u;
    for (uint k = 0u; k < 3u; k++) {
        last = k;
        if (k >= (i & 3u)) break;
    }
    check(at, inputs[nonuniformEXT(last)].data[3] == by_constants(last, 3u));
}
