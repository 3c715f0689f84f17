#version 450
//! dispatch 4 1 1
//! image 0.0 = 2d 4x4x1 r32ui: u32 0x5555 0 0xffffffff 0xff00 7 0 0 0 100
//! image 0.1 = 3d 2x2x2 r32i: i32 -5 5 0 0 3 3 3 3
//! image 0.2 = buffer 8x1x1 r32ui: zero 0
//! buffer 0.3 = zero 4
//! image 0.4 = cube 2x2x6 r32ui: zero 0
//! image 0.5 = 1d_array 4x1x3 r32i: zero 0
//! image 0.6 = 2d_array 2x2x2 r32f: zero 0
//! image 0.7 = cube_array 1x1x12 r32ui: zero 0
//! image 0.8 = 1d 3x1x1 r32i: zero 0
// Every kind of atomic on texels, with all invocations on the same ones.
layout(local_size_x = 32) in;
layout(set = 0, binding = 0, r32ui) uniform uimage2D image;
layout(set = 0, binding = 1, r32i) uniform iimage3D signed_image;
layout(set = 0, binding = 2, r32ui) uniform uimageBuffer row;
layout(set = 0, binding = 3) buffer Sum { uint sum; };
layout(set = 0, binding = 4, r32ui) uniform uimageCube cube;
layout(set = 0, binding = 5, r32i) uniform iimage1DArray lines;
layout(set = 0, binding = 6, r32f) uniform image2DArray floats;
layout(set = 0, binding = 7, r32ui) uniform uimageCubeArray cubes;
layout(set = 0, binding = 8, r32i) uniform iimage1D line;
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
    imageAtomicAdd(cube, ivec3(i & 1u, i >> 1 & 1u, i % 6u), i + 1u);
    imageAtomicMin(lines, ivec2(i & 3u, i % 3u), -int(i));
    imageAtomicXor(cubes, ivec3(0, 0, i % 12u), i);
    imageAtomicMax(line, int(i % 3u), int(i));
    if (imageAtomicExchange(floats, ivec3(1, 0, 1), 2.5) != 2.5) atomicAdd(sum, 80000000u);
    // Outside nothing happens and 0 comes back.
    atomicAdd(sum, imageAtomicAdd(image, ivec2(-1, 0), 7u));
    atomicAdd(sum, imageAtomicExchange(row, 8, 7u));
    atomicAdd(sum, imageAtomicOr(cube, ivec3(0, 0, 6), 7u));
    atomicAdd(sum, imageAtomicOr(cubes, ivec3(0, 0, -1), 7u));
    atomicAdd(sum, uint(imageAtomicAdd(lines, ivec2(0, 3), 7)));
    atomicAdd(sum, floatBitsToUint(imageAtomicExchange(floats, ivec3(2, 0, 0), 7.0)));
}
