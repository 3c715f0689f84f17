//! draw 6
//! topology patches 3
//! attribute 0 = f32 4: 24 * uniform -1 1
//! points 7
//! output position = 4 * f32 abs 1e-5
//! output 0 = 4 * f32 abs 1e-5
//! output 1 = 4 * f32 abs 1e-5
//! output 2 = 4 * i32
//! output 3 = 4 * f32
// Each triangle that the tessellator makes is shrunk, with its normal and the colors of its corners; of every fourth
// nothing is left.

//@ vertex
#version 450
layout(location = 0) in vec4 place;
layout(location = 0) out vec4 color;
void main() {
    gl_Position = place;
    color = place.wzyx + 1.0;
}

//@ tess_control
#version 450
layout(vertices = 3) out;
layout(location = 0) in vec4 color[];
layout(location = 0) out vec4 shade[];
layout(location = 1) patch out vec4 whole;
void main() {
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
    shade[gl_InvocationID] = color[gl_InvocationID];
    gl_TessLevelOuter[gl_InvocationID] = 2.0 + float(gl_PrimitiveID);
    if (gl_InvocationID == 0) {
        gl_TessLevelInner[0] = 3.0;
        whole = color[0] - color[1] * color[2];
    }
}

//@ tess_eval
#version 450
layout(triangles, equal_spacing, ccw) in;
layout(location = 0) in vec4 shade[];
layout(location = 1) patch in vec4 whole;
layout(location = 0) out vec4 color;
layout(location = 3) out vec2 clip;
layout(location = 7) out vec4 where;
void main() {
    vec3 at = gl_TessCoord;
    gl_Position = at.x * gl_in[0].gl_Position + at.y * gl_in[1].gl_Position + at.z * gl_in[2].gl_Position;
    gl_Position.z += at.x * at.y;
    color = at.x * shade[0] + at.y * shade[1] + at.z * shade[2] + whole;
    clip = at.xy;
    where = vec4(gl_TessCoord, float(gl_PrimitiveID));
}

//@ geometry
#version 450
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
layout(location = 0) in vec4 color[];
layout(location = 3) in vec2 clip[];
layout(location = 7) in vec4 where[];
layout(location = 0) out vec4 shade;
layout(location = 1) out vec4 normal;
layout(location = 2) out ivec4 numbers;
layout(location = 3) out vec4 from;
void main() {
    vec3 a = gl_in[0].gl_Position.xyz, b = gl_in[1].gl_Position.xyz, c = gl_in[2].gl_Position.xyz;
    vec3 middle = (a + b + c) / 3.0;
    if ((gl_PrimitiveIDIn & 3) == 3) return;
    for (int i = 0; i < 3; ++i) {
        gl_Position = vec4(mix(gl_in[i].gl_Position.xyz, middle, 0.25), 1.0);
        shade = color[i];
        normal = vec4(cross(b - a, c - a), clip[i].x);
        numbers = ivec4(gl_PrimitiveIDIn, i, 0, 1);
        from = where[2 - i];
        EmitVertex();
    }
}
