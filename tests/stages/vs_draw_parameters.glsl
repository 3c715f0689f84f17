//! draw 5 2 7 3
//! draws 3
//! attribute 0 = f32 1: 12 * iota 1 2
//! push = f32 0.5 2 4
//! output 0 = 4 * i32
//! output 1 = 2 * f32
// Draw parameters: first vertex, first instance, and the number of the draw call as a value, an index and a condition.

//@ vertex
#version 460
layout(push_constant) uniform Push { float scales[3]; };
layout(location = 0) in float a;
layout(location = 0) flat out ivec4 numbers;
layout(location = 1) out vec2 values;
void main() {
    numbers = ivec4(gl_BaseVertex, gl_BaseInstance, gl_DrawID, gl_VertexIndex - gl_BaseVertex);
    values = vec2(a * scales[gl_DrawID], 1.0);
    if (gl_DrawID == 1) {
        values.y = float(gl_InstanceIndex - gl_BaseInstance) + 0.25;
    }
    gl_Position = vec4(a);
}
