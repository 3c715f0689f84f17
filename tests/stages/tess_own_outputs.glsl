//! draw 8
//! topology patches 4
//! attribute 0 = f32 4: 32 * uniform -1 1
//! points 7
//! output 0 = 4 * f32 abs 1e-5
//! output 1 = 4 * f32 abs 1e-5
//! output 7 = 4 * f32
// Outputs that only the control shader itself reads, and outputs that are constant for some or for all control points.

//@ vertex
#version 450
layout(location = 0) in vec4 place;
layout(location = 0) out vec4 color;
layout(location = 1) out vec4 unread;
layout(location = 2) out vec2 constant;
void main() {
    gl_Position = place;
    color = place.wzyx;
    unread = place * place;
    constant = vec2(0.5, place.y);
}

//@ tess_control
#version 450
layout(vertices = 4) out;
layout(location = 0) in vec4 color[];
layout(location = 2) in vec2 constant[];
layout(location = 0) out vec4 shade[];
layout(location = 1) out float some[];
layout(location = 2) out float all_[];
layout(location = 3) out vec4 unread[];
layout(location = 4) patch out float unread_total;
layout(location = 5) patch out vec4 total;
layout(location = 6) patch out vec4 own_total;
layout(location = 7) out vec4 own[];
void main() {
    own[gl_InvocationID] = color[gl_InvocationID] * constant[gl_InvocationID].x;
    unread[gl_InvocationID] = color[gl_InvocationID].wwww;
    if (gl_InvocationID == 0) own_total = color[1];
    barrier();
    shade[gl_InvocationID] = own[(gl_InvocationID + 1) % 4] + own_total.yxwz;
    all_[gl_InvocationID] = 0.75;
    if ((gl_InvocationID & 1) == 0) some[gl_InvocationID] = 0.25;
    else some[gl_InvocationID] = 0.5;
    if (gl_InvocationID == 3) {
        total = own[0] + own[2] + constant[1].y;
        unread_total = total.x;
        gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = gl_TessLevelOuter[3] = 2.0;
        gl_TessLevelInner[0] = gl_TessLevelInner[1] = 2.0;
    }
}

//@ tess_eval
#version 450
layout(quads, equal_spacing) in;
layout(location = 0) in vec4 shade[];
layout(location = 1) in float some[];
layout(location = 2) in float all_[];
layout(location = 3) in vec4 unread[];
layout(location = 4) patch in float unread_total;
layout(location = 5) patch in vec4 total;
layout(location = 6) patch in vec4 own_total;
layout(location = 7) in vec4 own[];
layout(location = 0) out vec4 x;
layout(location = 1) out vec4 y;
layout(location = 7) out vec4 where;
void main() {
    vec3 t = gl_TessCoord;
    x = mix(mix(shade[0], shade[1], t.x), mix(shade[3], shade[2], t.x), t.y);
    y = total * t.x + vec4(some[0], some[1], all_[2], all_[3]);
    gl_Position = x;
    where = vec4(t, float(gl_PrimitiveID));
}
