//! draw 9
//! topology triangles
//! attribute 0 = f32 4: 36 * uniform -1 1
//! attribute 1 = i32 1: 0 1 0 1 1 0 1 0 0
//! stray 1 = i32 1: 3 -1 1000 2147483647 -2147483648 4 65536 4096 -2
//! output position = 4 * f32
//! output 0 = u32
// Vertices and elements out of range: those of one of the primitive's vertices are read.

//@ vertex
#version 450
layout(location = 0) in vec4 place;
layout(location = 1) in int number;
layout(location = 0) out flat int n;
layout(location = 1) out vec4 rows[2];
void main() {
    gl_Position = place;
    n = number;
    rows[0] = place.wzyx;
    rows[1] = -place;
}

//@ geometry
#version 450
layout(triangles) in;
layout(points, max_vertices = 3) out;
layout(location = 0) in flat int n[];
layout(location = 1) in vec4 rows[][2];
layout(location = 0) out flat uint found;
void main() {
    for (int i = 0; i < 3; ++i) {
        vec4 place = gl_in[n[i]].gl_Position;
        vec4 row = rows[n[i]][0];
        vec4 other = rows[1][n[i]];
        bool places = false, rows_ = false;
        for (int k = 0; k < 3; ++k) {
            places = places || place == gl_in[k].gl_Position;
            rows_ = rows_ || row == rows[k][0];
        }
        bool others = other == rows[1][0] || other == rows[1][1];
        found = uint(places) | uint(rows_) << 1 | uint(others) << 2;
        gl_Position = gl_in[i].gl_Position;
        EmitVertex();
    }
}
