//! dispatch 1 1 1
//! buffer 0.0 = u32 16 * bits
//! buffer 0.1 = zero 64
#version 450
// The smallest array that is copied in memory, in the scratch memory of a thread of Ivy Bridge.
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) readonly buffer In { uint source[]; };
layout(set = 0, binding = 1) writeonly buffer Out { uint result[]; };

void main() {
    uint a[129], b[129];
    uint id = gl_LocalInvocationIndex, n = source[id];
    for (uint i = 0; i < 129; i++) a[i] = i * n;
    b = a;
    b[(n >> 3) % 129] += 5;
    a[(n >> 5) % 129] = 9;
    if ((n & 1) == 0) a = b;
    b[(n >> 7) % 129] = 11;
    uint sum = 0;
    for (uint i = 0; i < 129; i++) sum = sum * 31 + b[i] - 3 * a[i];
    result[id] = sum;
}
