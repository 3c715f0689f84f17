//! draw 6
//! topology triangles
//! attribute 0 = f32 3: 18 * uniform -1 1
//! output 0 = 3 * f64 abs 1e-14
//! output 2 = f64 abs 1e-14
// Varyings of doubles between the stages.

//@ vertex
#version 450
layout(location = 0) in vec3 a;
layout(location = 0) out dvec3 v;
void main() {
    v = dvec3(a) * 2.1LF;
    gl_Position = vec4(0.0);
}

//@ geometry
#version 450
layout(triangles) in;
layout(points, max_vertices = 3) out;
layout(location = 0) in dvec3 v[];
layout(location = 0) out dvec3 x;
layout(location = 2) out double y;
void main() {
    for (int i = 0; i < 3; ++i) {
        x = v[i] + v[(i + 1) % 3].zyx;
        y = dot(v[i], v[2 - i]);
        EmitVertex();
    }
}
