//! dispatch 1 1 1
//! scratch 1600
//! buffer 0.0 = u32 16 * bits
//! buffer 0.1 = zero 64
#version 450
// A large array in a structure, returned from a function at two places.
layout(local_size_x = 16) in;
struct Part { uint head; uint data[130]; };
layout(set = 0, binding = 0) readonly buffer In { uint source[]; };
layout(set = 0, binding = 1) writeonly buffer Out { uint result[]; };

Part made(uint n) {
    Part part;
    part.head = n;
    for (uint i = 0; i < 130; i++) part.data[i] = i ^ n;
    if ((n & 2) == 0) return part;
    part.data[n % 130] = 99;
    return part;
}

void main() {
    uint id = gl_LocalInvocationIndex, n = source[id];
    Part part = made(n);
    uint sum = part.head;
    for (uint i = 0; i < 130; i++) sum = sum * 31 + part.data[i];
    result[id] = sum;
}
