//! dispatch 1 1 1
//! texture 0.1 = 2d 64x64x1 rgba8ui levels=4 sampler=nearest:repeat:mip=nearest: u8 16384 * fill 0; u8 4096 * fill 1; u8 1024 * fill 2; u8 256 * fill 3
//! buffer 0.0 = zero 1536
//! unjudged lavapipe has no derivatives in compute shaders
//! expect 0.0 = i32 3 5 3 5 8 0 0 0 3 5 3 12 15 0 0 1 15 19 15 19 34 0 0 2 15 19 15 26 41 0 0 3 3 5 10 5 15 0 0 4 3 5 10 12 22 0 0 5 15 19 22 19 41 0 0 6 15 19 22 26 48 0 0 7 17 25 17 25 42 0 0 8 17 25 17 32 49 0 0 9 29 39 29 39 68 0 0 10 29 39 29 46 75 0 0 11 17 25 24 25 49 0 0 12 17 25 24 32 56 0 0 13 29 39 36 39 75 0 0 14 29 39 36 46 82 0 0 15 31 45 31 45 76 0 0 16 31 45 31 52 83 0 0 17 43 59 43 59 102 0 0 18 43 59 43 66 109 0 0 19 31 45 38 45 83 0 0 20 31 45 38 52 90 0 0 21 43 59 50 59 109 0 0 22 43 59 50 66 116 0 0 23 3 5 3 5 8 1 1 24 3 5 3 12 15 1 1 25 15 19 15 19 34 1 1 26 15 19 15 26 41 1 1 27 3 5 10 5 15 1 1 28 3 5 10 12 22 1 1 29 15 19 22 19 41 1 1 30 15 19 22 26 48 1 1 31 17 25 17 25 42 1 1 32 17 25 17 32 49 1 1 33 29 39 29 39 68 1 1 34 29 39 29 46 75 1 1 35 17 25 24 25 49 1 1 36 17 25 24 32 56 1 1 37 29 39 36 39 75 1 1 38 29 39 36 46 82 1 1 39 31 45 31 45 76 1 1 40 31 45 31 52 83 1 1 41 43 59 43 59 102 1 1 42 43 59 43 66 109 1 1 43 31 45 38 45 83 1 1 44 31 45 38 52 90 1 1 45 43 59 50 59 109 1 1 46 43 59 50 66 116 1 1 47
// Derivatives and implicit levels of detail in a compute shader whose quads are squares of local ids.
#version 450
#extension GL_NV_compute_shader_derivatives : require
layout(local_size_x = 4, local_size_y = 6, local_size_z = 2) in;
layout(derivative_group_quadsNV) in;
layout(set = 0, binding = 0) writeonly buffer Out { ivec4 result[]; };
layout(set = 0, binding = 1) uniform usampler2D levels;
void main() {
    uvec3 id = gl_LocalInvocationID;
    float v = float(id.x * id.x * 3u + id.y * id.y * 5u + id.x * id.y * 7u + id.z * 100u);
    vec2 place = vec2(gl_GlobalInvocationID.xy << id.z) / 64.0 + 1.0 / 256.0;
    uint at = gl_LocalInvocationIndex;
    result[at * 2u] = ivec4(dFdxCoarse(v), dFdyCoarse(v), dFdxFine(v), dFdyFine(v));
    int level = int(texture(levels, place).x), lod = int(textureQueryLod(levels, place).y);
    result[at * 2u + 1u] = ivec4(fwidthFine(v), level, lod, at);
}
