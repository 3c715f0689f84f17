//! dispatch 2 1 1
//! spec 0 = u32 24
//! spec 1 = f32 0.75
//! spec 2 = u32 1
//! spec 4 = i32 -9
//! spec 5 = u32 6
//! buffer 0.0 = zero 1024
#version 450
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const float SCALE = 0.5;
layout(constant_id = 2) const bool FLAG = false;
layout(constant_id = 3) const int UNSET = 77;
layout(constant_id = 4) const int SIGNED = 4;
layout(constant_id = 5) const uint SIZE = 3;
const uint DOUBLE = SIZE * 2 + 1;
const int MIXED = FLAG ? SIGNED : UNSET;
layout(set = 0, binding = 0) writeonly buffer Out { float result[]; };
shared float row[SIZE];

void main() {
    uint i = gl_GlobalInvocationID.x, at = i * 5;
    float local[DOUBLE];
    for (uint k = 0; k < DOUBLE; k++) local[k] = float(k) * SCALE;
    if (gl_LocalInvocationIndex < SIZE) row[gl_LocalInvocationIndex] = float(gl_LocalInvocationIndex) + SCALE;
    barrier();
    result[at++] = local[i % DOUBLE];
    result[at++] = FLAG ? SCALE : -SCALE;
    result[at++] = float(UNSET + SIGNED);
    result[at++] = float(MIXED) + row[i % SIZE];
    result[at++] = float(gl_WorkGroupSize.x * 100 + DOUBLE + row.length());
}
