//! draw 4
//! topology patches 4
//! attribute 0 = f32 4: 16 * uniform -1 1
//! push = f32 16 * uniform -1 1
//! buffer 0.0 = f32 64 * uniform 0 1
//! points 7
//! output position = 4 * f32 abs 1e-4
//! output 0 = 4 * f32 abs 1e-4
//! output 7 = 4 * f32
// A height field: levels computed, heights from a buffer.

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
layout(vertices = 4) out;
layout(location = 0) in vec4 color[];
layout(location = 0) out vec4 shade[];
void main() {
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
    shade[gl_InvocationID] = color[gl_InvocationID] * 2.0;
    if (gl_InvocationID == 0) {
        float near = 1.0 + 3.0 * fract(abs(gl_in[0].gl_Position.x) * 4.0);
        for (int i = 0; i < 4; ++i) gl_TessLevelOuter[i] = near;
        gl_TessLevelInner[0] = near;
        gl_TessLevelInner[1] = near;
    }
}

//@ tess_eval
#version 450
layout(quads, fractional_even_spacing, ccw) in;
layout(push_constant) uniform Push { mat4 mvp; };
layout(set = 0, binding = 0) readonly buffer Heights { float heights[64]; };
layout(location = 0) in vec4 shade[];
layout(location = 0) out vec4 x;
layout(location = 7) out vec4 where;
float height(ivec2 at) { return heights[(at.x & 7) + 8 * (at.y & 7)]; }
void main() {
    vec2 at = gl_TessCoord.xy * 7.0;
    ivec2 cell = ivec2(at);
    vec2 f = at - vec2(cell);
    float h = mix(mix(height(cell), height(cell + ivec2(1, 0)), f.x),
        mix(height(cell + ivec2(0, 1)), height(cell + ivec2(1, 1)), f.x), f.y);
    gl_Position = mvp * vec4(gl_TessCoord.x, h, gl_TessCoord.y, 1.0);
    x = shade[cell.x & 3] * h;
    where = vec4(gl_TessCoord, float(gl_PrimitiveID));
}
