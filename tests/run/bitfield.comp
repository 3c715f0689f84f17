//! dispatch 2 1 1
//! buffer 0.0 = u32 128 * bits
//! buffer 0.1 = u32 128 * bits
//! buffer 0.2 = zero 8192
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer A { uint in_a[]; };
layout(set = 0, binding = 1) readonly buffer B { uint in_b[]; };
layout(set = 0, binding = 2) writeonly buffer Out { uint result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    uint a = in_a[i], b = in_b[i], at = i * 16;
    int offset = int(b & 31), bits = int((b >> 8) % uint(33 - offset));
    result[at++] = bitfieldExtract(a, offset, bits);
    result[at++] = uint(bitfieldExtract(int(a), offset, bits));
    result[at++] = bitfieldInsert(a, b, offset, bits);
    result[at++] = bitfieldExtract(a, 5, 11);
    result[at++] = uint(bitfieldExtract(int(a), 5, 11));
    result[at++] = bitfieldInsert(a, b, 7, 13);
    result[at++] = bitfieldExtract(a, offset, 0);
    result[at++] = bitfieldInsert(a, b, offset, 0);
    result[at++] = bitfieldExtract(a, 0, 32);
    result[at++] = bitfieldInsert(a, b, 0, 32);
    result[at++] = bitfieldReverse(a >> offset);
    result[at++] = bitCount(a & b);
    result[at++] = uint(findLSB(a << offset));
    result[at++] = uint(findMSB(a >> offset));
    result[at++] = uint(findMSB(int(a) >> offset));
    result[at++] = (a << offset) | (a >> ((32 - offset) & 31));
}
