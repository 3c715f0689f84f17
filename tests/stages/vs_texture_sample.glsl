//! draw 32
//! texture 0.0 = 2d 8x4x1 rgba8 levels=3 sampler=linear:repeat:mip=linear: u8 176 * bits
//! texture 0.1 = 2d 8x4x1 rgba32f: f32 128 * uniform -1 1
//! sampler 0.2 = nearest:mirror
//! sampler 0.3 = linear:border:border=opaque_white
//! texture 0.4 = 3d 4x4x4 r16f sampler=linear:clamp: u16 64 * uniform 0 15000
//! texture 0.5 = cube 4x4x6 rg16 sampler=linear:clamp: u16 192 * bits
//! texture 0.6 = cube_array 4x4x12 r8 sampler=nearest:clamp: u8 192 * bits
//! texture 0.7 = 2d_array 4x4x3 rgba8ui sampler=nearest:repeat: u8 192 * bits
//! texture 0.8 = 1d_array 8x1x3 r32f sampler=linear:clamp: f32 24 * uniform 0 1
//! output 0 = 4 * f32 abs 8e-3
//! output 1 = 4 * f32 abs 8e-3
//! output 2 = 4 * f32 abs 8e-3
//! output 3 = 4 * f32 abs 8e-3
//! output 4 = 4 * f32 abs 8e-3
//! output 5 = 4 * f32 abs 8e-3
//! output 6 = 4 * u32
//! output 7 = 4 * f32 abs 8e-3
//! output 8 = 4 * f32 abs 8e-3
//! output 9 = 4 * f32 abs 8e-3
// Filters, address modes, levels, offsets, gradients, cubes, layers; textures with samplers of their own and of
// another binding. What asks for a level implicitly reads level 0.

//@ vertex
#version 450
layout(set = 0, binding = 0) uniform sampler2D levels;
layout(set = 0, binding = 1) uniform texture2D plane;
layout(set = 0, binding = 2) uniform sampler mirrored;
layout(set = 0, binding = 3) uniform sampler bordered;
layout(set = 0, binding = 4) uniform sampler3D solid;
layout(set = 0, binding = 5) uniform samplerCube cube;
layout(set = 0, binding = 6) uniform samplerCubeArray cubes;
layout(set = 0, binding = 7) uniform usampler2DArray layers;
layout(set = 0, binding = 8) uniform sampler1DArray lines;
layout(location = 0) out vec4 a;
layout(location = 1) out vec4 b;
layout(location = 2) out vec4 c;
layout(location = 3) out vec4 d;
layout(location = 4) out vec4 e;
layout(location = 5) out vec4 f;
layout(location = 6) out uvec4 g;
layout(location = 7) out vec4 h;
layout(location = 8) out vec4 j;
layout(location = 9) out vec4 k;
void main() {
    int i = gl_VertexIndex;
    float t = (float(i) - 7.3) / 9.0;
    vec2 at = vec2(t, 0.7 - 0.31 * t);
    a = textureLod(levels, at, float(i % 9) * 0.25);
    b = textureLod(sampler2D(plane, mirrored), at * 1.7, 0.0);
    c = textureLodOffset(sampler2D(plane, bordered), at, 0.0, ivec2(2, -1));
    d = textureLod(solid, vec3(at, t * t), 0.0);
    // Not near a corner, nor where two axes are as long.
    e = textureLod(cube, vec3(sin(t * 3.0), cos(t * 3.0) * 0.8, 0.3), 0.0);
    f = textureLod(cubes, vec4(cos(t * 7.0), sin(t * 7.0), 0.4, float(i % 3)), 0.0);
    g = textureLod(layers, vec3(at, float(i % 4)), 0.0);
    h = texture(lines, vec2(t, t * 2.0 + 0.1));
    // Twice and four times as many texels as pixels: levels 1 and 2.
    float step = float(1 << (1 + i % 2));
    j = textureGrad(levels, at, vec2(step / 8.0, 0.0), vec2(0.0, 1.0 / 8.0));
    k = textureGrad(solid, vec3(at, t), vec3(0.0), vec3(0.0));
    gl_Position = a;
}
