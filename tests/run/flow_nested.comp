//! dispatch 2 1 1
//! buffer 0.0 = u32 64 * bits
//! buffer 0.1 = zero 256
#version 450
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) readonly buffer In { uint source[]; };
layout(set = 0, binding = 1) writeonly buffer Out { uint result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x, seed = source[id], sum = 0;
    for (uint a = 0; a < (seed & 7); a++) {
        for (uint b = a; b < 9; b++) {
            if (((seed >> b) & 1) == 0) {
                if (b == 6) break;
                sum += 1;
                continue;
            }
            for (uint c = 0; c < 4; c++) {
                if (c == (seed & 3)) continue;
                if (((seed >> (b + c)) & 3) == 3) break;
                if (sum > 200) {
                    result[id] = sum | 0x10000;
                    return;
                }
                sum += b * c;
            }
            if (sum % 11 == 10) break;
        }
        sum = sum * 3 + a;
        if (sum % 7 == 3) continue;
        sum ^= 5;
    }
    result[id] = sum;
}
