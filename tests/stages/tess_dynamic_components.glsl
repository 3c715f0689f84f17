//! draw 8
//! topology patches 4
//! points 6
//! attribute 0 = u32 4: 32 * iota 3 5
//! output 0 = 4 * u32
//! output 1 = 4 * f32
//! output 2 = 2 * f64
// Components, elements and vertices of tessellation inputs and outputs whose numbers are known at run time only, in flow that differs between
// control points; doubles too.

//@ vertex
#version 450
layout(location = 0) in uvec4 a;
layout(location = 0) flat out uvec4 v[2];
layout(location = 2) out dvec3 w;
void main() {
    v[0] = a;
    v[1] = a * 3u;
    w = dvec3(a.xyz);
    gl_Position = vec4(a);
}

//@ tess_control
#version 450
layout(vertices = 5) out;
layout(location = 0) flat in uvec4 v[][2];
layout(location = 2) in dvec3 w[];
layout(location = 0) out uvec4 c[];
layout(location = 1) out vec3 d[][2];
layout(location = 3) out dvec3 e[];
layout(location = 5) patch out vec4 p[2];
layout(location = 7) patch out dvec2 q;
void main() {
    uint i = uint(gl_InvocationID);
    uint at = v[i & 3u][i & 1u][i % 4u] + i;
    c[gl_InvocationID] = uvec4(i);
    c[gl_InvocationID][at & 3u] = v[at & 3u][at >> 2u & 1u][at >> 1u & 3u];
    d[gl_InvocationID][0] = d[gl_InvocationID][1] = vec3(0.5);
    e[gl_InvocationID] = w[i & 3u];
    if ((i & 1u) == 0u) {
        d[gl_InvocationID][at & 1u][at % 3u] = float(at);
        e[gl_InvocationID][at % 3u] = double(at) + 0.5LF;
    }
    barrier();
    uint other = c[(i + 2u) % 5u][at & 3u];
    double wide = e[(i + at) % 5u][i % 3u];
    barrier();
    c[gl_InvocationID][(at + 1u) & 3u] = other;
    e[gl_InvocationID][1] = wide;
    if (i == 3u) {
        p[0] = p[1] = vec4(7.0);
        p[at & 1u][at & 3u] = float(other);
        q = dvec2(1.0LF);
        q[at & 1u] = wide;
        gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = 1.0;
        gl_TessLevelInner[0] = 1.0;
    }
}

//@ tess_eval
#version 450
layout(triangles, equal_spacing) in;
layout(location = 0) in uvec4 c[];
layout(location = 1) in vec3 d[][2];
layout(location = 3) in dvec3 e[];
layout(location = 5) patch in vec4 p[2];
layout(location = 7) patch in dvec2 q;
layout(location = 0) flat out uvec4 o;
layout(location = 1) out vec4 f;
layout(location = 2) out dvec2 g;
layout(location = 6) out vec4 where;
void main() {
    where = vec4(gl_TessCoord, float(gl_PrimitiveID));
    uint n = uint(gl_TessCoord.x + 2.0 * gl_TessCoord.y) + uint(gl_PrimitiveID);
    o = uvec4(c[n % 5u][n & 3u], c[4][(n + 1u) & 3u], c[n & 3u].z, c[2].w);
    f = vec4(d[n % 5u][n & 1u][n % 3u], d[1][n & 1u].y, p[n & 1u][(n + 3u) & 3u], p[1][n & 3u]);
    g = dvec2(e[n % 5u][n % 3u], q[n & 1u]);
}
