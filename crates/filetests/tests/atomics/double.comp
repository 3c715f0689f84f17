#version 450
//! dispatch 2 1 1
//! buffer 0.0 = f64 8.5 3 -2
//! buffer 0.1 = zero 64
// Atomics on doubles in a buffer.
#extension GL_EXT_shader_atomic_float : require
#extension GL_EXT_shader_atomic_float2 : require
#extension GL_EXT_shader_explicit_arithmetic_types_float64 : require
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) buffer A { double sum; double least; double most; };
void main() {
    double own = double(gl_GlobalInvocationID.x) * 0.25LF;
    atomicAdd(sum, own);
    atomicMin(least, 2.0LF - own);
    atomicMax(most, own);
}
