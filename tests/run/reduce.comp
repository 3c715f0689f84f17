//! dispatch 4 1 1
//! buffer 0.0 = i32 1024 * bits
//! buffer 0.1 = zero 64
#version 450
layout(local_size_x = 128) in;
layout(set = 0, binding = 0) readonly buffer In { int data[]; };
layout(set = 0, binding = 1) buffer Out { ivec4 result[]; };
shared ivec4 partial[128];

void main() {
    uint i = gl_LocalInvocationID.x;
    int a = data[gl_WorkGroupID.x * 256 + i];
    int b = data[gl_WorkGroupID.x * 256 + 128 + i];
    partial[i] = ivec4(a + b, min(a, b), max(a, b), a ^ b);
    barrier();
    for (uint n = 64; n > 0; n >>= 1) {
        if (i < n) {
            ivec4 p = partial[i], q = partial[i + n];
            partial[i] = ivec4(p.x + q.x, min(p.y, q.y), max(p.z, q.z), p.w ^ q.w);
        }
        barrier();
    }
    if (i == 0) result[gl_WorkGroupID.x] = partial[0];
}
