#version 450
//! dispatch 1 1 1
//! image 0.0 = 1d 7x1x1 rgba8: zero 0
//! image 0.1 = 2d 5x3x1 rgba32f: zero 0
//! image 0.2 = 3d 4x3x2 rgba8: zero 0
//! image 0.3 = cube 3x3x6 rg32i: zero 0
//! image 0.4 = 1d_array 6x1x5 r32f: zero 0
//! image 0.5 = 2d_array 3x4x7 rgba16: zero 0
//! image 0.6 = cube_array 2x2x12 rgba32ui: zero 0
//! image 0.7 = buffer 11x1x1 rgba32f: zero 0
//! image 0.8 = 2d 9x8x1 rgba8: zero 0
//! image 0.8[1] = 2d 2x1x1 rgba8: zero 0
//! buffer 0.9 = zero 160
// The sizes of images of every kind, of formats that some chips access as raw memory and others not.
layout(local_size_x = 1) in;
layout(set = 0, binding = 0, rgba8) uniform image1D line;
layout(set = 0, binding = 1, rgba32f) uniform image2D plane;
layout(set = 0, binding = 2) uniform writeonly image3D volume;
layout(set = 0, binding = 3, rg32i) uniform iimageCube cube;
layout(set = 0, binding = 4, r32f) uniform image1DArray lines;
layout(set = 0, binding = 5, rgba16) uniform image2DArray planes;
layout(set = 0, binding = 6, rgba32ui) uniform uimageCubeArray cubes;
layout(set = 0, binding = 7, rgba32f) uniform imageBuffer row;
layout(set = 0, binding = 8, rgba8) uniform image2D some[2];
layout(set = 0, binding = 9) buffer Found { ivec4 found[10]; };
void main() {
    found[0].x = imageSize(line);
    found[1].xy = imageSize(plane);
    found[2].xyz = imageSize(volume);
    found[3].xy = imageSize(cube);
    found[4].xy = imageSize(lines);
    found[5].xyz = imageSize(planes);
    found[6].xyz = imageSize(cubes);
    found[7].x = imageSize(row);
    for (int i = 0; i < 2; i++) found[8 + i].xy = imageSize(some[i]);
}
