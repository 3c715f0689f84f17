//! dispatch 2 1 1
//! push = zero 16
//! buffer 0.0 = zero 8192
//! buffer 0.1 = f32 1024 * iota -100 1
//! buffer 0.2 = zero 8192
//! address push:0 = 0.1
//! address push:8 = 0.2
// Matrices of both orders, nested structures and arrays, and copies of whole values behind pointers.
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 16) in;
struct Part { vec3 a; float b; mat2 m; };
layout(buffer_reference, scalar, buffer_reference_align = 4) buffer Data {
    layout(row_major) mat4x3 rows;
    layout(column_major) mat3x2 columns;
    Part parts[3];
    vec2 pair;
};
layout(push_constant) uniform Push { Data from; Data to; };
layout(set = 0, binding = 0, std430) writeonly buffer Out { vec4 result[]; };

vec3 times(Data data, vec4 v) { return data.rows * v; }

void main() {
    uint i = gl_GlobalInvocationID.x;
    Data mine = from[i % 8u];
    uint k = i % 3u;
    vec4 v = vec4(i, 1, mine.parts[k].b, 2);
    result[i * 4u] = vec4(times(mine, v), mine.rows[k][1]);
    result[i * 4u + 1u] = vec4(mine.columns * vec3(1, 2, i), mine.columns[k]);
    result[i * 4u + 2u] = vec4(mine.parts[k].m * mine.pair, mine.rows[3].zx);
    result[i * 4u + 3u] = vec4(mine.parts[2].a, mine.parts[1].a[k]);
    if (i < 8u) {
        Data there = to[i];
        there.rows = mine.rows * 2.0;
        there.columns[k] = mine.rows[k].xy;
        there.rows[1][k] = -1.0;
        there.parts[k] = mine.parts[2u - k];
        there.parts[(k + 1u) % 3u].m[1] = vec2(i);
        there.pair = mine.pair.yx;
    }
}
