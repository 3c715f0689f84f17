//! draw 6
//! topology patches 3
//! attribute 0 = f32 4: 24 * uniform -1 1
//! points 7
//! output position = 4 * f32 abs 1e-5
//! output 0 = 4 * f32
//! output 1 = f32
//! output 7 = 4 * f32
// Levels that triangles do not have are written last, by number and in a loop; those that they have must keep their values.

//@ vertex
#version 450
layout(location = 0) in vec4 place;
void main() {
    gl_Position = place;
}

//@ tess_control
#version 450
layout(vertices = 3) out;
layout(location = 1) patch out float before;
void main() {
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
    if (gl_InvocationID == 0) {
        gl_TessLevelInner[0] = 5.0;
        for (int i = 0; i < 4; ++i) gl_TessLevelOuter[i] = float(2 + i + gl_PrimitiveID);
        gl_TessLevelInner[1] = 6.0;
        gl_TessLevelOuter[3] = 9.0;
        before = gl_TessLevelInner[0] + gl_TessLevelOuter[2];
    }
}

//@ tess_eval
#version 450
layout(triangles, equal_spacing, ccw) in;
layout(location = 1) patch in float before;
layout(location = 0) out vec4 x;
layout(location = 1) out float y;
layout(location = 7) out vec4 where;
void main() {
    vec3 t = gl_TessCoord;
    gl_Position = t.x * gl_in[0].gl_Position + t.y * gl_in[1].gl_Position + t.z * gl_in[2].gl_Position;
    x = vec4(gl_TessLevelInner[0], gl_TessLevelOuter[0], gl_TessLevelOuter[1], gl_TessLevelOuter[2]);
    y = before;
    where = vec4(t, float(gl_PrimitiveID));
}
