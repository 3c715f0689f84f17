//! dispatch 2 2 1
//! push = u32 32 32 48
//! buffer 0.0 = f32 1536 * uniform -1 1
//! buffer 0.1 = f32 1536 * uniform -1 1
//! buffer 0.2 = zero 4096
//! compare 0.2 = f32 abs 4.8e-5
#version 450
// Tolerance: Products of at most 1 (half a unit: 2^-25) and partial sums that stay below 16 (2^-21), 48 of each,
// in both evaluations.
layout(local_size_x = 16, local_size_y = 16) in;
layout(push_constant) uniform Push { uint rows, columns, inner; };
layout(set = 0, binding = 0) readonly buffer A { float a[]; };
layout(set = 0, binding = 1) readonly buffer B { float b[]; };
layout(set = 0, binding = 2) writeonly buffer C { float c[]; };
shared float tile_a[16][16];
shared float tile_b[16][16];

void main() {
    uvec2 local = gl_LocalInvocationID.xy;
    uvec2 global = gl_GlobalInvocationID.xy;
    float sum = 0.0;
    for (uint t = 0; t < inner; t += 16) {
        tile_a[local.y][local.x] = a[global.y * inner + t + local.x];
        tile_b[local.y][local.x] = b[(t + local.y) * columns + global.x];
        barrier();
        for (uint k = 0; k < 16; k++) sum += tile_a[local.y][k] * tile_b[k][local.x];
        barrier();
    }
    c[global.y * columns + global.x] = sum;
}
