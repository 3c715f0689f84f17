//! draw 16
//! attribute 0 = u32 4: 64 * bits
//! attribute 1 = i32 4: 64 * uniform -1000 1000
//! output 0 = 4 * u32
//! output 1 = 4 * i32
//! output 2 = 4 * i32
//! output 3 = 2 * u32
// Quotients and remainders, by constants and by what only the run knows.

//@ vertex
#version 450
layout(location = 0) in uvec4 a;
layout(location = 1) in ivec4 b;
layout(location = 0) out flat uvec4 w;
layout(location = 1) out flat ivec4 x;
layout(location = 2) out flat ivec4 y;
layout(location = 3) out flat uvec2 z;
void main() {
    w = uvec4(a.x / 7u, a.y % 10u, a.z / (a.w | 1u), a.w % (a.x >> 20 | 1u));
    ivec4 divisor = (b.wzyx & 63) + 1;
    x = b / divisor;
    y = abs(b) % divisor;
    z = a.xy / uvec2(16u, 641u);
    gl_Position = vec4(0.0);
}
