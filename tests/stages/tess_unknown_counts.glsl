//! draw 6
//! topology patches 3 unknown
//! attribute 0 = f32 4: 24 * uniform -1 1
//! points 7
//! output position = 4 * f32 abs 1e-5
//! output 0 = 4 * f32
//! output 1 = 4 * f32 abs 1e-5
//! output 7 = 4 * f32
// The same, if the compiler does not get the numbers of control points.

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
layout(vertices = 5) out;
layout(location = 0) in vec4 color[];
layout(location = 0) out vec4 shade[];
layout(location = 1) patch out ivec2 numbers;
void main() {
    int from = gl_InvocationID % gl_PatchVerticesIn;
    gl_out[gl_InvocationID].gl_Position = gl_in[from].gl_Position * float(gl_InvocationID + 1);
    shade[gl_InvocationID] = color[gl_PatchVerticesIn - 1 - from];
    if (gl_InvocationID == 4) {
        numbers = ivec2(gl_PatchVerticesIn, gl_PrimitiveID);
        gl_TessLevelOuter[0] = 2.0;
        gl_TessLevelOuter[1] = 3.0;
        gl_TessLevelOuter[2] = 1.0 + float(gl_PrimitiveID);
        gl_TessLevelInner[0] = 1.0;
    }
}

//@ tess_eval
#version 450
layout(triangles, equal_spacing) in;
layout(location = 0) in vec4 shade[];
layout(location = 1) patch in ivec2 numbers;
layout(location = 0) out vec4 x;
layout(location = 1) out vec4 y;
layout(location = 7) out vec4 where;
void main() {
    vec3 t = gl_TessCoord;
    gl_Position = t.x * gl_in[4].gl_Position + t.y * gl_in[3].gl_Position + t.z * gl_in[1].gl_Position;
    x = vec4(numbers, gl_PatchVerticesIn, gl_TessLevelOuter[2]);
    y = vec4(0.0);
    for (int i = 0; i < gl_PatchVerticesIn; ++i) y += shade[i] * t[i % 3];
    where = vec4(t, float(gl_PrimitiveID));
}
