//! draw 3
//! topology patches 3
//! attribute 0 = f32 4: 12 * uniform -1 1
//! points 7
//! output position = 4 * f32 abs 1e-5
//! output 0 = 4 * f32 abs 1e-5
//! output 7 = 4 * f32
// Points instead of triangles.

//@ vertex
#version 450
layout(location = 0) in vec4 place;
layout(location = 0) out vec4 color;
void main() {
    gl_Position = place;
    color = place.wzyx;
}

//@ tess_control
#version 450
layout(vertices = 3) out;
layout(location = 0) in vec4 color[];
layout(location = 0) out vec4 shade[];
void main() {
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
    shade[gl_InvocationID] = color[gl_InvocationID] * 2.0;
    if (gl_InvocationID == 0) {
        gl_TessLevelOuter[0] = 2.0;
        gl_TessLevelOuter[1] = 3.0;
        gl_TessLevelOuter[2] = 4.0;
        gl_TessLevelInner[0] = 3.0;
    }
}

//@ tess_eval
#version 450
layout(triangles, equal_spacing, point_mode) in;
layout(location = 0) in vec4 shade[];
layout(location = 0) out vec4 x;
layout(location = 7) out vec4 where;
void main() {
    vec3 t = gl_TessCoord;
    gl_Position = t.x * gl_in[0].gl_Position + t.y * gl_in[1].gl_Position + t.z * gl_in[2].gl_Position;
    x = t.x * shade[0] + t.y * shade[1] + t.z * shade[2];
    where = vec4(gl_TessCoord, float(gl_PrimitiveID));
}
