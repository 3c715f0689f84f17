//! draw 16
//! attribute 0 = u32 1: 16 * iota 0 7
//! buffer 0.0 = u32 64 * bits
//! buffer 0.1 = zero 256
//! buffer 1.0 = f32 16 * uniform -1 1
//! output 0 = 4 * u32
//! output position = 4 * f32
// Storage buffers read and written by vertices: scalars, vectors, dynamic addresses.

//@ vertex
#version 450
layout(set = 0, binding = 0) readonly buffer Source { uint source[]; };
layout(set = 0, binding = 1) buffer Result { uvec4 result[16]; };
layout(set = 1, binding = 0) buffer Floats { vec4 floats[4]; };
layout(location = 0) in uint number;
layout(location = 0) out flat uvec4 found;
void main() {
    uint at = number & 63u;
    found = uvec4(source[at], source[63u - at], source[gl_VertexIndex], source.length());
    result[gl_VertexIndex] = found.wzyx + number;
    result[gl_VertexIndex].y = 5u;
    gl_Position = floats[gl_VertexIndex & 3].yxwz;
}
