//! dispatch 2 1 1
//! buffer 0.0 = u32 64 * bits; u32 64 * edges
//! buffer 0.1 = u32 60 * edges; u32 68 * bits
//! buffer 0.2 = zero 8192
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer A { uint in_a[]; };
layout(set = 0, binding = 1) readonly buffer B { uint in_b[]; };
layout(set = 0, binding = 2) writeonly buffer Out { uint result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    uint a = in_a[i], b = in_b[i], at = i * 16;
    uint carry, borrow, high, low;
    result[at++] = uaddCarry(a, b, carry);
    result[at++] = carry;
    result[at++] = usubBorrow(a, b, borrow);
    result[at++] = borrow;
    umulExtended(a, b, high, low);
    result[at++] = high;
    result[at++] = low;
    int shigh, slow;
    imulExtended(int(a), int(b), shigh, slow);
    result[at++] = uint(shigh);
    result[at++] = uint(slow);
    uvec2 sum = uvec2(uaddCarry(a, b, carry), 0);
    sum.y = b + a + carry;
    result[at++] = sum.x;
    result[at++] = sum.y;
    uvec3 h3, l3;
    umulExtended(uvec3(a, b, a), uvec3(b, b, 0x10001), h3, l3);
    result[at++] = h3.x ^ l3.y;
    result[at++] = h3.y;
    result[at++] = h3.z;
    result[at++] = l3.z;
}
