//! dispatch 2 1 1
//! buffer 0.0 = i32 128 * bits
//! buffer 0.1 = i32 96 * edges; i32 32 * bits
//! buffer 0.2 = zero 16384
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer A { int in_a[]; };
layout(set = 0, binding = 1) readonly buffer B { int in_b[]; };
layout(set = 0, binding = 2) writeonly buffer Out { int result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    int a = in_a[i], b = in_b[i];
    uint at = i * 32;
    result[at++] = a + b;
    result[at++] = a - b;
    result[at++] = a * b;
    result[at++] = -a;
    result[at++] = ~a;
    result[at++] = a & b;
    result[at++] = a | b;
    result[at++] = a ^ b;
    result[at++] = a << (b & 31);
    result[at++] = a >> (b & 31);
    result[at++] = int(uint(a) >> (b & 31));
    result[at++] = abs(a);
    result[at++] = sign(b);
    result[at++] = min(a, b);
    result[at++] = max(a, b);
    result[at++] = int(min(uint(a), uint(b)));
    result[at++] = int(max(uint(a), uint(b)));
    result[at++] = clamp(a, -1000, 1 << 20);
    result[at++] = int(clamp(uint(a), 1000u, 1u << 30));
    result[at++] = int(a < b) | int(a <= b) << 1 | int(a > b) << 2 | int(a >= b) << 3
                 | int(a == b) << 4 | int(a != b) << 5;
    result[at++] = int(uint(a) < uint(b)) | int(uint(a) <= uint(b)) << 1
                 | int(uint(a) > uint(b)) << 2 | int(uint(a) >= uint(b)) << 3;
    result[at++] = a < b ? a : b ^ 5;
    result[at++] = (a & 1) != 0 && b > 0 || a < -5 ? 1 : 2;
    result[at++] = bitCount(a);
    result[at++] = bitfieldReverse(a);
    result[at++] = findLSB(a);
    result[at++] = findMSB(a);
    result[at++] = findMSB(uint(a));
    result[at++] = findLSB(b);
    result[at++] = findMSB(b);
    result[at++] = findMSB(uint(b));
    result[at++] = (a < b) != (b < 0) ? 3 : 4;
}
