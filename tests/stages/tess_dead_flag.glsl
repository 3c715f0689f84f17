//! draw 4
//! topology patches 2
//! points 1
//! attribute 0 = u32 4: 16 * iota 1 3
//! output 0 = u32
// A store of a patch's value that a later store replaces: what computed it is removed, also the flag of an instruction that stays.

//@ vertex
#version 450
layout(location = 0) in uvec4 a;
layout(location = 0) flat out uvec4 v0;
void main() { v0 = a; }

//@ tess_control
#version 450
layout(vertices = 3) out;
layout(location = 0) flat in uvec4 v0[];
layout(location = 0) out float c0[];
layout(location = 1) patch out uint p0;
void main() {
    uint u0 = uint(gl_InvocationID), u1 = uint(gl_PrimitiveID) * 2654435761u;
    uint list[4] = uint[4](u0, 7u, u1, 3u);
    u1 = u1 * 5u + v0[u0 & 1u].y;
    if (((list[3] + v0[0].x) & 3u) == 0u) {
        list[(u1 - 76u) & 3u] = v0[0].w & u1;
    }
    c0[gl_InvocationID] = 1.0;
    if ((list[2] & 3u) == 0u) {
        c0[gl_InvocationID] = 29.0;
    }
    p0 = list[0];
    p0 = 294u;
    gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = 1.0;
    gl_TessLevelInner[0] = 1.0;
}

//@ tess_eval
#version 450
layout(triangles, equal_spacing) in;
layout(location = 0) in float c0[];
layout(location = 1) patch in uint p0;
layout(location = 0) flat out uint sum;
layout(location = 1) out vec4 where;
void main() {
    where = vec4(gl_TessCoord, float(gl_PrimitiveID));
    sum = p0 + uint(c0[0]) + 10u * uint(c0[1]) + 100u * uint(c0[2]);
}
