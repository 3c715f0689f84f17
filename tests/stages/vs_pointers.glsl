//! draw 16
//! attribute 0 = u32 1: 16 * iota 0 7
//! push = zero 16
//! buffer 0.0 = u32 16 * bits; f32 48 * iota -5 1
//! buffer 0.1 = zero 256
//! address push:0 = 0.0
//! address push:8 = 0.1
//! output 0 = 4 * u32
//! output position = 4 * f32
// Buffers read and written by address: vertices, matrices and array elements.

//@ vertex
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer Source { uint numbers[16]; vec4 rows[8]; mat4 m; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Counts { uint each[16]; };
layout(push_constant) uniform Push { Source source; Counts counts; };
layout(location = 0) in uint number;
layout(location = 0) out flat uvec4 found;
// No atomics: lavapipe crashes on atomics by address in vertex shaders.
void main() {
    uint at = number & 15u;
    found = uvec4(source.numbers[at], source.numbers[15u - at], at, source.numbers[gl_VertexIndex]);
    counts.each[gl_VertexIndex] = at + 1u;
    gl_Position = source.m * source.rows[gl_VertexIndex & 7] + source.rows[at & 3u].wzyx;
}
