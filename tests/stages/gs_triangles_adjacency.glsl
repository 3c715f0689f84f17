//! draw 12
//! topology triangles_adjacency
//! attribute 0 = f32 3: 36 * uniform -1 1
//! output position = 4 * f32
// Edges where the neighbour looks the other way.

//@ vertex
#version 450
layout(location = 0) in vec3 place;
void main() { gl_Position = vec4(place, 1.0); }

//@ geometry
#version 450
layout(triangles_adjacency) in;
layout(line_strip, max_vertices = 6) out;
float side(int i, int j, int k) {
    vec3 a = gl_in[i].gl_Position.xyz, b = gl_in[j].gl_Position.xyz, c = gl_in[k].gl_Position.xyz;
    return cross(b - a, c - a).z;
}
void main() {
    float own = side(0, 2, 4);
    for (int i = 0; i < 6; i += 2) {
        int next = (i + 2) % 6;
        if (own * side(i, i + 1, next) > 0.0) {
            gl_Position = gl_in[i].gl_Position;
            EmitVertex();
            gl_Position = gl_in[next].gl_Position;
            EmitVertex();
            EndPrimitive();
        }
    }
    if (own == 12345.0) EmitVertex();
}
