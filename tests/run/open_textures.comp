//! dispatch 1 1 1
//! texture 0.0[0] = 2d 4x4x1 rgba8 sampler=nearest:clamp: u8 64 * bits
//! texture 0.0[1] = 2d 8x4x1 rgba8 sampler=nearest:clamp: u8 128 * bits
//! buffer 0.1 = zero 128
//! unjudged lavapipe takes the first invocation's element of an array without a size for all
//! expect 0.1 = u32 32 * fill 3
// An array of textures without a size, with an index of each invocation. The shader compares with what constant indices give.
#version 450
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) uniform sampler2D all[];
layout(set = 0, binding = 1) buffer Out { uint result[32]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    vec2 at = vec2(i >> 1 & 3u, i >> 3) * 0.25 + 0.1;
    vec4 own = textureLod(all[nonuniformEXT(i & 1u)], at, 0.0);
    vec4 first = textureLod(all[0], at, 0.0), second = textureLod(all[1], at, 0.0);
    result[i] = uint(own == ((i & 1u) == 0u ? first : second)) | uint(own != ((i & 1u) == 0u ? second : first)) << 1;
}
