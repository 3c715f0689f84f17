//! dispatch 1 1 1
//! buffer 0.0 = u32 64 * bits
//! buffer 0.1 = zero 2048
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer In { uint source[]; };
layout(set = 0, binding = 1) writeonly buffer Out { uint result[]; };
const uint TABLE[16] = uint[](3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3);
struct Part { uint a[3]; uvec2 b; };
shared uvec4 lines[16];

void main() {
    uint id = gl_LocalInvocationIndex, n = source[id], at = id * 8;
    uint local[20];
    for (uint i = 0; i < 20; i++) local[i] = i * n;
    local[n % 20] = 12345;
    uvec4 v = uvec4(n, n >> 8, n >> 16, n >> 24);
    v[(n >> 3) & 3] = 7;
    mat4 m = mat4(1.0);
    m[n & 3][(n >> 2) & 3] += 2.0;
    Part parts[3];
    for (uint i = 0; i < 3; i++) { parts[i].a[0] = i; parts[i].a[1] = n + i; parts[i].a[2] = 5; parts[i].b = uvec2(i, n); }
    parts[n % 3].a[(n >> 4) % 3] = 99;
    parts[(n >> 6) % 3].b[(n >> 9) & 1] = 55;
    uint table[4][3];
    for (uint i = 0; i < 12; i++) table[i / 3][i % 3] = i * i;
    lines[id >> 2][id & 3] = n;
    barrier();
    result[at++] = TABLE[n & 15] + TABLE[(n >> 4) & 15] * 16;
    result[at++] = local[(n >> 5) % 20] ^ local[n % 20];
    result[at++] = v[n & 3] + v.y;
    result[at++] = uint(m[(n >> 1) & 3][(n >> 3) & 3] + m[n & 3].x);
    result[at++] = parts[(n >> 2) % 3].a[n % 3] + parts[1].b[n & 1];
    result[at++] = table[n & 3][(n >> 2) % 3];
    result[at++] = lines[(n >> 7) & 15][(n >> 11) & 3];
    result[at++] = v.wzyx[(n >> 1) & 3];
}
