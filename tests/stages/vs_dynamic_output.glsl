//! draw 9
//! attribute 0 = f32 4: 36 * uniform -1 1
//! output 0 = 16 * f32
//! output 4 = 3 * f32
//! output 5 = 3 * f32
//! output position = 4 * f32
// Outputs that are arrays, components of which are chosen at run time, and that are read again.

//@ vertex
#version 450
layout(location = 0) in vec4 value;
layout(location = 0) out vec4 rows[4];
layout(location = 4) out vec3 last;
layout(location = 5) out vec3 picked;
void main() {
    for (int i = 0; i < 4; ++i) rows[i] = value;
    rows[gl_VertexIndex & 3] = -value.wzyx;
    rows[(gl_VertexIndex + 1) & 3][gl_VertexIndex % 3] = 9.0;
    last = rows[3].xyz + rows[gl_VertexIndex & 3].yzw;
    picked = vec3(0.0);
    picked[gl_VertexIndex % 3] = value[gl_VertexIndex & 3];
    gl_Position = rows[1];
    gl_Position.z += 1.0;
}
