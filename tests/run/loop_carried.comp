//! dispatch 2 1 1
//! buffer 0.0 = u32 64 * uniform 1 60
//! buffer 0.1 = zero 512
#version 450
// Values that cross loop iterations in every way: kept, shifted, merged from break and continue.
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) readonly buffer In { uint source[]; };
layout(set = 0, binding = 1) writeonly buffer Out { uvec2 result[]; };

void main() {
    uint id = gl_GlobalInvocationID.x, n = source[id];
    uint a = 0, b = 1, c = 2, found = 0xffffffffu, kept = n;
    for (uint i = 0; i < n; i++) {
        uint next = a + b;
        a = b; b = c; c = next;
        if ((next & 7) == 5) { found = i; if (i > 20) break; }
        if ((i & 1) == 1) { kept += i; continue; }
        uint inner = i;
        while (inner > 3) { inner = inner / 2 - 1; kept ^= inner; }
    }
    result[id] = uvec2(a ^ (b << 8) ^ (c << 16), found + kept * 100);
}
