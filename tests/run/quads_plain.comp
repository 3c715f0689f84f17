//! dispatch 1 1 1
//! buffer 0.0 = zero 512
//! unjudged lavapipe has no derivatives in compute shaders
//! expect 0.0 = i32 1 2 3 3 1 2 3 3 2 4 6 6 2 4 6 6 1 2 3 3 1 2 3 3 2 4 6 6 2 4 6 6 3 6 9 9 3 6 9 9 4 8 12 12 4 8 12 12 3 6 9 9 3 6 9 9 4 8 12 12 4 8 12 12 6 12 18 18 6 12 18 18 7 14 21 21 7 14 21 21 6 12 18 18 6 12 18 18 7 14 21 21 7 14 21 21 8 16 24 24 8 16 24 24 9 18 27 27 9 18 27 27 8 16 24 24 8 16 24 24 9 18 27 27 9 18 27 27
// Derivatives without a stated precision, in a compute shader whose quads are squares of local ids: differences that are the same
// everywhere in a quad.
#version 450
#extension GL_NV_compute_shader_derivatives : require
layout(local_size_x = 4, local_size_y = 4, local_size_z = 2) in;
layout(derivative_group_quadsNV) in;
layout(set = 0, binding = 0) writeonly buffer Out { ivec4 result[]; };
void main() {
    uvec3 id = gl_LocalInvocationID;
    uint slope = 1u + id.x / 2u + id.y / 2u * 2u + id.z * 5u;
    float v = float(slope * (id.x + 2u * id.y));
    result[gl_LocalInvocationIndex] = ivec4(dFdx(v), dFdy(v), fwidth(v), fwidthCoarse(v));
}
