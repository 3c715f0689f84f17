//! dispatch 2 1 1
//! buffer 0.0 = zero 1024
//! buffer 0.1 = zero 512
#version 450
// Buffer and shared memory passed between invocations of a workgroup across many barriers, some
// of them inside uniform control flow.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) coherent buffer Work { uint work[]; };
layout(set = 0, binding = 1) writeonly buffer Out { uint result[]; };
shared uint cells[64];

void main() {
    uint i = gl_LocalInvocationIndex, base = gl_WorkGroupID.x * 128;
    cells[i] = i * i;
    barrier();
    uint sum = 0;
    for (uint round = 0; round < 5; round++) {
        uint mine = cells[(i * 5 + round) & 63];
        barrier();
        cells[i] = mine + round;
        if (round == 2 + gl_WorkGroupID.x) {
            work[base + (i ^ 21)] = mine;
            memoryBarrierBuffer();
            barrier();
            sum += work[base + i];
        }
        barrier();
        sum = sum * 3 + cells[63 - i];
    }
    result[gl_WorkGroupID.x * 64 + i] = sum;
}
