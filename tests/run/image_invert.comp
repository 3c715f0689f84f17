#version 450
//! dispatch 2 2 1
//! image 0.0 = 2d 20x13x1 rgba8: u8 1040 * bits
//! image 0.1 = 2d 20x13x1 rgba32f: zero 0
//! image 0.2 = 2d 20x13x1 r32ui: u32 260 * bits
//! buffer 0.3 = zero 16
//! compare 0.1 = f32 ulp 1
//! compare 0.0 = u8 abs 1
// Reads and writes images of three formats; workgroups overhang the images.
layout(local_size_x = 16, local_size_y = 8) in;
layout(set = 0, binding = 0, rgba8) uniform image2D picture;
layout(set = 0, binding = 1, rgba32f) uniform image2D wide;
layout(set = 0, binding = 2, r32ui) uniform uimage2D counts;
layout(set = 0, binding = 3) buffer Sizes { ivec2 picture_size; ivec2 counts_size; };
void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    vec4 color = imageLoad(picture, at);
    imageStore(wide, at, color.bgra * 2.0 + imageLoad(wide, at));
    imageStore(picture, at, vec4(1.0) - color);
    imageStore(counts, at, imageLoad(counts, at) + uint(at.x * 100 + at.y));
    if (at == ivec2(0)) {
        picture_size = imageSize(picture);
        counts_size = imageSize(counts);
    }
}
