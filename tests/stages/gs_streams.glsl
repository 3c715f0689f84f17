//! draw 8
//! attribute 0 = f32 4: 32 * uniform -1 1
//! output 0 = 4 * f32
//! output 1 stream 1 = 2 * f32
//! output 2 stream 1 = i32
//! output 3 stream 2 = f32
// Points sorted to three streams, some to several.

//@ vertex
#version 450
layout(location = 0) in vec4 a;
layout(location = 0) out vec4 v;
void main() {
    v = a;
    gl_Position = a;
}

//@ geometry
#version 450
layout(points) in;
layout(points, max_vertices = 6) out;
layout(location = 0) in vec4 v[];
layout(stream = 0, location = 0) out vec4 all_;
layout(stream = 1, location = 1) out vec2 right;
layout(stream = 1, location = 2) out int number;
layout(stream = 2, location = 3) out float low;
void main() {
    all_ = v[0];
    EmitStreamVertex(0);
    for (int i = 0; i < 2; ++i) {
        if (v[0].x > 0.0) {
            right = v[0].xy * float(i + 1);
            number = gl_PrimitiveIDIn;
            EmitStreamVertex(1);
        }
    }
    if (v[0].y < 0.0) {
        low = v[0].y;
        EmitStreamVertex(2);
        EndStreamPrimitive(2);
    }
    all_ = v[0].wzyx;
    EmitStreamVertex(0);
}
