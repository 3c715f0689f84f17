//! dispatch 2 1 1
//! buffer 0.0 = f32 128 * uniform -50 50
//! buffer 0.1 = f32 128 * uniform 0.01 20
//! buffer 0.2 = zero 4096
//! compare 0.2 = 2 * f32 ulp 5; f32 ulp 9; f32 ulp 4; f32 ulp 5; f32 ulp 2 abs 2^-24; f32 ulp 5; f32 ulp 23
#version 450
// Tolerance: Division: 2.5 units; inversesqrt: 2; sqrt, which is 1 / inversesqrt: 4.5. fma may be one rounding
// or two: half a unit of the product, which near -0.5, where the sum cancels, is 2^-25.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer A { float in_a[]; };
layout(set = 0, binding = 1) readonly buffer B { float in_b[]; };
layout(set = 0, binding = 2) writeonly buffer Out { float result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    float a = in_a[i], b = in_b[i];
    uint at = i * 8;
    result[at++] = a / b;
    result[at++] = 1.0 / b;
    result[at++] = sqrt(b);
    result[at++] = inversesqrt(b);
    result[at++] = a / 3.0;
    result[at++] = fma(a, b, 0.5);
    result[at++] = a / -b;
    result[at++] = sqrt(abs(a)) / sqrt(b);
}
