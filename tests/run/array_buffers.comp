//! dispatch 1 1 1
//! scratch 1540
//! buffer 0.0 = u32 16 * bits
//! buffer 0.1 = zero 64
//! buffer 0.2 = u32 390 * bits
#version 450
// Large arrays copied whole between buffers, shared and private memory.
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) readonly buffer In { uint source[]; };
layout(set = 0, binding = 1) writeonly buffer Out { uint result[]; };
layout(std430, set = 0, binding = 2) buffer Both { uint first[130], second[130], third[130]; };
shared uint pool[130];

void main() {
    uint id = gl_LocalInvocationIndex, n = source[id];
    if (id == 0) {
        pool = first;
        second = third;
    }
    barrier();
    uint a[130] = pool;
    a[n % 130] += 1;
    uint sum = 0;
    for (uint i = 0; i < 130; i++) sum = sum * 31 + 7 * a[i];
    if (id == 5) third = a;
    result[id] = sum;
}
