//! dispatch 1 1 1
//! buffer 0.0 = f32 64 * edges
//! buffer 0.1 = f32 64 * fill 0; f32 8 1 -1 0 0 2.5 1e30 -1e30 3
//! buffer 0.2 = zero 8192
//! compare 0.2 = u32
#version 450
// What comparisons, minima and classification make of infinities, zeros and NaNs. NaNs are made
// and used at run time only, and results are integers: a NaN's own bits are nobody's promise.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer A { float in_a[]; };
layout(set = 0, binding = 1) readonly buffer B { float in_b[]; };
layout(set = 0, binding = 2) writeonly buffer Out { uint result[]; };

uint compare(float a, float b) {
    return uint(a < b) | uint(a <= b) << 1 | uint(a > b) << 2 | uint(a >= b) << 3
         | uint(a == b) << 4 | uint(a != b) << 5 | uint(!(a < b)) << 6 | uint(!(a >= b)) << 7;
}

void main() {
    uint i = gl_GlobalInvocationID.x, at = i * 8;
    float a = in_a[i], b = in_a[(i * 7 + 3) & 63], zero = in_b[i];
    result[at++] = compare(a, b);
    result[at++] = compare(a, -a);
    result[at++] = uint(isinf(a)) | uint(isnan(a)) << 1 | uint(isinf(-a)) << 2;
    result[at++] = compare(a, zero) | compare(zero, b) << 8;
    result[at++] = uint(min(a, b) == b) | uint(max(a, b) == a) << 1;
    result[at++] = compare(clamp(a, -2.0, 2.0), 1.0);
    result[at++] = uint(sign(a) == 0.0) | uint(sign(a) > 0.0) << 1;
    result[at++] = uint(a != 0.0 && b != 0.0) | uint(a == 0.0 || b == 0.0) << 1;
}
