//! dispatch 4 1 1
//! buffer 0.0 = f32 256 * uniform -1000 1000
//! buffer 0.1 = f32 100 -100 0 0 1.5 2.5 0 0
//! compare 0.1 = f32
//! buffer 0.2 = zero 32
//! compare 0.2 = f32
// Least and greatest of floats in buffers and shared memory, with all invocations on the same ones:
// the atomics of floats that gen9 has.
#version 450
#extension GL_EXT_shader_atomic_float2 : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer In { float source[]; };
layout(set = 0, binding = 1) buffer Cells { float cells[]; };
layout(set = 0, binding = 2) writeonly buffer Out { vec2 result[]; };
shared float least, most;

void main() {
    float n = source[gl_GlobalInvocationID.x];
    if (gl_LocalInvocationIndex == 0) {
        least = 1e30;
        most = -1e30;
    }
    barrier();
    atomicMin(cells[0], n);
    atomicMax(cells[1], n);
    atomicMin(cells[4], abs(n));
    atomicMax(cells[5], -abs(n));
    atomicMin(least, n);
    atomicMax(most, n);
    // What was there before is never below the least of all.
    if (atomicMin(cells[2], 0.0) != 0.0) cells[3] = 1.0;
    barrier();
    if (gl_LocalInvocationIndex == 0) result[gl_WorkGroupID.x] = vec2(least, most);
}
