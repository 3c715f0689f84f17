#version 450
//! dispatch 2 1 1
//! image 0.0 = buffer 16x1x1 r32ui: u32 16 * bits
//! image 0.0[1] = buffer 16x1x1 r32ui: u32 16 * bits
//! texture 0.1 = buffer 16x1x1 r32f: f32 16 * uniform 0 1
//! texture 0.1[1] = buffer 16x1x1 r32f: f32 16 * uniform 2 3
//! image 0.2 = 2d 4x4x1 r32ui: u32 16 * bits
//! image 0.2[1] = 2d 4x4x1 r32ui: u32 16 * bits
//! uniform 0.3 = u32 1 2 3 4
//! uniform 0.3[1] = u32 50 60 70 80
//! buffer 0.5 = zero 512
// Arrays of texel buffers, images and uniform buffers with an index that is not constant; those marked as divergent need
// capabilities of their own. lavapipe takes one element for all invocations, so the workgroup is the index.
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 16) in;
layout(set = 0, binding = 0, r32ui) uniform uimageBuffer counts[2];
layout(set = 0, binding = 1) uniform samplerBuffer weights[2];
layout(set = 0, binding = 2, r32ui) uniform uimage2D planes[2];
layout(set = 0, binding = 3) uniform Factors { uvec4 factors; } uniforms[2];
layout(set = 0, binding = 5) buffer Found { uvec4 found[32]; };
void main() {
    int i = int(gl_LocalInvocationID.x), group = int(gl_WorkGroupID.x);
    uint count = imageLoad(counts[nonuniformEXT(group)], i).x + imageLoad(counts[1 - group], i).x;
    float weight = texelFetch(weights[nonuniformEXT(group)], i).x + texelFetch(weights[1 - group], i).x;
    uint texel = imageLoad(planes[nonuniformEXT(group)], ivec2(i & 3, i >> 2)).x;
    uint factor = uniforms[group].factors[i & 3];
    found[16 * group + i] = uvec4(count, floatBitsToUint(weight), texel, factor);
}
