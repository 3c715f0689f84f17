//! draw 6
//! topology patches 3
//! attribute 0 = f32 4: 24 * uniform -1 1
//! attribute 1 = f32 1: 0 1 2 2 1 0
//! stray 1 = f32 1: 3 -1 100 2147483520 -2147483648 4096
//! points 7
//! output position = 4 * f32 abs 1e-5
//! output 0 = u32
//! output 7 = 4 * f32
// Control points out of range: one of the patch's is read.

//@ vertex
#version 450
layout(location = 0) in vec4 place;
layout(location = 1) in float number;
layout(location = 0) out vec4 color;
layout(location = 1) out float n;
void main() {
    gl_Position = place;
    color = place.wzyx;
    n = number;
}

//@ tess_control
#version 450
layout(vertices = 3) out;
layout(location = 0) in vec4 color[];
layout(location = 1) in float n[];
layout(location = 0) out vec4 shade[];
layout(location = 1) out uint found[];
void main() {
    vec4 one = color[int(n[gl_InvocationID])];
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
    shade[gl_InvocationID] = color[gl_InvocationID];
    found[gl_InvocationID] = uint(one == color[0] || one == color[1] || one == color[2]);
    if (gl_InvocationID == 0) {
        gl_TessLevelOuter[0] = 2.0;
        gl_TessLevelOuter[1] = 2.0;
        gl_TessLevelOuter[2] = 2.0;
        gl_TessLevelInner[0] = 1.0;
    }
}

//@ tess_eval
#version 450
layout(triangles, equal_spacing) in;
layout(location = 0) in vec4 shade[];
layout(location = 1) in uint found[];
layout(location = 0) out flat uint x;
layout(location = 7) out vec4 where;
void main() {
    vec3 t = gl_TessCoord;
    gl_Position = t.x * gl_in[0].gl_Position + t.y * gl_in[1].gl_Position + t.z * gl_in[2].gl_Position;
    x = found[0] + found[1] + found[2];
    where = vec4(gl_TessCoord, float(gl_PrimitiveID));
}
