//! dispatch 1 1 1
//! scratch 2400
//! buffer 0.0 = u32 8 * bits
//! buffer 0.1 = zero 64
#version 450
// Arrays larger than the register file, copied whole: the copy keeps what the source held then.
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) readonly buffer In { uint source[]; };
layout(set = 0, binding = 1) writeonly buffer Out { uvec2 result[]; };
const uint SIZE = 150;

uint changed(uint a[SIZE], uint n) {
    a[n % SIZE] += 3;
    a[(n >> 4) % SIZE] ^= 0x55;
    uint sum = 0;
    for (uint i = 0; i < SIZE; i += 3) sum = sum * 31 + a[i];
    return sum;
}

void main() {
    uint a[SIZE], b[SIZE];
    uint id = gl_LocalInvocationIndex, n = source[id];
    for (uint i = 0; i < SIZE; i++) a[i] = i * n;
    a[n % SIZE] = 7;
    b = a;
    b[(n >> 3) % SIZE] += 5;
    a[(n >> 5) % SIZE] = 9;
    if ((n & 1) == 0) {
        a = b;
        b[(n >> 7) % SIZE] = 11;
    }
    uint sum = 0;
    for (uint i = 0; i < SIZE; i++) sum = sum * 31 + b[i] - 3 * a[i];
    result[id] = uvec2(sum, changed(a, n) ^ changed(b, n + 1));
}
