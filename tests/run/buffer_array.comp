//! dispatch 1 1 1
//! push = u32 1
//! buffer 0.0[0] = u32 32 * iota 0 1
//! buffer 0.0[1] = u32 32 * iota 100 2
//! buffer 0.0[2] = u32 32 * iota 1000 3
//! uniform 0.1[0] = u32 7 7 7 7
//! uniform 0.1[1] = u32 9 8 7 6
//! buffer 1.3 = zero 384
#version 450
layout(local_size_x = 32) in;
layout(push_constant) uniform Push { uint which; };
layout(set = 0, binding = 0) buffer In { uint data[]; } inputs[3];
layout(set = 0, binding = 1) uniform Table { uvec4 entries; } tables[2];
layout(set = 1, binding = 3) writeonly buffer Out { uint result[]; };

void main() {
    uint i = gl_LocalInvocationIndex;
    result[i * 3] = inputs[which].data[i] + inputs[2].data[i];
    result[i * 3 + 1] = tables[which].entries[i & 3] + tables[0].entries.x;
    result[i * 3 + 2] = inputs[which + 1].data.length();
    inputs[0].data[i] = inputs[which].data[31 - i] ^ 3;
}
