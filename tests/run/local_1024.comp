//! dispatch 1 1 1
//! buffer 0.0 = u32 1024 * bits
//! buffer 0.1 = zero 4096
//! simd 32
#version 450
// The largest workgroup that Vulkan promises on this hardware: only SIMD32 fits it in one slice.
layout(local_size_x = 1024) in;
layout(set = 0, binding = 0) readonly buffer In { uint source[]; };
layout(set = 0, binding = 1) writeonly buffer Out { uint result[]; };
shared uint cells[1024];

void main() {
    uint i = gl_LocalInvocationIndex;
    cells[i] = source[i];
    barrier();
    uint sum = cells[1023 - i];
    for (uint step = 1; step < 1024; step *= 2) sum = sum * 3 + cells[i ^ step];
    result[i] = sum;
}
