//! dispatch 2 1 1
//! buffer 0.0 = f32 128 * uniform -3.14159 3.14159
//! buffer 0.1 = f32 128 * uniform -1 1
//! buffer 0.2 = zero 8192
//! compare 0.2 = 2 * f32 abs 2^-10; f32 abs 1.3e-2; 5 * f32 ulp 8192; f32 ulp 20 abs 2^-18; f32 ulp 20; f32 ulp 42 abs 2^-18; f32 abs 1.8e-5; f32 abs 2^-17; f32 abs 2^-19; 2 * f32 abs 2^-10
#version 450
// Tolerance: Errors of one evaluation, of which judge and judged may have one each. sin, cos: 2^-11 in [-pi, pi]
// (nothing is promised beyond; the same is asked). tan, sin / cos with a cosine of at least 0.309: 13.2 *
// 2^-11. asin, acos, atan: 4096 units. exp has 3 + 2 |x| units, so sinh and cosh have 9.3, near zero
// 1.2e-6; tanh is their quotient. asinh is log(x + sqrt(x x + 1)), where at -pi 1.2e-6 of 0.155 are
// cancelled: 8e-6; acosh likewise: 2.2e-6; atanh: 7.5e-7.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer A { float in_a[]; };
layout(set = 0, binding = 1) readonly buffer B { float in_b[]; };
layout(set = 0, binding = 2) writeonly buffer Out { float result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    float a = in_a[i], b = in_b[i];
    uint at = i * 16;
    result[at++] = sin(a);
    result[at++] = cos(a);
    result[at++] = tan(a * 0.4);
    result[at++] = asin(b);
    result[at++] = acos(b);
    result[at++] = atan(a);
    result[at++] = atan(a, b);
    result[at++] = atan(b, a);
    result[at++] = sinh(a);
    result[at++] = cosh(a);
    result[at++] = tanh(a);
    result[at++] = asinh(a);
    result[at++] = acosh(1.0 + abs(a));
    result[at++] = atanh(b * 0.9);
    result[at++] = sin(a * 8.0);
    result[at++] = cos(a * 8.0);
}
