//! dispatch 4 1 1
//! buffer 0.0 = u32 512 * bits
//! buffer 0.1 = u32 0xfffffff0 0 0 0 0xffffffff 0xffffffff 0xffffffff 0xffffffff 0 0 0 0 0xffffffff 0x7fffffff 0 0x80000000 5 7 5 7 5 7 0 0
//! buffer 0.2 = zero 2048
//! compare 0.2 = u64 bag
//! buffer 0.3 = zero 16
//! buffer 0.4 = u32 64 * iota 0 1
//! buffer 0.5 = zero 2048
//! buffer 0.6 = zero 16
//! buffer 0.6[1] = zero 24
//! buffer 0.6[2] = zero 8
// Every operation on numbers of 64 bits in a buffer, with all invocations on the same ones.
#version 450
#extension GL_EXT_shader_atomic_int64 : require
#extension GL_EXT_nonuniform_qualifier : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer In { uint64_t source[]; };
layout(set = 0, binding = 1) buffer Cells {
    uint64_t sum, bits_or, bits_and, least, most, parity;
    int64_t least_signed, most_signed;
    uint64_t swapped, missed, exchanged, count;
};
layout(set = 0, binding = 2) writeonly buffer Tickets { uint64_t tickets[]; };
layout(set = 0, binding = 3) buffer Some { uint64_t some[2]; };
layout(set = 0, binding = 4) buffer Own { uint64_t own[]; };
layout(set = 0, binding = 5) writeonly buffer Old { uint64_t old[]; };
layout(set = 0, binding = 6) buffer Each { uint64_t each[]; } buffers[3];
void main() {
    uint i = gl_GlobalInvocationID.x;
    uint64_t n = source[i];
    atomicAdd(sum, n);
    atomicOr(bits_or, n & 0x0f0f0f0f0f0f0f0ful);
    atomicAnd(bits_and, n | 0xfffffffffffffff0ul);
    atomicMin(least, n);
    atomicMax(most, n);
    atomicXor(parity, n);
    atomicMin(least_signed, int64_t(n));
    atomicMax(most_signed, int64_t(n));
    // Carries into the high dword, and every old value once.
    tickets[i] = atomicAdd(some[0], 0x40000001ul);
    // Only one finds it, and all offer the same; in the other the high dword differs.
    if (atomicCompSwap(swapped, 0x700000005ul, 0x1234567890ul) == 0x700000005ul) atomicAdd(count, 1ul);
    if (atomicCompSwap(missed, 5ul, 1ul) == 5ul) atomicAdd(count, 100ul);
    if (atomicExchange(exchanged, 0xffeeddccbbaa9988ul) != 0xffeeddccbbaa9988ul) atomicAdd(count, 10000ul);
    // Some invocations, each on a number of its own, and those beyond the buffer on none.
    uint64_t mine = 0ul;
    if (i % 3u != 1u) {
        mine = atomicAdd(own[i], n);
        mine = mine * 7ul + atomicMax(own[i], 1ul << 40);
        mine = mine * 7ul + atomicExchange(own[i], uint64_t(i) << 33);
    }
    old[i] = mine;
    // In an array of buffers, one for each workgroup and one for each invocation; not all have so many numbers.
    atomicAdd(buffers[gl_WorkGroupID.x % 3u].each[0], n);
    atomicMax(buffers[nonuniformEXT(i % 3u)].each[1 + i % 2u], n);
}
