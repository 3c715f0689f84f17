//! draw 12
//! topology triangles
//! attribute 0 = f32 4: 48 * uniform -1 1
//! attribute 1 = u32 2: 24 * iota 0 1
//! push = i32 2 1 0 2
//! output position = 4 * f32
//! output 0 = 2 * u32
//! output 1 = 4 * f32
// The input vertex chosen at run time, by push constants and by data.

//@ vertex
#version 450
layout(location = 0) in vec4 place;
layout(location = 1) in uvec2 number;
layout(location = 0) out flat uvec2 n;
layout(location = 1) out vec4 rows[2];
void main() {
    gl_Position = place;
    n = number;
    rows[0] = place.wzyx;
    rows[1] = -place;
}

//@ geometry
#version 450
layout(push_constant) uniform Push { ivec4 order; };
layout(triangles) in;
layout(points, max_vertices = 3) out;
layout(location = 0) in flat uvec2 n[];
layout(location = 1) in vec4 rows[][2];
layout(location = 0) out flat uvec2 m;
layout(location = 1) out vec4 row;
void main() {
    for (int i = 0; i < 3; ++i) {
        int v = order[i];
        gl_Position = gl_in[v].gl_Position;
        m = n[(n[v].x + 1u) % 3u];
        row = rows[v][n[v].y & 1u];
        EmitVertex();
    }
}
