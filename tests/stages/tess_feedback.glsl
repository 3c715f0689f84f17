//! draw 6
//! topology patches 3
//! points 0
//! attribute 0 = f32 4: 24 * uniform -1 1
//! feedback 1
// Transform feedback of a tessellation evaluation shader, as it declares it.

//@ vertex
#version 450
layout(location = 0) in vec4 place;
void main() { gl_Position = place; }

//@ tess_control
#version 450
layout(vertices = 3) out;
void main() {
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
    gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = 2.0;
    gl_TessLevelInner[0] = 2.0;
}

//@ tess_eval
#version 450
layout(triangles, equal_spacing) in;
layout(xfb_buffer = 0, xfb_stride = 40) out;
layout(location = 0) out vec4 where;
layout(location = 1, xfb_buffer = 0, xfb_offset = 0) flat out uvec3 numbers;
layout(location = 2, xfb_buffer = 0, xfb_offset = 16) out float values[2];
void main() {
    where = vec4(gl_TessCoord, float(gl_PrimitiveID));
    numbers = uvec3(gl_TessCoord * 64.0);
    values = float[](gl_TessCoord.x, float(gl_PrimitiveID));
    gl_Position = gl_in[0].gl_Position;
}
