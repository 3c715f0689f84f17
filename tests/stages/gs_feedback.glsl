//! draw 6
//! topology triangles
//! attribute 0 = f32 4: 24 * uniform -1 1
//! feedback 4
// Transform feedback of a geometry shader with streams, as it declares it, with built-ins of the last stage.

//@ vertex
#version 450
layout(location = 0) in vec4 place;
layout(location = 0) out vec4 colour;
void main() {
    gl_Position = place;
    colour = place.wzyx;
}

//@ geometry
#version 450
layout(triangles) in;
layout(points, max_vertices = 8) out;
layout(location = 0) in vec4 colour[];
layout(stream = 0, xfb_buffer = 0, xfb_stride = 32) out;
layout(stream = 1, xfb_buffer = 1, xfb_stride = 16) out;
layout(stream = 3, xfb_buffer = 3, xfb_stride = 24) out;
layout(stream = 0, location = 0, xfb_buffer = 0, xfb_offset = 0) out vec4 main0;
layout(stream = 0, location = 1, xfb_buffer = 0, xfb_offset = 20) out int number;
layout(stream = 1, location = 2, xfb_buffer = 1, xfb_offset = 4) out vec2 other;
layout(stream = 3, location = 3, component = 2, xfb_buffer = 3, xfb_offset = 8) out double third;
void main() {
    for (int i = 0; i < 3; ++i) {
        gl_Position = gl_in[i].gl_Position;
        main0 = colour[i];
        number = gl_PrimitiveIDIn * 10 + i;
        EmitStreamVertex(0);
        if (i != 1) {
            other = colour[i].xy * 2.0;
            EmitStreamVertex(1);
        }
        if (i == gl_PrimitiveIDIn) {
            third = double(i) + 0.25LF;
            EmitStreamVertex(3);
        }
    }
}
