//! draw 9
//! attribute 0 = f32 4: 36 * uniform -1 1
//! attribute 1 = i32 1: 0 1 5 17 24 9 30 2 28
//! output 0 = 4 * f32
//! output 1 stream 1 = i32
//! output 2 stream 2 = 2 * f32
//! output 3 stream 3 = i32
// Vertices in four streams whose numbers differ between primitives: more than a dword of control data.

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
layout(points, max_vertices = 30) out;
layout(location = 0) in vec4 v[];
layout(location = 1) in flat int count[];
layout(stream = 0, location = 0) out vec4 all_;
layout(stream = 1, location = 1) out flat int number;
layout(stream = 2, location = 2) out vec2 low;
layout(stream = 3, location = 3) out flat int last;
void main() {
    for (int i = 0; i < count[0]; ++i) {
        int which = (i * 7 + count[0]) & 3;
        if (which == 0) {
            all_ = v[0] * float(i);
            EmitStreamVertex(0);
        } else if (which == 1) {
            number = i;
            EmitStreamVertex(1);
        } else if (which == 2) {
            low = v[0].yx + float(i);
            EmitStreamVertex(2);
        } else {
            last = -i;
            EmitStreamVertex(3);
        }
    }
}
