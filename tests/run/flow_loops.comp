//! dispatch 2 1 1
//! buffer 0.0 = u32 64 * uniform 0 40
//! buffer 0.1 = zero 1024
#version 450
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) readonly buffer In { uint source[]; };
layout(set = 0, binding = 1) writeonly buffer Out { uint result[]; };

uint find(uint limit) {
    for (uint i = 0; ; i++) {
        if (i * i > limit) return i;
        if (i == 5 && (limit & 1) == 1) return 100 + i;
    }
}

void main() {
    uint id = gl_GlobalInvocationID.x, n = source[id];
    uint sum = 0;
    for (uint i = 0; i < n; i++) {
        if ((i & 3) == 2) continue;
        if (i > 30) break;
        sum += i;
    }
    uint steps = 0, x = n + 1;
    while (x != 1) {
        x = (x & 1) == 0 ? x / 2 : 3 * x + 1;
        steps++;
    }
    uint digits = 0, rest = n * 12345;
    do {
        digits += rest % 10;
        rest /= 10;
        if (rest == 7) continue;
        digits ^= 1;
    } while (rest != 0);
    result[id * 4] = sum;
    result[id * 4 + 1] = steps;
    result[id * 4 + 2] = digits;
    result[id * 4 + 3] = find(n);
}
