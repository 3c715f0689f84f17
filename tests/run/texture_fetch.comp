#version 450
//! dispatch 1 1 1
//! texture 0.0 = 2d 8x4x1 rgba8 levels=3 sampler=nearest:clamp: u8 176 * bits
//! texture 0.1 = 1d 16x1x1 r32f levels=2: f32 24 * uniform -1 1
//! texture 0.2 = 3d 4x4x4 rgba16i levels=2: u32 144 * bits
//! texture 0.3 = 2d_array 4x4x3 rg32ui: u32 96 * bits
//! texture 0.4 = 1d_array 8x1x4 r16: u16 32 * bits
//! texture 0.5 = buffer 32x1x1 rgba8ui: u8 128 * bits
//! texture 0.6 = cube_array 4x4x12 r8 levels=2 sampler=nearest:clamp: u8 240 * bits
//! buffer 0.7 = zero 1792
//! buffer 0.8 = zero 128
//! compare 0.7 = f32 ulp 1
// Texels of every kind of texture, with levels and offsets, and their sizes.
#extension GL_EXT_samplerless_texture_functions : require
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) uniform sampler2D plane;
layout(set = 0, binding = 1) uniform texture1D line;
layout(set = 0, binding = 2) uniform itexture3D solid;
layout(set = 0, binding = 3) uniform utexture2DArray layers;
layout(set = 0, binding = 4) uniform texture1DArray lines;
layout(set = 0, binding = 5) uniform utextureBuffer row;
layout(set = 0, binding = 6) uniform samplerCubeArray cubes;
layout(set = 0, binding = 7) buffer Found { vec4 found[7][16]; };
layout(set = 0, binding = 8) buffer Sizes { ivec4 sizes[8]; };
void main() {
    int i = int(gl_LocalInvocationID.x);
    int level = i % 3;
    found[0][i] = texelFetch(plane, ivec2(i % 8, i / 8) >> level, level);
    found[1][i] = texelFetch(line, i / 2, i % 2);
    found[2][i] = vec4(texelFetchOffset(solid, ivec3(i % 2, i / 4 % 2, i / 8), i % 2, ivec3(1, 0, 0)));
    found[3][i] = vec4(texelFetch(layers, ivec3(i % 4, i / 4, i % 3), 0) >> 8);
    found[4][i] = texelFetch(lines, ivec2(i % 8, i % 4), 0);
    found[5][i] = vec4(texelFetch(row, i * 2));
    found[6][i] = texelFetchOffset(plane, ivec2(i % 4, 1), 1, ivec2(0, -1));
    if (i == 3) {
        sizes[0] = ivec4(textureSize(plane, 0), textureSize(line, 0), textureQueryLevels(line));
        sizes[1] = ivec4(textureSize(plane, 1), textureSize(line, 1), 0);
        sizes[2] = ivec4(textureSize(plane, 2), 0, 0);
        sizes[3] = ivec4(textureSize(solid, 1), textureQueryLevels(solid));
        sizes[4] = ivec4(textureSize(layers, 0), textureQueryLevels(layers));
        sizes[5] = ivec4(textureSize(lines, 0), textureSize(row), textureQueryLevels(plane));
        sizes[6] = ivec4(textureSize(cubes, 1), textureQueryLevels(cubes));
    }
}
