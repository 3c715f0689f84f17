#version 450
//! dispatch 2 1 1
//! buffer 0.0 = u32 16 * bits
//! buffer 0.0[1] = u32 16 * bits
//! buffer 0.1 = zero 128
// An array of buffers without a size, indexed by the workgroup.
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) readonly buffer A { uint a[16]; } sources[];
layout(set = 0, binding = 1) buffer B { uint b[32]; };
void main() {
    uint i = gl_LocalInvocationIndex, group = gl_WorkGroupID.x;
    b[16u * group + i] = sources[group].a[i] ^ sources[nonuniformEXT(1u - group)].a[15u - i];
}
