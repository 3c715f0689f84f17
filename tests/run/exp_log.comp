//! dispatch 2 1 1
//! buffer 0.0 = f32 128 * uniform -10 10
//! buffer 0.1 = f32 64 * uniform 0.001 2; f32 64 * uniform 2 10000
//! buffer 0.2 = zero 4096
//! compare 0.2 = f32 rel 1e-5 abs 2e-6
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer A { float in_a[]; };
layout(set = 0, binding = 1) readonly buffer B { float in_b[]; };
layout(set = 0, binding = 2) writeonly buffer Out { float result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    float a = in_a[i], b = in_b[i];
    uint at = i * 8;
    result[at++] = exp(a);
    result[at++] = exp2(a);
    result[at++] = log(b);
    result[at++] = log2(b);
    result[at++] = pow(b, 0.5);
    result[at++] = pow(b, a * 0.2);
    result[at++] = exp2(floor(a));
    result[at++] = log2(exp2(trunc(a)));
}
