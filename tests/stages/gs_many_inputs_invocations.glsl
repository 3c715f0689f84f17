//! draw 12
//! topology triangles_adjacency
//! attribute 0 = f32 4: 48 * uniform -1 1
//! output position = 4 * f32
//! output 0 = 4 * f32
//! output 1 = 2 * f64
// The same with several invocations of each primitive, and doubles.

//@ vertex
#version 450
layout(location = 0) in vec4 place;
layout(location = 0) out vec4 rows[20];
layout(location = 20) out dvec2 last;
void main() {
    gl_Position = place;
    last = dvec2(place.xy) / 3.0lf;
    for (int i = 0; i < 20; ++i) rows[i] = place.wzyx * float(i - 7);
}

//@ geometry
#version 450
layout(triangles_adjacency, invocations = 3) in;
layout(line_strip, max_vertices = 2) out;
layout(location = 0) in vec4 rows[][20];
layout(location = 20) in dvec2 last[];
layout(location = 0) out vec4 row;
layout(location = 1) out dvec2 wide;
void main() {
    for (int i = 0; i < 2; ++i) {
        gl_Position = gl_in[2 * gl_InvocationID + i].gl_Position;
        row = rows[gl_InvocationID + i][19 - gl_InvocationID] + rows[5][19];
        wide = last[gl_InvocationID * 2] * 2.0lf - last[4 + i];
        EmitVertex();
    }
}
