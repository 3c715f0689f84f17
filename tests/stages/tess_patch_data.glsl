//! draw 6
//! topology patches 3
//! attribute 0 = f32 4: 24 * uniform -1 1
//! points 7
//! output 0 = 4 * f32 abs 1e-5
//! output 1 = 3 * f32 abs 1e-5
//! output 7 = 4 * f32
// Arrays and blocks of a whole patch, indexed at run time on both sides.

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
layout(location = 1) patch out vec4 edges[3];
layout(location = 4) patch out Block {
    vec3 normal;
    float weights[2];
} own;
void main() {
    shade[gl_InvocationID] = color[gl_InvocationID];
    edges[gl_InvocationID] = color[(gl_InvocationID + 1) % 3] - color[gl_InvocationID];
    if (gl_InvocationID == 0) {
        own.normal = cross(gl_in[0].gl_Position.xyz, gl_in[1].gl_Position.xyz);
        own.weights[0] = color[2].x;
        own.weights[1] = color[1].y;
        for (int i = 0; i < 3; ++i) gl_TessLevelOuter[i] = 1.0 + float(i);
        gl_TessLevelInner[0] = 2.0;
    }
}

//@ tess_eval
#version 450
layout(triangles, equal_spacing) in;
layout(location = 0) in vec4 shade[];
layout(location = 1) patch in vec4 edges[3];
layout(location = 4) patch in Block {
    vec3 normal;
    float weights[2];
} own;
layout(location = 0) out vec4 x;
layout(location = 1) out vec3 y;
layout(location = 7) out vec4 where;
void main() {
    vec3 t = gl_TessCoord;
    int nearest = t.x > t.y ? (t.x > t.z ? 0 : 2) : (t.y > t.z ? 1 : 2);
    x = edges[nearest] * own.weights[nearest & 1] + shade[nearest];
    y = own.normal * t.x;
    gl_Position = x;
    where = vec4(t, float(gl_PrimitiveID));
}
