#version 450
// The same with a storage buffer, which Vulkan has.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Counters { uint c[]; };
layout(set = 0, binding = 1) buffer Sums { uint sums[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    atomicAdd(sums[0], atomicAdd(c[0], 1));
    atomicAdd(sums[1], atomicAdd(c[2], -1) - 1);
    atomicAdd(sums[2], atomicAdd(c[15], 0));
    atomicAdd(c[3 + i % 5], i);
    atomicAdd(c[5], -3);
    atomicMin(c[8], i);
    atomicMax(c[9], i);
    atomicAnd(c[10], i | 5);
    atomicOr(c[11], i);
    atomicXor(c[12], i);
    if (i == 7) atomicAdd(sums[3], atomicExchange(c[13], 9));
    atomicAdd(sums[4], atomicCompSwap(c[14], 4, 9));
}
