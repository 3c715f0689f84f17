//! draw 16
//! texture 0.0 = 2d 8x4x1 rgba8 levels=3 sampler=nearest:clamp: u8 176 * bits
//! texture 0.1 = 1d 16x1x1 r32f levels=2: f32 24 * uniform -1 1
//! texture 0.2 = 3d 4x4x4 rgba16i levels=2: u32 144 * bits
//! texture 0.3 = 2d_array 4x4x3 rg32ui: u32 96 * bits
//! texture 0.4 = 1d_array 8x1x4 r16: u16 32 * bits
//! texture 0.5 = buffer 32x1x1 rgba8ui: u8 128 * bits
//! texture 0.6 = cube_array 4x4x12 r8 levels=2 sampler=nearest:clamp: u8 240 * bits
//! output 0 = 4 * f32 ulp 1
//! output 1 = 4 * f32 ulp 1
//! output 2 = 4 * i32
//! output 3 = 4 * u32
//! output 4 = 4 * f32 ulp 1
//! output 5 = 4 * u32
//! output 6 = 4 * f32 ulp 1
//! output 7 = 4 * i32
//! output 8 = 4 * i32
//! output 9 = 4 * i32
//! output 10 = 4 * i32
// Texels of every kind of texture, with levels and offsets, and their sizes.

//@ vertex
#version 450
#extension GL_EXT_samplerless_texture_functions : require
layout(set = 0, binding = 0) uniform sampler2D plane;
layout(set = 0, binding = 1) uniform texture1D line;
layout(set = 0, binding = 2) uniform itexture3D solid;
layout(set = 0, binding = 3) uniform utexture2DArray layers;
layout(set = 0, binding = 4) uniform texture1DArray lines;
layout(set = 0, binding = 5) uniform utextureBuffer row;
layout(set = 0, binding = 6) uniform samplerCubeArray cubes;
layout(location = 0) out vec4 a;
layout(location = 1) out vec4 b;
layout(location = 2) out ivec4 c;
layout(location = 3) out uvec4 d;
layout(location = 4) out vec4 e;
layout(location = 5) out uvec4 f;
layout(location = 6) out vec4 g;
layout(location = 7) out ivec4 h;
layout(location = 8) out ivec4 j;
layout(location = 9) out ivec4 k;
layout(location = 10) out ivec4 l;
void main() {
    int i = gl_VertexIndex, level = i % 3;
    a = texelFetch(plane, ivec2(i % 8, i / 8) >> level, level);
    b = texelFetch(line, i / 2, i % 2);
    c = texelFetchOffset(solid, ivec3(i % 2, i / 4 % 2, i / 8), i % 2, ivec3(1, 0, 0));
    d = texelFetch(layers, ivec3(i % 4, i / 4, i % 3), 0);
    e = texelFetch(lines, ivec2(i % 8, i % 4), 0);
    f = texelFetch(row, i * 2);
    g = texelFetchOffset(plane, ivec2(i % 4, 1), 1, ivec2(0, -1));
    h = ivec4(textureSize(plane, 2), textureSize(line, 1), textureQueryLevels(line));
    j = ivec4(textureSize(solid, 1), textureQueryLevels(solid));
    k = ivec4(textureSize(layers, 0), textureSize(row));
    l = ivec4(textureSize(cubes, 1), textureSize(lines, 0).y);
    gl_Position = a;
}
