//! draw 6
//! topology lines
//! attribute 0 = f32 4: 24 * uniform -1 1
//! output position = 4 * f32 abs 1e-6
//! output 0 = 2 * i32
// Several invocations for each line.

//@ vertex
#version 450
layout(location = 0) in vec4 place;
void main() { gl_Position = place; }

//@ geometry
#version 450
layout(lines, invocations = 3) in;
layout(line_strip, max_vertices = 3) out;
layout(location = 0) out flat ivec2 id;
void main() {
    for (int i = 0; i <= 2; ++i) {
        float t = 0.5 * float(i);
        gl_Position = mix(gl_in[0].gl_Position, gl_in[1].gl_Position, t);
        gl_Position.y += float(gl_InvocationID);
        id = ivec2(gl_InvocationID, gl_PrimitiveIDIn);
        EmitVertex();
    }
}
