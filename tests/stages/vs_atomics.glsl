//! draw 24
//! buffer 0.0 = u32 0 0xffffffff 0 0 0 0 7 0
//! buffer 0.1 = zero 96
//! output 0 = u32
// Atomics from vertices, whose old values are tickets.

//@ vertex
#version 450
layout(set = 0, binding = 0) buffer Cells { uint count, low, high, bits, parity, sum, swap; int signed_; };
layout(set = 0, binding = 1) buffer Marks { uint marks[24]; };
layout(location = 0) out flat uint id;
void main() {
    uint n = uint(gl_VertexIndex) * 5u + 3u;
    uint ticket = atomicAdd(count, 1u);
    atomicAdd(marks[ticket % 24u], 1u);
    atomicMin(low, n);
    atomicMax(high, n);
    atomicOr(bits, 1u << (n & 31u));
    atomicXor(parity, n);
    atomicAdd(sum, n);
    atomicCompSwap(swap, 7u, 9u);
    atomicMin(signed_, -gl_VertexIndex);
    id = n;
    gl_Position = vec4(0.0);
}
