//! dispatch 16 1 1
//! also chv
//! simd 8 16
//! buffer 0.1 = f64 512 * bits; f64 256 * uniform -2 2; f64 256 * uniform 1e-310 1e-307
//! buffer 0.2 = f64 512 * bits; f64 512 * uniform 1 4
//! buffer 0.3 = zero 40960
//! compare 0.3 = u32
// Quotients and roots of any bits, to the last one. NaN is counted, since its bits are free.
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 1) readonly buffer A { double in_a[]; };
layout(set = 0, binding = 2) readonly buffer B { double in_b[]; };
layout(set = 0, binding = 3) writeonly buffer Out { uvec2 result[]; };

uvec2 bits(double x) { return isnan(x) ? uvec2(7u, 7u) : unpackDouble2x32(x); }

void main() {
    uint i = gl_GlobalInvocationID.x;
    double a = in_a[i], b = in_b[i];
    result[i * 5u] = bits(a / b);
    result[i * 5u + 1u] = bits(1.0lf / a);
    result[i * 5u + 2u] = bits(sqrt(a));
    result[i * 5u + 3u] = bits(sqrt(b));
    result[i * 5u + 4u] = bits(trunc(b * 3.0lf) - roundEven(a));
}
