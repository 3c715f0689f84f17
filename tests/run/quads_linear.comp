//! dispatch 1 1 1
//! buffer 0.0 = zero 320
//! unjudged lavapipe has no derivatives in compute shaders
//! expect 0.0 = i32 3 12 3 12 3 12 3 24 3 12 15 12 3 12 15 24 27 60 27 60 27 60 27 72 27 60 39 60 27 60 39 72 51 108 51 108 51 108 51 120 51 108 63 108 51 108 63 120 75 156 75 156 75 156 75 168 75 156 87 156 75 156 87 168 99 204 99 204 99 204 99 216 99 204 111 204 99 204 111 216
// Derivatives in a compute shader whose quads are four invocations with consecutive indices.
#version 450
#extension GL_NV_compute_shader_derivatives : require
layout(local_size_x = 5, local_size_y = 4) in;
layout(derivative_group_linearNV) in;
layout(set = 0, binding = 0) writeonly buffer Out { ivec4 result[]; };
void main() {
    uint at = gl_LocalInvocationIndex;
    float v = float(at * at * 3u);
    result[at] = ivec4(dFdxCoarse(v), dFdyCoarse(v), dFdxFine(v), dFdyFine(v));
}
