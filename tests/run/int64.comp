//! dispatch 2 1 1
//! buffer 0.0 = i64 48 * bits; i64 0 1 -1 2 -2 9223372036854775807 -9223372036854775808 4294967296 4294967295 -4294967296 3 5 7 -7 1000000007 10
//! buffer 0.1 = i64 40 * bits; i64 24 * edges
//! buffer 0.2 = zero 20480
//! buffer 0.3 = f32 32 * uniform -1e9 1e9; f32 16 * uniform -9e18 9e18; f32 16 * uniform -1 1
//! buffer 0.4 = zero 1024
//! compare 0.4 = f32
// Integers of 64 bits: arithmetic, division, shifts, comparisons, conversions.
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) readonly buffer A { int64_t in_a[]; };
layout(set = 0, binding = 1) readonly buffer B { int64_t in_b[]; };
layout(set = 0, binding = 2) writeonly buffer Out { int64_t result[]; };
layout(set = 0, binding = 3) readonly buffer F { float in_f[]; };
layout(set = 0, binding = 4) writeonly buffer G { float floats[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    int64_t a = in_a[i], b = in_b[i];
    uint64_t ua = uint64_t(a), ub = uint64_t(b);
    uint at = i * 40u, s = uint(b) & 63u;
    result[at++] = a + b;
    result[at++] = a - b;
    result[at++] = a * b;
    result[at++] = -a;
    result[at++] = ~a & b;
    result[at++] = a | b;
    result[at++] = a ^ b;
    result[at++] = a << s;
    result[at++] = a >> s;
    result[at++] = int64_t(ua >> s);
    result[at++] = a << (i & 31u);
    result[at++] = a >> 32;
    result[at++] = abs(a);
    result[at++] = sign(b);
    result[at++] = min(a, b);
    result[at++] = max(a, b);
    result[at++] = int64_t(min(ua, ub));
    result[at++] = int64_t(max(ua, ub));
    result[at++] = int64_t(a < b) | int64_t(a <= b) << 1 | int64_t(a > b) << 2 | int64_t(a >= b) << 3
                 | int64_t(a == b) << 4 | int64_t(a != b) << 5;
    result[at++] = int64_t(ua < ub) | int64_t(ua <= ub) << 1 | int64_t(ua > ub) << 2 | int64_t(ua >= ub) << 3;
    result[at++] = a < b ? a : b;
    result[at++] = int64_t(int(a)) + int64_t(uint(b));
    result[at++] = int64_t(uint64_t(uint(a)) * uint64_t(uint(b)));
    result[at++] = int64_t(int(a)) * int64_t(int(b));
    uint64_t divisor = ub == 0ul ? 3ul : ub;
    result[at++] = int64_t(ua / divisor);
    result[at++] = int64_t(ua % divisor);
    // The least number by -1 overflows, and has no defined quotient.
    int64_t signed_divisor = b == 0l || b == -1l ? 10l : b;
    result[at++] = a / signed_divisor;
    result[at++] = int64_t(ua / (uint64_t(uint(b)) | 1ul));
    result[at++] = a / 10l;
    result[at++] = int64_t(in_f[i]);
    result[at++] = int64_t(uint64_t(abs(in_f[i])));
    int64_t sum = a;
    for (uint n = 0u; n < (i & 15u); n++) {
        if ((sum & 1l) != 0l) sum = sum * 3l + 1l; else sum >>= 1;
        if (sum == 1l) break;
    }
    result[at++] = sum;
    floats[i * 4u] = float(a);
    floats[i * 4u + 1u] = float(ub);
    floats[i * 4u + 2u] = float(a >> (i & 63u));
    floats[i * 4u + 3u] = float(int64_t(in_f[i]));
}
