//! draw 8
//! topology lines_adjacency
//! attribute 0 = f32 4: 32 * uniform -1 1
//! output position = 4 * f32 abs 1e-5
//! output 0 = f32
// A curve through the inner two of four points.

//@ vertex
#version 450
layout(location = 0) in vec4 place;
void main() { gl_Position = place; }

//@ geometry
#version 450
layout(lines_adjacency) in;
layout(line_strip, max_vertices = 5) out;
layout(location = 0) out float t;
void main() {
    vec4 a = gl_in[0].gl_Position, b = gl_in[1].gl_Position;
    vec4 c = gl_in[2].gl_Position, d = gl_in[3].gl_Position;
    for (int i = 0; i < 5; ++i) {
        t = 0.25 * float(i);
        float s = 1.0 - t;
        gl_Position = s * s * s * b + 3.0 * s * s * t * a + 3.0 * s * t * t * d + t * t * t * c;
        EmitVertex();
    }
}
