//! draw 4
//! attribute 0 = f32 4: 16 * uniform -1 1
//! output layer = i32
//! output viewport_index = i32
//! output primitive_id = i32
//! output position = 4 * f32
// The same point on several layers and in several viewports.

//@ vertex
#version 450
layout(location = 0) in vec4 place;
void main() { gl_Position = place; }

//@ geometry
#version 450
layout(points) in;
layout(points, max_vertices = 4) out;
void main() {
    for (int i = 0; i < 4; ++i) {
        gl_Position = gl_in[0].gl_Position * float(i);
        gl_Layer = i;
        gl_ViewportIndex = 3 - i;
        gl_PrimitiveID = gl_PrimitiveIDIn * 10 + i;
        EmitVertex();
    }
}
