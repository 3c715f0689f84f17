//! draw 12
//! buffer 0.0 = f64 24 * uniform -90 90; f64 0.5 -3 1e-300 7 1e200 2 -0.75 10 1e-5 4 9 1 33 -8 0.1 6 5 11 -64 100 1e15 0.3 -0.2 19
//! output 0 = 4 * f64
//! output 2 = 4 * f64
//! output 4 = 2 * f64 ulp 2
//! output 5 = 2 * f64
//! output 6 = 2 * i32
// Quotients, roots and rounding of vectors of doubles.

//@ vertex
#version 450
layout(set = 0, binding = 0) readonly buffer A { dvec4 as[]; };
layout(location = 0) out dvec4 quotient;
layout(location = 2) out dvec4 root;
layout(location = 4) out dvec2 near;
layout(location = 5) out dvec2 whole;
layout(location = 6) out flat ivec2 counts;
void main() {
    dvec4 a = as[gl_VertexIndex];
    quotient = dvec4(a.xy / a.zw, a.w / 3.0lf, 1.0lf / a.y);
    root = sqrt(abs(a));
    near = dvec2(inversesqrt(abs(a.x)), length(a.yzw));
    whole = dvec2(floor(a.x * 0.125lf) + trunc(a.y), roundEven(a.z) - ceil(a.w));
    ivec2 power;
    dvec2 significand = frexp(a.xy, power);
    counts = power + ivec2(ldexp(significand, ivec2(4)));
    gl_Position = vec4(1.0);
}
