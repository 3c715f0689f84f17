//! dispatch 4 1 1
//! push = u32 1000
//! buffer 0.0 = u32 1024 * bits
//! buffer 0.1 = zero 256
#version 450
layout(local_size_x = 64) in;
layout(push_constant) uniform Push { uint count; };
layout(set = 0, binding = 0) readonly buffer In { uint values[]; };
layout(set = 0, binding = 1) buffer Out { uint bins[64]; };
shared uint counts[64];

void main() {
    uint i = gl_LocalInvocationIndex;
    counts[i] = 0;
    barrier();
    for (uint n = gl_GlobalInvocationID.x; n < count; n += gl_NumWorkGroups.x * gl_WorkGroupSize.x)
        atomicAdd(counts[values[n] >> 26], 1);
    barrier();
    atomicAdd(bins[i], counts[i]);
}
