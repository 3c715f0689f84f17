//! draw 5 3 2 1
//! attribute 0 = f32 2: 14 * iota 0 1
//! instanced 1 = f32 4: 16 * uniform -1 1
//! instanced 2 = i32 2: 8 * iota -3 2
//! output position = 4 * f32 ulp 2
//! output 0 = 4 * i32
//! output 1 = 2 * i32
// Instances with attributes of their own; numbers of vertices and instances do not begin with 0.

//@ vertex
#version 460
layout(location = 0) in vec2 corner;
layout(location = 1) in vec4 offset;
layout(location = 2) in ivec2 cell;
layout(location = 0) out flat ivec4 numbers;
layout(location = 1) out flat ivec2 cells;
void main() {
    gl_Position = vec4(corner, 0.0, 1.0) + offset;
    numbers = ivec4(gl_VertexIndex, gl_InstanceIndex, gl_BaseVertex, gl_BaseInstance);
    cells = cell * gl_InstanceIndex + gl_DrawID;
}
