//! draw 16
//! image 0.0 = 2d 8x4x1 rgba8: u8 128 * bits
//! image 0.1 = 2d 8x4x1 r32ui: zero 128
//! image 0.2 = 2d 4x4x1 rgba32f: zero 256
//! compare 0.2 = f32 ulp 2
//! output 0 = 4 * f32 abs 1e-6
// Storage images from vertices: a load with conversion, stores, an atomic.

//@ vertex
#version 450
layout(set = 0, binding = 0, rgba8) uniform readonly image2D source;
layout(set = 0, binding = 1, r32ui) uniform uimage2D counts;
layout(set = 0, binding = 2, rgba32f) uniform writeonly image2D target;
layout(location = 0) out vec4 texel;
void main() {
    ivec2 at = ivec2(gl_VertexIndex & 7, gl_VertexIndex >> 3);
    texel = imageLoad(source, at + ivec2(0, 2));
    imageAtomicAdd(counts, ivec2(gl_VertexIndex & 3, 0), uint(gl_VertexIndex));
    imageStore(counts, ivec2(at.x, 1 + at.y), uvec4(imageSize(source).x * gl_VertexIndex));
    imageStore(target, ivec2(gl_VertexIndex & 3, gl_VertexIndex >> 2), texel.wzyx * 2.0);
    gl_Position = vec4(0.0);
}
