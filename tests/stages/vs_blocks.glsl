//! draw 5
//! attribute 0 = f32 4: 20 * uniform -1 1
//! attribute 1 = f32 3: 15 * uniform -1 1
//! attribute 2 = f32 3: 15 * uniform -1 1
//! attribute 3 = f32 3: 15 * uniform -1 1
//! output 0 = 4 * f32
//! output 1 = 9 * f32 abs 1e-6
//! output 4 = 2 * f32
//! output 5 = 4 * f32
//! output 7 = 6 * f32
// Interface blocks with matrices and arrays.

//@ vertex
#version 450
layout(location = 0) in vec4 a;
layout(location = 1) in mat3 m;
out Shade {
    layout(location = 0) vec4 color;
    layout(location = 1) mat3 frame;
    layout(location = 4) vec2 uv;
} shade;
out Rest { layout(location = 5) vec2 pair[2]; };
layout(location = 7) out mat2x3 narrow;
void main() {
    shade.color = a;
    shade.frame = m * mat3(a.xyz, a.yzw, a.zwx);
    shade.frame[1].y = 5.0;
    shade.uv = vec2(m[2].z, a.w);
    pair[0] = a.xy;
    pair[1] = a.zw;
    narrow = mat2x3(m[0], m[1] * 2.0);
    gl_Position = vec4(m[gl_VertexIndex % 3], 1.0);
}
