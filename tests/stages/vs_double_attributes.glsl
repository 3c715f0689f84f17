//! draw 5 2 1
//! attribute 0 = f64 1: 6 * iota 1.5 0.25
//! attribute 1 = f64 2: 12 * uniform -9 9
//! attribute 2 = f64 3: 18 * iota 0.1 0.7
//! instanced 4 = f64 4: 8 * uniform -1 1
//! attribute 6 = f32 2: 12 * iota 3 1
//! output 0 = f64
//! output 1 = 2 * f64
//! output 2 = 3 * f64
//! output 4 = 4 * f64
//! output 6 = 4 * f32
// Attributes of one to four doubles, also one for each instance, and one with an index known at run time.

//@ twin
#version 450
layout(location = 0) in uvec2 a;
layout(location = 1) in uvec4 b;
layout(location = 2) in uvec4 c0;
layout(location = 3) in uvec2 c1;
layout(location = 4) in uvec4 d0;
layout(location = 5) in uvec4 d1;
layout(location = 6) in vec2 s;
layout(location = 0) out double oa;
layout(location = 1) out dvec2 ob;
layout(location = 2) out dvec3 oc;
layout(location = 4) out dvec4 od;
layout(location = 6) out vec4 os;
void main() {
    double one = packDouble2x32(a);
    dvec2 two = dvec2(packDouble2x32(b.xy), packDouble2x32(b.zw));
    dvec3 three = dvec3(packDouble2x32(c0.xy), packDouble2x32(c0.zw), packDouble2x32(c1));
    dvec4 four = dvec4(packDouble2x32(d0.xy), packDouble2x32(d0.zw), packDouble2x32(d1.xy), packDouble2x32(d1.zw));
    oa = one + double(s.x);
    ob = two.yx * one;
    oc = three;
    od = four.wzyx;
    os = vec4(float(three[gl_VertexIndex % 3]), float(four[gl_VertexIndex & 3]), s);
    gl_Position = vec4(0.0);
}

//@ vertex
#version 450
layout(location = 0) in double a;
layout(location = 1) in dvec2 b;
layout(location = 2) in dvec3 c;
layout(location = 4) in dvec4 d;
layout(location = 6) in vec2 s;
layout(location = 0) out double oa;
layout(location = 1) out dvec2 ob;
layout(location = 2) out dvec3 oc;
layout(location = 4) out dvec4 od;
layout(location = 6) out vec4 os;
void main() {
    oa = a + double(s.x);
    ob = b.yx * a;
    oc = c;
    od = d.wzyx;
    os = vec4(float(c[gl_VertexIndex % 3]), float(d[gl_VertexIndex & 3]), s);
    gl_Position = vec4(0.0);
}
