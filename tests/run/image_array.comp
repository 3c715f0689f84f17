#version 450
//! dispatch 6 1 1
//! image 0.0 = 2d 8x4x1 r32ui: u32 32 * bits
//! image 0.0[1] = 2d 8x4x1 r32ui: u32 32 * bits
//! image 0.0[2] = 2d 8x4x1 r32ui: u32 32 * bits
//! image 0.1 = 1d 32x1x1 rgba8: u8 128 * bits
//! image 0.1[1] = 1d 32x1x1 rgba8: u8 128 * bits
//! texture 0.2 = 2d 4x4x1 r32f sampler=nearest:repeat: f32 16 * uniform 0 1
//! texture 0.2[1] = 2d 8x2x1 r32f sampler=nearest:clamp: f32 16 * uniform 0 1
//! buffer 0.5 = zero 3072
//! buffer 0.6 = zero 96
//! compare 0.1 = u8 abs 1
//! compare 0.1[1] = u8 abs 1
//! compare 0.5 = f32 abs 8e-3
// Arrays of images and textures, indexed by the workgroup: lavapipe takes one element for all invocations, and for
// textures without a sampler that of its own array. `images.rs` has all kinds, indexed by the invocation.
layout(local_size_x = 32) in;
layout(set = 0, binding = 0, r32ui) uniform uimage2D counts[3];
layout(set = 0, binding = 1, rgba8) uniform image1D colors[2];
layout(set = 0, binding = 2) uniform sampler2D planes[2];
layout(set = 0, binding = 5) buffer Found { vec4 found[6][32]; };
layout(set = 0, binding = 6) buffer Sizes { ivec4 sizes[6]; };
void main() {
    int i = int(gl_LocalInvocationID.x), group = int(gl_WorkGroupID.x);
    int third = group % 3, half_ = group / 3;
    ivec2 at = ivec2(i % 8, i / 8);
    imageAtomicAdd(counts[third], at, 1u + uint(half_));
    imageAtomicAdd(counts[(group + 1) % 3], at, 0x500u);
    if (third == 0) {
        imageStore(colors[half_], i, 1.0 - imageLoad(colors[half_], i));
    }
    float t = (float(i) - 9.7) / 13.0;
    found[group][i].x = textureLod(planes[half_], vec2(t, 0.3), 0.0).x;
    found[group][i].yzw = texelFetch(planes[1 - half_], at / ivec2(1, 2), 0).xyz;
    if (i == 0) {
        sizes[group] = ivec4(imageSize(counts[third]), textureSize(planes[half_], 0));
    }
}
