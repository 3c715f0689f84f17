//! dispatch 1 1 1
//! buffer 0.0 = u16 0x3c00 0x4000 0x4200 0x4400 0 0 0 0
//! buffer 0.1 = zero 64
//! unjudged lavapipe has no atomics of 16 bits
//! expect 0.0 = u16 0x4480 0x4580 0x4600 0x4700 0x4200 0x4880 0xcf40 0x4700
//! expect 0.1 = f32 0 0 121 2; zero 48
// Atomics of 16 bits next to each other in one dword.
#version 450
#extension GL_EXT_shader_atomic_float : require
#extension GL_EXT_shader_atomic_float2 : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer B { float16_t h[]; };
layout(set = 0, binding = 1) buffer C { float old[]; };
shared float16_t total[3];
void main() {
    uint i = gl_LocalInvocationIndex;
    if (i < 3) total[i] = float16_t(i);
    barrier();
    float16_t before = atomicAdd(h[i % 5], float16_t(0.5));
    if (i == 31) atomicMax(h[5], float16_t(9.0));
    if ((i & 3) == 1) {
        atomicMin(h[6], -float16_t(i));
        atomicAdd(total[1], float16_t(i));
    }
    if (i == 7) old[0] = float(atomicExchange(h[7], float16_t(7.0)));
    barrier();
    if (i < 3) old[1 + i] = float(total[i]);
    if (before < float16_t(0.0)) old[4] = 1.0;
}
