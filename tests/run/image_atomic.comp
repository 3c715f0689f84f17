#version 450
//! dispatch 4 1 1
//! image 0.0 = 2d 4x4x1 r32ui: u32 0x5555 0 0xffffffff 0xff00 7 0 0 0 100
//! image 0.1 = 3d 2x2x2 r32i: i32 -5 5 0 0 3 3 3 3
//! image 0.2 = buffer 8x1x1 r32ui: zero 0
//! buffer 0.3 = zero 4
// Every kind of atomic on texels, with all invocations on the same ones.
layout(local_size_x = 32) in;
layout(set = 0, binding = 0, r32ui) uniform uimage2D image;
layout(set = 0, binding = 1, r32i) uniform iimage3D signed_image;
layout(set = 0, binding = 2, r32ui) uniform uimageBuffer row;
layout(set = 0, binding = 3) buffer Sum { uint sum; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    imageAtomicAdd(image, ivec2(1, 0), i);
    imageAtomicMin(image, ivec2(2, 0), i + 3u);
    imageAtomicMax(image, ivec2(3, 0), i * 1000u);
    imageAtomicAnd(image, ivec2(0, 0), ~(1u << (i % 16u)));
    imageAtomicOr(image, ivec2(1, 1), 1u << (i % 32u));
    imageAtomicXor(image, ivec2(2, 1), i);

    // Only one finds 7, and all offer the same; all exchange the same.
    if (imageAtomicCompSwap(image, ivec2(0, 1), 7u, 9u) == 7u) atomicAdd(sum, 1000000u);
    if (imageAtomicExchange(image, ivec2(0, 2), 77u) != 77u) atomicAdd(sum, 10000000u);
    if (imageAtomicCompSwap(signed_image, ivec3(0, 0, 1), 3, -9) == 3) atomicAdd(sum, 20000000u);
    if (imageAtomicExchange(signed_image, ivec3(1, 0, 1), -1) != -1) atomicAdd(sum, 40000000u);
    imageAtomicAnd(signed_image, ivec3(0, 1, 1), int(i) | -4);
    imageAtomicOr(signed_image, ivec3(0, 1, 0), -int(i));
    imageAtomicXor(signed_image, ivec3(1, 1, 0), int(i) - 3);

    imageAtomicMin(signed_image, ivec3(0, 0, 0), int(i) - 20);
    imageAtomicMax(signed_image, ivec3(1, 0, 0), int(i) - 20);
    imageAtomicAdd(signed_image, ivec3(1, 1, 1), -int(i));
    // The old values of additions are all different: their sum does not depend on the order.
    uint old = imageAtomicAdd(row, int(i % 4u), 1u);
    atomicAdd(sum, old);
    // Outside nothing happens and 0 comes back.
    atomicAdd(sum, imageAtomicAdd(image, ivec2(-1, 0), 7u));
    atomicAdd(sum, imageAtomicExchange(row, 8, 7u));
}
