//! draw 10
//! attribute 0 = u32 1: 10 * iota 3 7
//! buffer 0.0 = zero 16
//! buffer 0.1 = u32 64 * bits
//! output 0 = 2 * u32
// Buffers and atomics from a geometry shader.

//@ vertex
#version 450
layout(location = 0) in uint a;
layout(location = 0) out flat uint n;
void main() {
    n = a;
    gl_Position = vec4(0.0);
}

//@ geometry
#version 450
layout(points) in;
layout(points, max_vertices = 2) out;
layout(set = 0, binding = 0) buffer Sums { uint sum, most, count, spare; };
layout(set = 0, binding = 1) readonly buffer Table { uint table[64]; };
layout(location = 0) in flat uint n[];
layout(location = 0) out flat uvec2 x;
void main() {
    atomicAdd(sum, n[0]);
    atomicMax(most, n[0]);
    atomicAdd(count, 1u);
    x = uvec2(table[n[0] & 63u], n[0]);
    EmitVertex();
    if ((n[0] & 1u) == 1u) {
        x = uvec2(table[gl_PrimitiveIDIn], 1u);
        EmitVertex();
    }
}
