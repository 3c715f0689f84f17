//! dispatch 2 1 1
//! buffer 0.0 = u32 64 * uniform 0 64
//! buffer 0.1 = zero 256
#version 450
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) readonly buffer In { uint source[]; };
layout(set = 0, binding = 1) buffer Out { uint result[]; };

bool is_prime(uint n) {
    if (n < 2) return false;
    if (n < 4) return true;
    if ((n & 1) == 0) return false;
    for (uint d = 3; d * d <= n; d += 2)
        if (n % d == 0) return false;
    return true;
}

uint nested(uint n) {
    if (n < 32) {
        if (n < 16) {
            if (is_prime(n)) return 1;
        } else if (n < 24) return 2;
        for (uint k = 0; k < 3; k++) if (is_prime(n + k)) return 30 + k;
    }
    return is_prime(n) ? 4 : 5;
}

void main() {
    uint id = gl_GlobalInvocationID.x, n = source[id];
    result[id] = 1000;
    if (n == 7) return;
    result[id] = nested(n);
    if (n > 50) {
        if (is_prime(n)) return;
        result[id] += 500;
    }
    result[id] += uint(is_prime(id));
}
