//! dispatch 2 1 1
//! buffer 0.0 = f32 128 * uniform -10 10
//! buffer 0.1 = f32 64 * uniform 0.001 2; f32 64 * uniform 2 10000
//! buffer 0.2 = zero 4096
//! compare 0.2 = 2 * f32 ulp 46; 2 * f32 ulp 6 abs 2^-20; f32 ulp 67; f32 ulp 268; f32 ulp 46; f32 abs 1.4e-5
#version 450
// Tolerance: exp and exp2: 3 + 2 |x| units, |x| <= 10. log and log2: 3 units, in [0.5, 2] an error of 2^-21.
// pow is exp2(y log2 x): log2 is wrong by 3 units of 13.3 at most (3 * 2^-20), times y (0.5; 2) and
// ln 2 that is a relative error of 17 (78) units, beside exp2's 16 (56). log2 of exp2: 23 units of
// relative error are 4e-6 in the logarithm, beside log2's own 3e-6.
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
