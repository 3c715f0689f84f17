//! draw 13
//! push = u32 2 1
//! texture 0.0[0] = 2d 4x4x1 rgba8 sampler=nearest:clamp: u8 64 * bits
//! texture 0.0[1] = 2d 8x4x1 rgba8 sampler=nearest:clamp: u8 128 * bits
//! texture 0.0[2] = 2d 4x2x1 rgba8 sampler=nearest:clamp: u8 32 * bits
//! texture 0.1[0] = 2d 4x4x1 rgba32f: f32 64 * uniform -1 1
//! texture 0.1[1] = 2d 4x4x1 rgba32f: f32 64 * uniform -1 1
//! sampler 0.2 = nearest:repeat
//! output 0 = 4 * f32 ulp 1
//! output 1 = 4 * f32 ulp 1
//! output 2 = 4 * f32 ulp 1
//! output 3 = 2 * i32
// Arrays of textures: an index known at compile time, one for all vertices, one for each, in divergent flow.

//@ vertex
#version 450
#extension GL_EXT_nonuniform_qualifier : require
#extension GL_EXT_samplerless_texture_functions : require
layout(push_constant) uniform Push { uint which; uint other; };
layout(set = 0, binding = 0) uniform sampler2D both[3];
layout(set = 0, binding = 1) uniform texture2D planes[2];
layout(set = 0, binding = 2) uniform sampler repeating;
layout(location = 0) out vec4 a;
layout(location = 1) out vec4 b;
layout(location = 2) out vec4 c;
layout(location = 3) out ivec2 size;
void main() {
    vec2 at = vec2(gl_VertexIndex & 3, gl_VertexIndex >> 2) * 0.25 + 0.1;
    a = textureLod(both[1], at, 0.0);
    b = textureLod(both[which], at, 0.0);
    c = vec4(0.5);
    size = ivec2(7);
    if (gl_VertexIndex % 3 != 1) {
        c = textureLod(sampler2D(planes[nonuniformEXT(gl_VertexIndex & 1)], repeating), at * 2.0, 0.0);
        size = textureSize(both[which], 0);
    } else {
        c += texelFetch(planes[other], ivec2(gl_VertexIndex & 3), 0);
    }
    gl_Position = a;
}
