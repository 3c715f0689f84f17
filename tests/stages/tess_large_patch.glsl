//! draw 6
//! topology patches 3
//! attribute 0 = f32 4: 24 * uniform -1 1
//! points 7
//! output position = 4 * f32 abs 1e-5
//! output 0 = 4 * f32 abs 1e-4
//! output 1 = 4 * f32 abs 1e-4
//! output 2 = f64
//! output 7 = 4 * f32
// A patch's entry that is larger than what threads are given at their start: constant and variable positions in both
// parts, values that are the same for all points in loops and conditions.

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
layout(location = 0) out vec4 shades[][8];
layout(location = 8) out dvec2 wide[];
layout(location = 9) patch out vec4 rows[16];
layout(location = 25) patch out int count;
void main() {
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
    for (int i = 0; i < 8; ++i) shades[gl_InvocationID][i] = color[gl_InvocationID] * float(i);
    wide[gl_InvocationID] = dvec2(color[gl_InvocationID].xy) / 3.0lf;
    if (gl_InvocationID == 1) {
        for (int i = 0; i < 16; ++i) rows[i] = color[i % 3] + float(i);
        count = 3 + gl_PrimitiveID;
        gl_TessLevelOuter[0] = 4.0;
        gl_TessLevelOuter[1] = 3.0;
        gl_TessLevelOuter[2] = 2.0;
        gl_TessLevelInner[0] = 3.0;
    }
}

//@ tess_eval
#version 450
layout(triangles, equal_spacing) in;
layout(location = 0) in vec4 shades[][8];
layout(location = 8) in dvec2 wide[];
layout(location = 9) patch in vec4 rows[16];
layout(location = 25) patch in int count;
layout(location = 0) out vec4 x;
layout(location = 1) out vec4 y;
layout(location = 2) out flat double z;
layout(location = 7) out vec4 where;
void main() {
    vec3 t = gl_TessCoord;
    gl_Position = t.x * gl_in[0].gl_Position + t.y * gl_in[1].gl_Position + t.z * gl_in[2].gl_Position;
    int own = int(t.x * 2.9);
    x = shades[own][count] + shades[2][7] * t.y + shades[count - 3][own];
    y = vec4(0.0);
    for (int i = 0; i < count; ++i) {
        if (rows[i].x > 1.0) y += rows[i + own];
        else y -= rows[15];
    }
    z = wide[own].y + wide[2].x;
    where = vec4(t, float(gl_PrimitiveID));
}
