//! dispatch 2 1 1
//! buffer 0.0 = i32 64 * iota -8 1
//! buffer 0.1 = zero 1024
#version 450
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) readonly buffer In { int source[]; };
layout(set = 0, binding = 1) writeonly buffer Out { int result[]; };

int choose(int n) {
    switch (n) {
        case -1: return 11;
        case 0:
        case 1: return 22;
        case 2147483647: return 33;
        default: break;
        case 7: n += 100;
    }
    return n * 2;
}

void main() {
    uint id = gl_GlobalInvocationID.x;
    int n = source[id], a = 1, b = 0;
    switch (n & 7) {
        case 0: a = 10;
        case 1: a += 5; break;
        case 2: { if (n > 10) break; a = 77; }
        case 3: a *= 3;
        default: a -= 1; break;
        case 5: a = -a; break;
    }
    for (int i = 0; i < 10; i++) {
        switch ((n + i) & 3) {
            case 0: continue;
            case 1: b += i; break;
            case 2: if (b > 12) { b = -b; i++; } break;
        }
        if (b < -20) break;
        b += 1;
    }
    result[id * 4] = a;
    result[id * 4 + 1] = b;
    result[id * 4 + 2] = choose(n);
    int c = 0;
    switch (int(id)) { default: c = 3; }
    result[id * 4 + 3] = c;
}
