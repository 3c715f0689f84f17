//! draw 10
//! buffer 0.0 = f64 20 * uniform -100 100
//! attribute 1 = i32 2: 20 * uniform -1000 1000
//! attribute 2 = f32 2: 20 * uniform -10 10
//! output 0 = 2 * f64
//! output 1 = 2 * i32
//! output 2 = 2 * f32
//! output 3 = 2 * f64
//! output 4 = 4 * u32
// From doubles and to doubles, and their halves.

//@ vertex
#version 450
layout(set = 0, binding = 0) readonly buffer A { dvec2 as[]; };
layout(location = 1) in ivec2 b;
layout(location = 2) in vec2 c;
layout(location = 0) out dvec2 w;
layout(location = 1) out flat ivec2 x;
layout(location = 2) out vec2 y;
layout(location = 3) out dvec2 z;
layout(location = 4) out flat uvec4 u;
void main() {
    dvec2 a = as[gl_VertexIndex];
    w = dvec2(c);
    x = ivec2(a);
    y = vec2(a);
    z = dvec2(b) + dvec2(uvec2(abs(b)));
    u = uvec4(unpackDouble2x32(a.x), unpackDouble2x32(packDouble2x32(uvec2(b))));
    gl_Position = vec4(bvec4(a.x > 0.0, true, false, c.x > 0.0));
}
