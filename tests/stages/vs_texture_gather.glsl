//! draw 31
//! texture 0.0 = 2d 8x4x1 rgba8 sampler=nearest:clamp: u8 128 * bits
//! texture 0.1 = 2d_array 4x4x3 rgba32f sampler=linear:repeat: f32 192 * uniform -1 1
//! texture 0.2 = 2d 8x8x1 r32f depth sampler=linear:clamp:compare=less_or_equal: f32 64 * uniform 0 1
//! texture 0.3 = 2d_array 4x4x2 r32f depth: f32 32 * uniform 0 1
//! sampler 0.4 = nearest:repeat:compare=greater
//! texture 0.5 = cube 4x4x6 r32f depth sampler=nearest:clamp:compare=less: f32 96 * uniform 0 1
//! texture 0.6 = cube_array 4x4x12 r32f depth sampler=nearest:clamp:compare=greater: f32 192 * uniform 0 1
//! output 0 = 4 * f32 abs 8e-3
//! output 1 = 4 * f32 abs 8e-3
//! output 2 = 4 * f32 abs 8e-3
//! output 3 = 4 * f32 abs 8e-3
//! output 4 = 4 * f32
//! output 5 = 4 * f32 abs 8e-3
//! output 6 = 4 * f32
//! output 7 = 4 * f32 abs 8e-3
// Gathers of every component with offsets of every kind, and comparisons.

//@ vertex
#version 450
layout(set = 0, binding = 0) uniform sampler2D plane;
layout(set = 0, binding = 1) uniform sampler2DArray layers;
layout(set = 0, binding = 2) uniform sampler2DShadow shadow;
layout(set = 0, binding = 3) uniform texture2DArray depths;
layout(set = 0, binding = 4) uniform samplerShadow greater;
layout(set = 0, binding = 5) uniform samplerCubeShadow around;
layout(set = 0, binding = 6) uniform samplerCubeArrayShadow cubes;
layout(location = 0) out vec4 a;
layout(location = 1) out vec4 b;
layout(location = 2) out vec4 c;
layout(location = 3) out vec4 d;
layout(location = 4) out vec4 e;
layout(location = 5) out vec4 f;
layout(location = 6) out vec4 g;
layout(location = 7) out vec4 h;
void main() {
    int i = gl_VertexIndex;
    // Never half way between texels, where the footprint depends on the last bit.
    float t = (float(i) + 0.3) / 33.0;
    vec2 at = vec2(t, 0.83 - 0.61 * t);
    a = textureGather(plane, at, 2);
    b = textureGatherOffset(plane, at, ivec2(-3, 2), 1);
    c = textureGatherOffset(layers, vec3(at, float(i % 3)), ivec2(i % 7 - 3, i % 5 - 20), 3);
    const ivec2 offsets[4] = ivec2[](ivec2(0, 0), ivec2(2, 0), ivec2(-9, 1), ivec2(0, 12));
    d = textureGatherOffsets(plane, at, offsets, 0);
    e = textureGather(shadow, at, 0.4);
    f.x = texture(shadow, vec3(at, 0.6));
    f.y = textureLodOffset(shadow, vec3(at, 0.5), 0.0, ivec2(1, 0));
    f.z = textureGrad(sampler2DArrayShadow(depths, greater), vec4(at, float(i % 2), 0.5), vec2(0), vec2(0));
    f.w = texture(around, vec4(0.2, t - 0.4, 1.0, 0.5));
    g = textureGather(sampler2DArrayShadow(depths, greater), vec3(at, 1.0), t);
    h = textureGatherOffset(shadow, at, 0.3, ivec2(i % 3 - 1, 1 - i % 4));
    h.w += texture(cubes, vec4(0.2, t - 0.4, 1.0, float(i % 2)), 0.5);
    h.x += textureProjLod(shadow, vec4(at * 2.0, 1.0, 2.0), 0.0);
    gl_Position = a;
}
