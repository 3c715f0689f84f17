//! dispatch 2 1 1
//! push = i64 -3 9223372036854775807; u32 2147483648 4294967295
//! buffer 0.0 = i64 48 * bits; i64 0 1 -1 2 -2 9223372036854775807 -9223372036854775808 4294967296 4294967295 -4294967296 2147483648 -2147483648 2147483647 -7 1000000007 10
//! buffer 0.1 = u32 48 * bits; u32 0 1 4294967295 2147483648 2147483647 2 3 4294967294 5 6 7 8 9 10 11 12
//! buffer 0.2 = zero 16384
// Sums, differences and negations of 64 bits, of numbers extended from 32 bits, and of constants near the limits of 32 bits;
// for each invocation, and the same for all.
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 32) in;
layout(push_constant) uniform Push { int64_t p; int64_t q; int r; uint s; };
layout(set = 0, binding = 0) readonly buffer A { int64_t in_a[]; };
layout(set = 0, binding = 1) readonly buffer B { uint in_b[]; };
layout(set = 0, binding = 2) writeonly buffer Out { int64_t result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x, at = 32u * i, carry;
    int64_t a = in_a[i], b = in_a[63u - i];
    uint u = in_b[i], v = in_b[63u - i];
    int x = int(u), y = int(v);
    result[at++] = a + b;
    result[at++] = a - b;
    result[at++] = -a + b;
    result[at++] = -(a - b);
    result[at++] = int64_t(x) + int64_t(y);
    result[at++] = int64_t(uint64_t(u) + uint64_t(v));
    result[at++] = int64_t(x) + int64_t(uint64_t(v));
    result[at++] = a + int64_t(x);
    result[at++] = int64_t(uint64_t(u)) + a;
    result[at++] = a - int64_t(x);
    result[at++] = int64_t(x) - a;
    result[at++] = int64_t(x) + 5l;
    result[at++] = 2147483648l - int64_t(x);
    result[at++] = a + 2147483647l;
    result[at++] = a + 2147483648l;
    result[at++] = a - 2147483648l;
    result[at++] = a - (-2147483648l);
    result[at++] = a + (-2147483649l);
    uint low = uaddCarry(u, v, carry);
    result[at++] = a + int64_t(uint64_t(low)) + int64_t(uint64_t(carry));
    result[at++] = int64_t(a > b) + (a ^ int64_t(x));
    result[at++] = ((a + int64_t(y)) << 7) - (b >> 9);
    result[at++] = p + q;
    result[at++] = int64_t(r) + p;
    result[at++] = p - int64_t(uint64_t(s)) + int64_t(r);
    result[at++] = int64_t(r) + int64_t(uint64_t(s));
    result[at++] = a + p - int64_t(r);
    result[at++] = -p + a;
}
