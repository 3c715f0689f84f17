//! draw 18
//! topology triangles_adjacency
//! attribute 0 = f32 4: 72 * uniform -1 1
//! push = u32 21
//! output position = 4 * f32
//! output 0 = 4 * f32 abs 1e-4
//! output 1 = 4 * f32 abs 1e-4
//! output 2 = 4 * f32 abs 1e-4
// Six vertices of more slots than the payload has room for: the last ones are read from their entries, of vertices and
// slots known and unknown when compiling, in divergent flow.

//@ vertex
#version 450
layout(location = 0) in vec4 place;
layout(location = 0) out vec4 rows[24];
void main() {
    gl_Position = place;
    for (int i = 0; i < 24; ++i) rows[i] = place * float(i + 1) + vec4(gl_VertexIndex, i, 0.0, 1.0);
}

//@ geometry
#version 450
layout(triangles_adjacency) in;
layout(points, max_vertices = 4) out;
layout(push_constant) uniform Push { int row; };
layout(location = 0) in vec4 rows[][24];
layout(location = 0) out vec4 a;
layout(location = 1) out vec4 b;
layout(location = 2) out vec4 c;
void main() {
    vec4 sum = vec4(0.0);
    for (int v = 0; v < 6; ++v) sum += rows[v][22 - 2 * v];
    for (int i = 0; i < 4; ++i) {
        gl_Position = gl_in[i + 1].gl_Position;
        a = rows[5][23] + rows[2][3];
        b = rows[i + 2][row] - rows[0][20 + i];
        c = sum;
        if (gl_in[i].gl_Position.x > 0.0) c += rows[i][21].wzyx;
        else c -= rows[1][row - i * 6];
        EmitVertex();
    }
}
