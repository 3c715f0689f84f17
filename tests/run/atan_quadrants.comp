//! dispatch 1 1 1
//! buffer 0.0 = f32 0 1 0 -1 1 -1 1 -1 2 -2 1e10 -1e10 1e-10 -1e-10 0 5
//! buffer 0.1 = f32 1 0 -1 0 1 1 -1 -1 3 -3 1 1e10 1 -1e-10 -7 1e-20
//! buffer 0.2 = zero 64
//! compare 0.2 = f32 ulp 8192
#version 450
// Tolerance: atan: 4096 units in the last place.
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) readonly buffer A { float in_y[]; };
layout(set = 0, binding = 1) readonly buffer B { float in_x[]; };
layout(set = 0, binding = 2) writeonly buffer Out { float result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    result[i] = atan(in_y[i], in_x[i]);
}
