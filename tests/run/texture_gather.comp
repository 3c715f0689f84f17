#version 450
//! dispatch 1 1 1
//! texture 0.0 = 2d 8x4x1 rgba8 sampler=nearest:clamp: u8 128 * bits
//! texture 0.1 = 2d_array 4x4x3 rgba32f sampler=linear:repeat: f32 192 * uniform -1 1
//! texture 0.2 = 2d 8x8x1 r32f depth sampler=linear:clamp:compare=less_or_equal: f32 64 * uniform 0 1
//! texture 0.3 = 2d_array 4x4x2 r32f depth: f32 32 * uniform 0 1
//! sampler 0.4 = nearest:repeat:compare=greater
//! texture 0.5 = cube 4x4x6 r32f depth sampler=nearest:clamp:compare=less: f32 96 * uniform 0 1
//! buffer 0.6 = zero 4096
//! compare 0.6 = f32 abs 8e-3
// Gathers of every component with offsets of every kind, and comparisons.
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) uniform sampler2D plane;
layout(set = 0, binding = 1) uniform sampler2DArray layers;
layout(set = 0, binding = 2) uniform sampler2DShadow shadow;
layout(set = 0, binding = 3) uniform texture2DArray depths;
layout(set = 0, binding = 4) uniform samplerShadow greater;
layout(set = 0, binding = 5) uniform samplerCubeShadow around;
layout(set = 0, binding = 6) buffer Found { vec4 found[8][32]; };
void main() {
    int i = int(gl_LocalInvocationID.x);
    // Never half way between texels, where the footprint depends on the last bit.
    float t = (float(i) + 0.3) / 33.0;
    vec2 at = vec2(t, 0.83 - 0.61 * t);
    found[0][i] = textureGather(plane, at, 2);
    found[1][i] = textureGatherOffset(plane, at, ivec2(-3, 2), 1);
    found[2][i] = textureGatherOffset(layers, vec3(at, float(i % 3)), ivec2(i % 7 - 3, i % 5 - 20), 3);
    const ivec2 offsets[4] = ivec2[](ivec2(0, 0), ivec2(2, 0), ivec2(-9, 1), ivec2(0, 12));
    found[3][i] = textureGatherOffsets(plane, at, offsets, 0);
    found[4][i] = textureGather(shadow, at, 0.4);
    found[5][i].x = texture(shadow, vec3(at, 0.6));
    found[5][i].y = textureLodOffset(shadow, vec3(at, 0.5), 0.0, ivec2(1, 0));
    found[5][i].z = textureGrad(sampler2DArrayShadow(depths, greater), vec4(at, float(i % 2), 0.5), vec2(0), vec2(0));
    found[5][i].w = texture(around, vec4(0.2, t - 0.4, 1.0, 0.5));
    found[6][i] = textureGather(sampler2DArrayShadow(depths, greater), vec3(at, 1.0), t);
    found[7][i].x = textureProjLod(shadow, vec4(at * 2.0, 1.0, 2.0), 0.0);
}
