//! draw 6
//! topology patches 3
//! points 0
//! attribute 0 = f32 4: 24 * iota 1 1
//! output layer = i32
//! output viewport_index = i32
//! output point_size = f32
//! output position = 4 * f32
//! output clip_distance = 3 * f32
// Layer, viewport, point size and clip distances from a tessellation evaluation shader, one with a dynamic index.

//@ vertex
#version 450
layout(location = 0) in vec4 place;
void main() { gl_Position = place; }

//@ tess_control
#version 450
layout(vertices = 3) out;
void main() {
    gl_out[gl_InvocationID].gl_Position = gl_in[2 - gl_InvocationID].gl_Position;
    gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = 2.0;
    gl_TessLevelInner[0] = 1.0;
}

//@ tess_eval
#version 450
#extension GL_ARB_shader_viewport_layer_array : require
layout(triangles, equal_spacing, cw, point_mode) in;
layout(location = 0) out vec4 where;
out gl_PerVertex {
    vec4 gl_Position;
    float gl_PointSize;
    float gl_ClipDistance[3];
};
void main() {
    where = vec4(gl_TessCoord, float(gl_PrimitiveID));
    int n = int(gl_TessCoord.x * 4.0) + gl_PrimitiveID;
    gl_Position = gl_in[n % 3].gl_Position;
    gl_PointSize = gl_TessCoord.y + 1.0;
    gl_Layer = n;
    gl_ViewportIndex = n & 1;
    for (int i = 0; i < 3; ++i) gl_ClipDistance[i] = float(i - n);
    gl_ClipDistance[n % 3] = 50.0;
}
