//! dispatch 2 1 1
//! buffer 0.0 = u32 512 * bits
//! buffer 0.1 = zero 256
#version 450
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) readonly buffer In { uint source[]; };
layout(set = 0, binding = 1) writeonly buffer Out { uint result[]; };
shared uint table[256];

void main() {
    for (uint n = gl_LocalInvocationIndex; n < 256; n += 32) {
        uint c = n;
        for (int k = 0; k < 8; k++) c = (c & 1) != 0 ? 0xedb88320u ^ (c >> 1) : c >> 1;
        table[n] = c;
    }
    barrier();
    uint crc = 0xffffffffu, base = gl_GlobalInvocationID.x * 8;
    for (uint i = 0; i < 8; i++) {
        uint word = source[base + i];
        for (int b = 0; b < 4; b++) {
            crc = table[(crc ^ word) & 255] ^ (crc >> 8);
            word >>= 8;
        }
    }
    result[gl_GlobalInvocationID.x] = ~crc;
}
