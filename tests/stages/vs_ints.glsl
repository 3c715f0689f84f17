//! draw 16
//! attribute 0 = u32 4: 64 * bits
//! attribute 1 = i32 4: 64 * bits
//! output 0 = 4 * u32
//! output 1 = 4 * i32
//! output 2 = 4 * u32
//! output 3 = 4 * i32
//! output 4 = 3 * u32
// Integers: shifts, bits, products, comparisons.

//@ vertex
#version 450
layout(location = 0) in uvec4 a;
layout(location = 1) in ivec4 b;
layout(location = 0) out flat uvec4 w;
layout(location = 1) out flat ivec4 x;
layout(location = 2) out flat uvec4 y;
layout(location = 3) out flat ivec4 z;
layout(location = 4) out flat uvec3 u;
void main() {
    w = (a << (a.wzyx & 31u)) ^ (a >> 3) | ~a.yxwz;
    x = (b >> (b.yxwz & 31)) - b * ivec4(3, -5, 7, -9);
    y = uvec4(bitCount(a.x), findLSB(a.y), findMSB(a.z), bitfieldReverse(a.w));
    z = ivec4(bitfieldExtract(b.x, 5, 11), bitfieldInsert(b.y, b.z, 8, 8), min(b.z, b.w), max(abs(b.w), 3));
    uint high, low, carry;
    umulExtended(a.x, a.y, high, low);
    uint sum = uaddCarry(a.z, a.w, carry);
    u = uvec3(high + low, sum, carry);
    bvec4 less = lessThan(b, ivec4(a));
    z += ivec4(less);
    gl_Position = vec4(b.x > b.y ? 1.0 : 2.0);
}
