//! dispatch 1 1 1
//! buffer 0.0 = u32 0xfffffff0 0 0 0 0xffffffff 0xffffffff 0xffffffff 0xffffffff 0 0 0 0
//! buffer 0.1 = u32 128 * bits
//! buffer 0.2 = zero 512
// Operations on numbers of 64 bits in a buffer, for compute and fragment shaders.
#version 450
#extension GL_EXT_shader_atomic_int64 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Cells { uint64_t sum, bits_or, bits_and, least, most, parity; };
layout(set = 0, binding = 1) buffer Own { uint64_t own[64]; };
layout(set = 0, binding = 2) writeonly buffer Old { uint64_t old[64]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    uint64_t n = own[i];
    atomicAdd(sum, n);
    atomicOr(bits_or, n & 0x0f0f0f0f0f0f0f0ful);
    atomicAnd(bits_and, n | 0xfffffffffffffff0ul);
    atomicMin(least, n);
    atomicMax(most, n);
    atomicXor(parity, n);
    uint64_t mine = 0ul;
    if (i % 3u != 1u) {
        mine = atomicExchange(own[i], n * 5ul);
        mine = mine * 7ul + atomicCompSwap(own[i], n * 5ul, n + 1ul);
    }
    old[i] = mine;
}
