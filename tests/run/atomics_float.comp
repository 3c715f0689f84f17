//! dispatch 2 1 1
//! buffer 0.0 = f32 0 5 100 0; zero 64
//! image 0.1 = 2d 4x4x1 r32f: zero 0
#version 450
#extension GL_EXT_shader_atomic_float : require
#extension GL_EXT_shader_atomic_float2 : require
layout(local_size_x = 24) in;
layout(set = 0, binding = 0) buffer B { float v[4]; float sums[16]; };
layout(set = 0, binding = 1, r32f) uniform image2D im;
shared float total;
void main() {
    uint i = gl_LocalInvocationIndex;
    if (i == 0) total = 0.0;
    barrier();
    atomicAdd(v[0], 1.5);
    if ((i & 1) == 1) {
        atomicMin(v[1], float(i) - 7.5);
        atomicMax(v[2], float(i) * 10.0);
        atomicAdd(total, float(i));
    }
    atomicExchange(v[3], 2.0);
    atomicAdd(sums[4 + (i & 3)], 0.5);
    imageAtomicAdd(im, ivec2(i & 3, i & 1), 0.25);
    barrier();
    if (i == 0) atomicAdd(sums[1 + gl_WorkGroupID.x], total);
}
