//! dispatch 1 1 1
//! push = u32 2
//! texture 0.0[0] = 2d 4x4x1 rgba8 sampler=nearest:clamp: u8 64 * bits
//! texture 0.0[1] = 2d 8x4x1 rgba8 sampler=nearest:clamp: u8 128 * bits
//! texture 0.0[2] = 2d 4x2x1 rgba8 sampler=nearest:clamp: u8 32 * bits
//! buffer 0.1 = zero 1024
// Arrays of textures, whose index is one for all invocations, and one for each.
#version 450
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 32) in;
layout(push_constant) uniform Push { uint which; };
layout(set = 0, binding = 0) uniform sampler2D all[3];
layout(set = 0, binding = 1) buffer Out { uvec4 result[32][2]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    vec2 at = vec2(i & 3u, i >> 3) * 0.25 + 0.1;
    vec4 one = textureLod(all[which], at, 0.0), own = textureLod(all[nonuniformEXT(i % 3u)], at, 0.0);
    result[i][0] = uvec4(one * 255.0 + 0.5);
    result[i][1] = uvec4(own * 255.0 + 0.5);
}
