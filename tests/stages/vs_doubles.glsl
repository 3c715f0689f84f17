//! draw 8
//! buffer 0.0 = f64 32 * uniform -3 3
//! buffer 0.1 = f64 16 * uniform -3 3
//! buffer 0.2 = f64 8 * uniform 1 9
//! output 0 = 3 * f64 rel 1e-15 abs 1e-14
//! output 2 = 2 * f64 rel 1e-15 abs 1e-14
//! output 3 = f64 rel 1e-15 abs 1e-14
//! output 4 = 4 * i32
//! output 5 = 4 * f64 rel 1e-15 abs 1e-14
// Vectors of doubles: outputs with two locations, arithmetic, comparison, swizzles.

//@ vertex
#version 450
layout(set = 0, binding = 0) readonly buffer A { dvec3 as[]; };
layout(set = 0, binding = 1) readonly buffer B { dvec2 bs[]; };
layout(set = 0, binding = 2) readonly buffer C { double cs[]; };
layout(location = 0) out dvec3 x;
layout(location = 2) out dvec2 y;
layout(location = 3) out double z;
layout(location = 4) out flat ivec4 w;
layout(location = 5) out dvec4 v;
void main() {
    dvec3 a = as[gl_VertexIndex];
    dvec2 b = bs[gl_VertexIndex];
    double c = cs[gl_VertexIndex];
    x = a.zxy * c - b.xyx;
    y = abs(b.yx) + min(a.xy, a.yz);
    z = c > 4.0 ? a.z : -b.y;
    if (a.x < b.x) {
        x.yz = a.yz;
        y.x = 1.5;
    }
    w = ivec4(lessThan(a, dvec3(b, c)), a.x == b.x);
    v = dvec4(a.z, b, a.x);
    v.xw *= c;
    gl_Position = vec4(v);
}
