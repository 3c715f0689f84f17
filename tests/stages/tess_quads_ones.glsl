//! draw 16
//! topology patches 4
//! attribute 0 = f32 4: 64 * uniform -1 1
//! points 7
//! output position = 4 * f32 abs 1e-5
//! output 0 = 4 * f32
//! output 7 = 4 * f32
// Quads whose inner levels are 1: not all tessellators can divide them evenly.

//@ vertex
#version 450
layout(location = 0) in vec4 place;
void main() { gl_Position = place; }

//@ tess_control
#version 450
layout(vertices = 4) out;
void main() {
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
    if (gl_PrimitiveID == 3 && gl_InvocationID == 2) return;
    float one = gl_PrimitiveID == 0 ? 1.0 : 3.0;
    gl_TessLevelOuter[0] = gl_TessLevelOuter[2] = 1.0;
    gl_TessLevelOuter[1] = gl_TessLevelOuter[3] = one;
    gl_TessLevelInner[0] = one;
    gl_TessLevelInner[1] = gl_PrimitiveID == 1 ? 2.0 : 1.0;
}

//@ tess_eval
#version 450
layout(quads, equal_spacing) in;
layout(location = 0) out vec4 x;
layout(location = 7) out vec4 where;
void main() {
    vec3 t = gl_TessCoord;
    gl_Position = mix(mix(gl_in[0].gl_Position, gl_in[1].gl_Position, t.x), mix(gl_in[3].gl_Position, gl_in[2].gl_Position, t.x), t.y);
    x = vec4(gl_TessLevelOuter[0], gl_TessLevelOuter[1], gl_TessLevelOuter[2], gl_TessLevelOuter[3]);
    where = vec4(t, float(gl_PrimitiveID));
}
