//! dispatch 1 1 1
//! image 0.0 = 2d 4x4x1 rgba8: u32 0x04030201 0xff80407f 0x10203040 0 5 6 7 8 9 10 11 12 13 14 15 16
//! image 0.1 = 2d 4x4x1 r32ui: u32 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16
//! image 0.2 = buffer 16x1x1 rg16f: u32 0x3c003c00 0x40004200 0xc0003800
//! image 0.3 = 2d_array 2x2x2 rgba16i: u32 0x00020001 0xffff8000 3 4 5 6 7 8 9 10 11 12 13 14 15 16
//! buffer 0.4 = zero 1024
//! compare 0.4 = f32 ulp 2
// Images that the shader reads without knowing their formats.
#version 450
#extension GL_EXT_shader_image_load_formatted : require
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) uniform image2D a;
layout(set = 0, binding = 1) uniform uimage2D b;
layout(set = 0, binding = 2) readonly uniform imageBuffer c;
layout(set = 0, binding = 3) uniform iimage2DArray d;
layout(set = 0, binding = 4) buffer Out { vec4 v[]; };
void main() {
    int i = int(gl_LocalInvocationIndex);
    ivec2 at = ivec2(i & 3, i >> 2);
    v[i * 4] = imageLoad(a, at);
    v[i * 4 + 1] = vec4(imageLoad(b, at));
    v[i * 4 + 2] = imageLoad(c, i);
    v[i * 4 + 3] = vec4(imageLoad(d, ivec3(i & 1, i >> 1 & 1, i >> 2 & 1)));
    imageStore(b, at, uvec4(i + 100));
}
