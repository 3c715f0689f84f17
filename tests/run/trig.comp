//! dispatch 2 1 1
//! buffer 0.0 = f32 128 * uniform -3.14159 3.14159
//! buffer 0.1 = f32 128 * uniform -1 1
//! buffer 0.2 = zero 8192
//! compare 0.2 = f32 rel 2e-3 abs 2e-3
#version 450
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
