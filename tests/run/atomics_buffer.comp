//! dispatch 4 1 1
//! buffer 0.0 = u32 256 * bits
//! buffer 0.1 = u32 0 0 0 0xffffffff 0xffffffff 0 0 0x7fffffff 0x80000000 0 0 0
#version 450
// Every operation whose final value does not depend on the order of invocations.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer In { uint source[]; };
layout(set = 0, binding = 1) buffer Out {
    uint sum, difference, bits_or, bits_and, least, most, parity;
    int least_signed, most_signed;
    uint exchanged, swapped, count;
};

void main() {
    uint n = source[gl_GlobalInvocationID.x];
    atomicAdd(sum, n);
    atomicAdd(difference, -n);
    atomicOr(bits_or, n & 0x0f0f0f0f);
    atomicAnd(bits_and, n | 0xfffffff0);
    atomicMin(least, n);
    atomicMax(most, n);
    atomicXor(parity, n);
    atomicMin(least_signed, int(n));
    atomicMax(most_signed, int(n));
    if (gl_GlobalInvocationID.x == 17) atomicExchange(exchanged, n);
    // Only one invocation can find 0, and all offer the same value.
    if (atomicCompSwap(swapped, 0, 99) == 0) atomicAdd(count, 1);
}
