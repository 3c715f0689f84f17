//! dispatch 1 1 1
//! scratch 16000
//! buffer 0.0 = u32 16 * bits
//! buffer 0.1 = zero 128
//! buffer 0.2 = u32 1024 * bits
//! uniform 0.3 = u32 520 * bits
#version 450
// Arrays as values: in structures, returned, exchanged, from and to buffers and shared memory, rows of arrays.
layout(local_size_x = 16) in;
struct Part { uint head; uint data[130]; vec3 points[2]; };
layout(set = 0, binding = 0) readonly buffer In { uint source[]; };
layout(set = 0, binding = 1) writeonly buffer Out { uvec2 result[]; };
layout(std430, set = 0, binding = 2) buffer Both { uint first[160], second[160], third[160], fourth[160]; };
layout(std140, set = 0, binding = 3) uniform Constants { uvec4 fixed_[130]; };
shared uint pool[160];

uint[160] made(uint n) {
    uint a[160];
    for (uint i = 0; i < 160; i++) a[i] = i ^ n;
    if ((n & 2) == 0) return a;
    a[n % 160] = 99;
    uint b[160] = a;
    b[(n >> 8) % 160] += a[(n >> 9) % 160];
    return b;
}

void main() {
    uint id = gl_LocalInvocationIndex, n = source[id];
    Part parts[3];
    for (uint k = 0; k < 3; k++) {
        parts[k].head = k + n;
        for (uint i = 0; i < 130; i++) parts[k].data[i] = i * n + k;
        parts[k].points[0] = vec3(k);
        parts[k].points[1] = vec3(n & 255);
    }
    Part other = parts[n % 3];
    other.data[n % 130] = 5;
    parts[(n >> 2) % 3] = other;
    other.head += 1;
    parts[1] = (n & 4) == 0 ? other : parts[2];
    uint sum = other.head;
    for (uint k = 0; k < 3; k++) {
        sum = sum * 17 + parts[k].head + uint(parts[k].points[1].y + parts[k].points[0].x);
        for (uint i = 0; i < 130; i++) sum = sum * 31 + parts[k].data[i];
    }

    uint a[160] = made(n), b[160] = made(n >> 1), t[160];
    t = a;
    a = b;
    b = t;
    uint rows[3][160];
    rows[0] = a;
    rows[1] = b;
    rows[2] = rows[n & 1];
    rows[(n >> 3) % 3][n % 160] = 1;
    rows[n & 1] = rows[(n >> 4) % 3];

    if (id == 0) {
        pool = first;
        second = rows[2];
        third = fourth;
    }
    barrier();
    a = pool;
    a[n % 160] += 1;
    uvec4 c[130] = fixed_;
    c[n % 130].y += 3;
    uint more = 0;
    for (uint i = 0; i < 160; i++) {
        more = more * 31 + rows[0][i] + 3 * rows[1][i] + 5 * rows[2][i] + 7 * a[i] + t[i];
        more += c[i % 130].x ^ c[i % 130].y;
    }
    result[id] = uvec2(sum, more);
}
