//! draw 26
//! image 0.0 = 2d 4x4x1 r32ui: u32 0x5555 0 0xffffffff 0xff00 7 0 0 0 100
//! image 0.1 = 3d 2x2x2 r32i: i32 -5 5 0 0 3 3 3 3
//! image 0.2 = buffer 8x1x1 r32ui: zero 0
//! image 0.3 = cube 2x2x6 r32ui: zero 0
//! image 0.4 = 1d_array 4x1x3 r32i: zero 0
//! image 0.5 = 2d_array 2x2x2 r32f: zero 0
//! image 0.6 = 1d 30x1x1 r32ui: zero 0
//! buffer 0.7 = zero 16
//! output 0 = u32
// Every kind of atomic on texels of every kind of image, with all vertices on the same ones.

//@ vertex
#version 450
layout(set = 0, binding = 0, r32ui) uniform uimage2D image;
layout(set = 0, binding = 1, r32i) uniform iimage3D signed_image;
layout(set = 0, binding = 2, r32ui) uniform uimageBuffer row;
layout(set = 0, binding = 3, r32ui) uniform uimageCube cube;
layout(set = 0, binding = 4, r32i) uniform iimage1DArray lines;
layout(set = 0, binding = 5, r32f) uniform image2DArray floats;
layout(set = 0, binding = 6, r32ui) uniform uimage1D tickets;
layout(set = 0, binding = 7) buffer Sums { uint sum, swapped, exchanged, outside; };
layout(location = 0) out flat uint id;
void main() {
    gl_Position = vec4(0.0);
    uint i = uint(gl_VertexIndex);
    id = i;
    imageAtomicAdd(image, ivec2(1, 0), i);
    imageAtomicMin(image, ivec2(2, 0), i + 3u);
    imageAtomicMax(image, ivec2(3, 0), i * 1000u);
    imageAtomicAnd(image, ivec2(0, 0), ~(1u << (i % 16u)));
    imageAtomicOr(image, ivec2(1, 1), 1u << i);
    imageAtomicXor(image, ivec2(2, 1), i);
    imageAtomicMin(signed_image, ivec3(0, 0, 0), int(i) - 20);
    imageAtomicMax(signed_image, ivec3(1, 0, 0), int(i) - 20);
    imageAtomicAdd(signed_image, ivec3(1, 1, 1), -int(i));
    imageAtomicAdd(cube, ivec3(i & 1u, i >> 1 & 1u, i % 6u), i + 1u);
    imageAtomicMin(lines, ivec2(i & 3u, i % 3u), -int(i));

    // Only one finds 7, and all offer the same; all exchange the same.
    if (imageAtomicCompSwap(image, ivec2(0, 1), 7u, 9u) == 7u) atomicAdd(swapped, 1u);
    if (imageAtomicExchange(image, ivec2(0, 2), 77u) != 77u) atomicAdd(exchanged, 1u);
    if (imageAtomicExchange(floats, ivec3(1, 0, 1), 2.5) != 2.5) atomicAdd(exchanged, 1u);
    // The old values of additions are all different: each vertex has a ticket of its own.
    uint ticket = imageAtomicAdd(row, 3, 1u);
    imageAtomicAdd(tickets, int(ticket), 1u);
    atomicAdd(sum, ticket);
    // Every other vertex in a branch of its own.
    if ((i & 1u) == 0u) imageAtomicAdd(row, 5, i);
    // Outside nothing happens and 0 comes back.
    atomicAdd(outside, imageAtomicAdd(image, ivec2(-1, 0), 7u));
    atomicAdd(outside, imageAtomicExchange(row, 8, 7u));
    atomicAdd(outside, imageAtomicOr(cube, ivec3(0, 0, 6), 7u));
}
