//! dispatch 2 1 1
//! buffer 0.0 = u32 128 * bits
//! buffer 0.1 = u32 48 * uniform 1 20; u32 40 * bits; u32 40 * edges
//! buffer 0.2 = zero 6144
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer A { uint in_a[]; };
layout(set = 0, binding = 1) readonly buffer B { uint in_b[]; };
layout(set = 0, binding = 2) writeonly buffer Out { int result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    uint a = in_a[i], b = max(in_b[i], 1u);
    int sa = int(a), sb = int(b);
    // The one quotient that does not fit is undefined.
    if (sa == -2147483648 && sb == -1) sb = 3;
    uint at = i * 12;
    result[at++] = int(a / b);
    result[at++] = int(a % b);
    result[at++] = sa / sb;
    // % of a negative operand is undefined.
    result[at++] = (sa & 0x7fffffff) % max(sb & 0x7fffffff, 1);
    result[at++] = int(a / 7u);
    result[at++] = int(a % 1000u);
    result[at++] = sa / 16;
    result[at++] = sa / -3;
    result[at++] = int(a / 16u);
    result[at++] = int(a / 0x80000001u);
    result[at++] = int(1000000u / b);
    result[at++] = sa / 641;
}
