//! draw 6
//! attribute 0 = f32 4: 24 * uniform -1 1
//! attribute 1 = i32 1: 0 1 2 3 4 5
//! output position = 4 * f32 abs 1e-6
//! output 0 = i32
// Points become strips: none, one or several, as many as the point says.

//@ vertex
#version 450
layout(location = 0) in vec4 place;
layout(location = 1) in int count;
layout(location = 0) out flat int quads;
void main() {
    gl_Position = place;
    quads = count;
}

//@ geometry
#version 450
layout(points) in;
layout(triangle_strip, max_vertices = 24) out;
layout(location = 0) in flat int quads[];
layout(location = 0) out flat int number;
void main() {
    for (int q = 0; q < quads[0]; ++q) {
        for (int i = 0; i < 4; ++i) {
            vec2 corner = vec2(i & 1, i >> 1) * 0.1 + float(q);
            gl_Position = gl_in[0].gl_Position + vec4(corner, 0.0, 0.0);
            number = q * 4 + i;
            EmitVertex();
        }
        EndPrimitive();
    }
}
