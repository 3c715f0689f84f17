//! dispatch 1 1 1
//! buffer 0.0 = f32 160 * uniform -10 10
//! buffer 0.1 = zero 640
#version 450
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 8) in;
struct Item { vec3 a; float b; vec3 c[2]; mat3 m; float d; };
layout(scalar, set = 0, binding = 0) readonly buffer In { Item source[8]; };
layout(scalar, set = 0, binding = 1) writeonly buffer Out { Item result[8]; };

void main() {
    uint i = gl_LocalInvocationIndex;
    Item item = source[i];
    vec3 swap = item.a;
    item.a = item.c[i & 1];
    item.c[i & 1] = swap;
    item.m = transpose(item.m);
    item.d += item.b;
    result[i] = item;
}
