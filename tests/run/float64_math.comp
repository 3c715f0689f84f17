//! dispatch 2 1 1
//! also chv bxt
//! simd 8 16
//! buffer 0.1 = f64 48 * uniform -1000 1000; f64 0.5 1 -1 3 2 -0.25 1e10 -1e10 123456789.125 -3 7 1e-5 4294967296 1e-200 -1e200 0.75
//! buffer 0.2 = f64 56 * uniform -50 50; f64 3 7 -0.1 1e-150 1e150 -2 10 0.3
//! buffer 0.3 = zero 8192
//! buffer 0.4 = zero 8192
//! buffer 0.5 = zero 2048
//! compare 0.3 = f64
//! compare 0.4 = f64 ulp 2; 2 * f64 abs 1e-12; 13 * f64 ulp 2
//! compare 0.5 = u32
// Doubles: quotients and roots are rounded once, the other functions nearly so. Of remainders lavapipe rounds the product
// that it subtracts, so they differ as far as the numerator is greater than the result.
#version 450
layout(local_size_x = 32) in;
layout(set = 0, binding = 1) readonly buffer A { double in_a[]; };
layout(set = 0, binding = 2) readonly buffer B { double in_b[]; };
layout(set = 0, binding = 3) writeonly buffer Exact { double exact[]; };
layout(set = 0, binding = 4) writeonly buffer Near { double near[]; };
layout(set = 0, binding = 5) writeonly buffer Counts { ivec4 counts[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    double a = in_a[i], b = in_b[i];
    uint at = i * 16u;
    exact[at++] = a / b;
    exact[at++] = b / a;
    exact[at++] = 1.0lf / b;
    exact[at++] = a / 3.0lf;
    exact[at++] = sqrt(abs(a));
    exact[at++] = sqrt(abs(b) * 1e-300lf);
    exact[at++] = floor(a / 8.0lf);
    exact[at++] = ceil(a / 8.0lf);
    exact[at++] = round(a * 0.37lf);
    exact[at++] = step(a, b);
    exact[at++] = ldexp(a, int(i) - 20);
    int power;
    exact[at++] = frexp(a * b, power);
    double whole;
    exact[at++] = modf(a, whole);
    exact[at++] = whole;
    exact[at++] = clamp(a, -abs(b), abs(b));
    exact[at++] = isnan(a / 0.0lf) || isinf(b / 0.0lf) ? 1.0lf : 2.0lf;

    at = i * 16u;
    near[at++] = inversesqrt(abs(b));
    double n = clamp(a, -1000.0lf, 1000.0lf), d = clamp(b, 0.15625lf, 60.0lf);
    near[at++] = mod(n, d);
    near[at++] = mod(n, -d);
    near[at++] = smoothstep(-60.0lf, 60.0lf, b);
    near[at++] = mix(a, b, 0.25lf);
    dvec3 v = dvec3(b, b * 0.5lf, 2.0lf);
    near[at++] = length(v);
    near[at++] = normalize(v).y;
    near[at++] = distance(v, v.zxy);
    near[at++] = cross(v, dvec3(1.0lf, 2.0lf, b)).x;
    near[at++] = reflect(v, dvec3(0.0lf, 1.0lf, 0.0lf)).y;
    near[at++] = faceforward(v, v.yzx, v).x;
    near[at++] = fract(b);
    near[at++] = max(a / b, b / a);
    near[at++] = a / (b * b + 1.0lf);
    dvec4 q = dvec4(a, b, 1.5lf, -2.0lf) / dvec4(b, a, 3.0lf, 7.0lf);
    near[at++] = q.x + q.y;
    near[at++] = q.z * q.w;
    counts[i] = ivec4(power, int(a / b > 0.0lf), int(sqrt(b) > 1.0lf), int(b / abs(a) < 1.0lf));
}
