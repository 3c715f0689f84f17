//! draw 11
//! attribute 0 = f32 4: 44 * uniform -1 1
//! attribute 1 = i32 1: 0 1 2 3 31 32 33 64 65 90 100
//! output position = 4 * f32
//! output point_size = f32
//! output 0 = i32
//! output 1 = 2 * f32
// Strips whose lengths differ between primitives, with ends around multiples of 32 vertices, and the declared maximum.
// Some outputs are stored in conditions.

//@ vertex
#version 450
layout(location = 0) in vec4 a;
layout(location = 1) in int n;
layout(location = 0) out vec4 v;
layout(location = 1) out flat int count;
void main() {
    v = a;
    gl_Position = a;
    count = n;
}

//@ geometry
#version 450
layout(points) in;
layout(line_strip, max_vertices = 70) out;
layout(location = 0) in vec4 v[];
layout(location = 1) in flat int count[];
layout(location = 0) out flat int number;
layout(location = 1) out vec2 low;
void main() {
    int end = min(count[0], 70);
    for (int i = 0; i < end; ++i) {
        gl_Position = v[0] * float(i);
        gl_PointSize = 1.0;
        if (i % 3 == 0) gl_PointSize = float(i);
        number = i;
        low = vec2(0.5);
        if (v[0].x > 0.0) low.y = v[0].y;
        else low.x = v[0].z;
        EmitVertex();
        if (i == 30 || i == 31 || i == 33 || i == 63 || i == 66) EndPrimitive();
    }
    EndPrimitive();
}
