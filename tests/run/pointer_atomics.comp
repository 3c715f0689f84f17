//! dispatch 4 1 1
//! push = zero 8
//! buffer 0.0 = zero 1024
//! buffer 0.1 = u32 0 0 0 4294967295 4294967295 0 0 2147483647; u32 8 * iota 100 1
//! address push:0 = 0.1
// Atomics behind pointers, whose results are used and not used.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
layout(local_size_x = 32) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Counters {
    uint added, ored, xored, anded; uint least, most; int signed_most, signed_least; uint many[8];
};
layout(push_constant) uniform Push { Counters counters; };
layout(set = 0, binding = 0, std430) writeonly buffer Out { uint result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    atomicAdd(counters.added, i);
    atomicOr(counters.ored, 1u << (i & 31u));
    atomicXor(counters.xored, i * 2654435761u);
    atomicAnd(counters.anded, ~(i << 8));
    atomicMin(counters.least, i * 7u + 3u);
    atomicMax(counters.most, i * 7u + 3u);
    atomicMin(counters.signed_least, 5 - int(i));
    atomicMax(counters.signed_most, int(i) - 100);
    uint k = i & 7u;
    uint old = atomicAdd(counters.many[k], 8u);
    // The old values are the same set in each order.
    atomicAdd(counters.many[k], atomicCompSwap(counters.many[7], 0xffffffffu, 1u) & 0u);
    if (i < 128u) result[(old - 100u) % 8u * 16u + (old - 100u) / 8u] = old;
}
