//! dispatch 1 1 1
//! uniform 0.0 = f32 256 * uniform -10 10
//! buffer 0.1 = zero 2048
#version 450
layout(local_size_x = 16) in;
struct Small { float a; vec2 b; };
layout(std140, set = 0, binding = 0) uniform In {
    float scalars[4];
    Small small[3];
    vec3 v;
    float after;
    mat3 square;
    mat2x4 tall;
    layout(row_major) mat3x4 rows;
    ivec2 last;
};
layout(std430, set = 0, binding = 1) writeonly buffer Out { vec4 result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x, at = i * 8;
    result[at++] = vec4(scalars[i & 3], scalars[3], small[i % 3].a, after);
    result[at++] = vec4(small[2].b, small[i % 3].b);
    result[at++] = vec4(v, square[i % 3][(i + 1) % 3]);
    result[at++] = vec4(square[2], tall[1].w);
    result[at++] = tall[i & 1];
    result[at++] = rows[i % 3];
    result[at++] = vec4(rows[0].y, rows[1][3], rows[2].z, rows[i % 3][i & 3]);
    result[at++] = vec4(intBitsToFloat(last & 0x3fffffff), 1, 2);
}
