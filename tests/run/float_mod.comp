//! dispatch 1 1 1
//! buffer 0.0 = f32 2.25 7.75 -2.25 -7.75 100.5 -100.5 0.125 -0.125 3.5 5.5 9.25 -9.25 33.5 -33.5 1.75 -1.75
//! buffer 0.1 = f32 1.5 2.5 1.5 2.5 7.5 7.5 0.5 0.5 -1.25 -2.25 -3.5 3.75 -8.25 4.25 0.75 0.75
//! buffer 0.2 = zero 512
//! compare 0.2 = f32
#version 450
// Tolerance: Exact: quotients are no whole numbers nor near one, products with whole numbers are not rounded.
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) readonly buffer A { float in_a[]; };
layout(set = 0, binding = 1) readonly buffer B { float in_b[]; };
layout(set = 0, binding = 2) writeonly buffer Out { float result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    float a = in_a[i], b = in_b[i];
    float whole, part = modf(a, whole);
    int power;
    float mantissa = frexp(b, power);
    uint at = i * 8;
    result[at++] = mod(a, b);
    result[at++] = part;
    result[at++] = whole;
    result[at++] = mantissa;
    result[at++] = float(power);
    result[at++] = ldexp(a, int(i) - 8);
    result[at++] = mod(a, 4.0);
    result[at++] = ldexp(mantissa, power);
}
