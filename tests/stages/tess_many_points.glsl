//! draw 24
//! topology patches 12
//! attribute 0 = f32 4: 96 * uniform -1 1
//! points 7
//! output position = 4 * f32 abs 1e-5
//! output 0 = 4 * f32 abs 1e-4
//! output 1 = 4 * f32 abs 1e-4
//! output 2 = 2 * u32
//! output 7 = 4 * f32
// More control points than a thread has invocations, and a number that is no multiple of it: barriers between threads,
// values of control points of other threads, inputs at the invocation's number and at others.

//@ vertex
#version 450
layout(location = 0) in vec4 place;
layout(location = 0) out vec4 color;
layout(location = 1) out float rows[3];
void main() {
    gl_Position = place;
    color = place.wzyx;
    for (int i = 0; i < 3; ++i) rows[i] = place.x * float(i + 1);
}

//@ tess_control
#version 450
layout(vertices = 20) out;
layout(location = 0) in vec4 color[];
layout(location = 1) in float rows[][3];
layout(location = 0) out vec4 shade[];
layout(location = 1) out uvec2 number[];
layout(location = 2) patch out vec4 total;
layout(location = 3) patch out float each[20];
void main() {
    int from = gl_InvocationID < 12 ? gl_InvocationID : gl_InvocationID - 12;
    shade[gl_InvocationID] = color[from];
    number[gl_InvocationID] = uvec2(gl_InvocationID, gl_PrimitiveID);
    gl_out[gl_InvocationID].gl_Position = gl_in[from].gl_Position;
    barrier();
    vec4 next = shade[(gl_InvocationID + 7) % 20];
    barrier();
    if ((gl_InvocationID & 1) == 0) shade[gl_InvocationID].yw += next.xz;
    each[gl_InvocationID] = rows[from][gl_InvocationID % 3];
    barrier();
    if (gl_InvocationID == 19) {
        total = vec4(0.0);
        for (int i = 0; i < 20; ++i) total += shade[i] * each[i];
        gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = gl_TessLevelOuter[3] = 3.0;
        gl_TessLevelInner[0] = gl_TessLevelInner[1] = 2.0;
    }
}

//@ tess_eval
#version 450
layout(quads, equal_spacing) in;
layout(location = 0) in vec4 shade[];
layout(location = 1) in uvec2 number[];
layout(location = 2) patch in vec4 total;
layout(location = 3) patch in float each[20];
layout(location = 0) out vec4 x;
layout(location = 1) out vec4 y;
layout(location = 2) out flat uvec2 z;
layout(location = 7) out vec4 where;
void main() {
    vec3 t = gl_TessCoord;
    int at = int(t.x * 19.0);
    gl_Position = gl_in[at].gl_Position;
    x = mix(shade[at], shade[19], t.y);
    y = total * each[19 - at];
    z = number[at] + number[19];
    where = vec4(t, float(gl_PrimitiveID));
}
