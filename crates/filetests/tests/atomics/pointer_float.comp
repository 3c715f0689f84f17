//! dispatch 2 1 1
//! push = zero 8
//! buffer 0.0 = f32 0 0; f32 32 * uniform -3 3
//! buffer 0.1 = zero 256
//! address push:0 = 0.0
// Minimum and maximum of floats behind a pointer.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_atomic_float2 : require
layout(local_size_x = 32) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Cells { float least, most; float each[32]; };
layout(push_constant) uniform Push { Cells cells; };
layout(set = 0, binding = 1, std430) writeonly buffer Out { float result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    float x = float(i) * 0.75 - 20.0;
    atomicMin(cells.least, x);
    atomicMax(cells.most, x);
    if (i < 32u) {
        result[i] = atomicMin(cells.each[i], x * 0.1);
        result[i + 32u] = atomicMax(cells.each[i], 1.0);
    }
}
