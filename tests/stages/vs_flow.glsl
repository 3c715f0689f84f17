//! draw 20
//! attribute 0 = i32 2: 40 * iota 0 3
//! attribute 1 = f32 4: 80 * uniform -1 1
//! output 0 = 4 * f32
//! output 1 = 2 * i32
// Branches, loops and switches in which vertices part.

//@ vertex
#version 450
layout(location = 0) in ivec2 n;
layout(location = 1) in vec4 v;
layout(location = 0) out vec4 x;
layout(location = 1) out flat ivec2 y;
int collatz(int n) {
    int steps = 0;
    while (n != 1) {
        if ((n & 1) == 0) n /= 2; else n = 3 * n + 1;
        if (++steps > 50) return -steps;
    }
    return steps;
}
void main() {
    x = v;
    int total = 0;
    for (int i = 0; i < n.x; ++i) {
        if ((i & 3) == 1) continue;
        if (i > 20 + (n.y & 7)) break;
        for (int j = i; j > 0; j -= 3) {
            total += j ^ n.y;
            if (total > 400) break;
        }
        x.xy += vec2(0.5, -0.25);
    }
    switch (n.x & 3) {
        case 0: x.z = 1.0; break;
        case 1: x.z = 2.0;
        case 2: x.w *= 4.0; break;
        default: if (v.x > 0.0) x = x.wzyx; else x.x = -8.0;
    }
    y = ivec2(total, collatz(n.y + 1));
    gl_Position = x;
}
