//! draw 19
//! attribute 0 = f32 4: 76 * uniform -1 1
//! attribute 1 = f32 4: 76 * uniform -1 1
//! attribute 2 = f32 3: 57 * uniform -1 1
//! attribute 3 = f32 2: 38 * uniform -1 1
//! attribute 4 = f32 4: 76 * uniform -1 1
//! attribute 5 = i32 4: 76 * iota -9 3
//! attribute 6 = u32 1: 19 * iota 5 7
//! attribute 7 = f32 4: 76 * uniform -1 1
//! attribute 8 = f32 4: 76 * uniform -1 1
//! attribute 9 = f32 4: 76 * uniform -1 1
//! attribute 10 = f32 4: 76 * uniform -1 1
//! attribute 11 = f32 4: 76 * uniform -1 1
//! attribute 12 = f32 4: 76 * uniform -1 1
//! attribute 13 = f32 4: 76 * uniform -1 1
//! attribute 14 = f32 4: 76 * uniform -1 1
//! attribute 15 = f32 4: 76 * uniform -1 1
//! push = f32 0.5 -0.25 1 2 -1 0.75 3 -0.5
//! output position = 4 * f32 ulp 8
//! output 0 = 4 * f32 ulp 8
//! output 1 = 4 * i32
//! output 2 = 4 * f32 ulp 8
//! output 3 = 4 * f32
// As many attributes as Vulkan requires, and numbers of vertices and instances: half of the registers are taken at the
// start.

//@ vertex
#version 460
layout(location = 0) in vec4 a0;
layout(location = 1) in vec4 a1;
layout(location = 2) in vec3 a2;
layout(location = 3) in vec2 a3;
layout(location = 4) in vec4 a4;
layout(location = 5) in ivec4 a5;
layout(location = 6) in uint a6;
layout(location = 7) in vec4 rows[9];
layout(push_constant) uniform Push { vec4 p; vec4 q; };
layout(location = 0) out vec4 x;
layout(location = 1) out flat ivec4 y;
layout(location = 2) out vec4 z;
layout(location = 3) out vec4 w;
void main() {
    gl_Position = a0 * p + q;
    x = a1 * a4;
    x.xyz += a2;
    x.yw -= a3;
    y = a5 * int(a6) + ivec4(gl_VertexIndex, gl_InstanceIndex, gl_BaseVertex, gl_DrawID);
    z = vec4(0.0);
    for (int i = 0; i < 9; ++i) z = fma(rows[i], p, z);
    w = rows[gl_VertexIndex % 9];
}
