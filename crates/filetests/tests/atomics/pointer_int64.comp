//! dispatch 2 1 1
//! push = zero 8
//! buffer 0.0 = u64 0 0 18446744073709551615 0 18446744073709551615 0 4611686018427387904 5; u64 32 * bits
//! buffer 0.1 = zero 1024
//! address push:0 = 0.0
// 64-bit atomics behind a pointer.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_atomic_int64 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 32) in;
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Cells {
    uint64_t sum, ors, ands, xors, least, most, wide, swapped; uint64_t each[32];
};
layout(push_constant) uniform Push { Cells cells; };
layout(set = 0, binding = 1, std430) writeonly buffer Out { uint64_t result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    uint64_t x = uint64_t(i) * 0x123456789abcdul + 7ul;
    atomicAdd(cells.sum, x);
    atomicOr(cells.ors, x << 20);
    atomicAnd(cells.ands, ~x);
    atomicXor(cells.xors, x * x);
    atomicMin(cells.least, x);
    atomicMax(cells.most, x);
    atomicAdd(cells.wide, ~x);
    atomicCompSwap(cells.swapped, 5ul, 6ul);
    if (i < 32u) {
        result[i] = atomicExchange(cells.each[i], x);
        result[i + 32u] = atomicCompSwap(cells.each[i], x, ~x);
    }
}
