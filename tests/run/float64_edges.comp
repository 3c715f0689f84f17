//! dispatch 1 1 1
//! also chv
//! simd 8 16
//! buffer 0.1 = f64 0 -0.0 1 -1 5e-324 -5e-324 2.2250738585072014e-308 1.7976931348623157e308 -1.7976931348623157e308 inf -inf nan 3 1e-310 -1e-310 4.450147717014403e-308
//! buffer 0.2 = zero 16384
//! buffer 0.3 = zero 8192
//! compare 0.2 = u32
//! compare 0.3 = u32
// Doubles at the ends of their range, every pair: denormals, infinities, signed zeros. NaN is counted, since its bits are
// free.
#version 450
layout(local_size_x = 16, local_size_y = 16) in;
layout(set = 0, binding = 1) readonly buffer A { double numbers[16]; };
layout(set = 0, binding = 2) writeonly buffer Out { uvec2 result[]; };
layout(set = 0, binding = 3) writeonly buffer Single { uvec2 single[]; };

uvec2 bits(double x) { return isnan(x) ? uvec2(7u, 7u) : unpackDouble2x32(x); }

void main() {
    double a = numbers[gl_LocalInvocationID.x], b = numbers[gl_LocalInvocationID.y];
    uint at = gl_LocalInvocationIndex * 8u;
    result[at++] = bits(a / b);
    result[at++] = bits(a * b);
    result[at++] = bits(a + b);
    result[at++] = bits(sqrt(a) / b);
    result[at++] = bits(packDouble2x32(uvec2(gl_LocalInvocationIndex, 0x3ff00000u)) / b);
    result[at++] = uvec2(a < b, a >= b);
    result[at++] = uvec2(a == b, a != b);
    result[at++] = bits(ldexp(b, int(gl_LocalInvocationID.x) * 17 - 130));
    if (gl_LocalInvocationID.y == 0u) {
        at = gl_LocalInvocationID.x * 8u;
        single[at++] = bits(sqrt(a));
        single[at++] = bits(trunc(a));
        single[at++] = bits(floor(a));
        single[at++] = bits(ceil(a));
        single[at++] = bits(roundEven(a));
        single[at++] = bits(abs(a));
        single[at++] = bits(-a);
        single[at++] = bits(1.0lf / a);
    }
}
