//! draw 16
//! attribute 0 = f32 4: 64 * uniform -1 1
//! attribute 1 = i32 4: 64 * uniform -3 3
//! output 0 = 4 * f32
//! output 1 = 4 * i32
//! output 2 = 4 * i32
// Vectors of booleans: any, all, not, selection, conditions of several vertices' own.

//@ vertex
#version 450
layout(location = 0) in vec4 a;
layout(location = 1) in ivec4 b;
layout(location = 0) out vec4 x;
layout(location = 1) out flat ivec4 y;
layout(location = 2) out flat ivec4 z;
void main() {
    bvec4 positive = greaterThan(a, vec4(0.0));
    bvec4 even = equal(b & 1, ivec4(0));
    x = mix(a, -a.wzyx, even);
    y = ivec4(any(positive), all(even.xy), any(not(positive.zw)), positive == even);
    z = ivec4(positive.x && even.y, positive.z || even.w, positive.y ^^ even.x, b.x != b.y);
    if (all(positive.xy) || any(even)) x.x = 5.0;
    else if (!positive.w) x.yz = vec2(6.0, 7.0);
    gl_Position = positive.x ? a : x;
}
