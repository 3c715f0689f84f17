//! draw 6
//! output layer = i32
//! output viewport_index = i32
//! output point_size = f32
//! output position = 4 * f32
// Layer, viewport and point size from a vertex shader.

//@ vertex
#version 450
#extension GL_ARB_shader_viewport_layer_array : require
void main() {
    gl_Position = vec4(float(gl_VertexIndex), 1.0, 2.0, 3.0);
    gl_Layer = gl_VertexIndex * 2;
    gl_ViewportIndex = gl_VertexIndex & 1;
    gl_PointSize = 1.5 * float(gl_VertexIndex + 1);
}
