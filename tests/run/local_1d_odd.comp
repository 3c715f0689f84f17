//! dispatch 3 1 1
//! buffer 0.0 = zero 684
#version 450
// A workgroup size that fills no register evenly: the last thread has lanes that must stay off.
layout(local_size_x = 19, local_size_y = 3) in;
layout(set = 0, binding = 0) buffer Out { uint result[]; };
shared uint total;

void main() {
    if (gl_LocalInvocationIndex == 0) total = 0;
    barrier();
    atomicAdd(total, gl_LocalInvocationIndex + 1);
    barrier();
    uint at = gl_WorkGroupID.x * 57 + gl_LocalInvocationIndex;
    result[at] += total * 100 + gl_LocalInvocationID.y * 19 + gl_LocalInvocationID.x;
}
