//! draw 8
//! topology patches 4
//! attribute 0 = f32 4: 32 * uniform -1 1
//! points 7
//! output 0 = 4 * f32 abs 1e-5
//! output 1 = 4 * f32 abs 1e-5
//! output 7 = 4 * f32
// Control points that read what their neighbours wrote, between barriers.

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
layout(location = 1) patch out vec4 total;
void main() {
    shade[gl_InvocationID] = color[gl_InvocationID];
    barrier();
    vec4 next = shade[(gl_InvocationID + 1) % 4];
    barrier();
    shade[gl_InvocationID].xz += next.yw;
    barrier();
    if (gl_InvocationID == 3) {
        total = vec4(0.0);
        for (int i = 0; i < 4; ++i) total += shade[i];
        gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = gl_TessLevelOuter[3] = 2.0;
        gl_TessLevelInner[0] = gl_TessLevelInner[1] = 2.0;
    }
}

//@ tess_eval
#version 450
layout(quads, equal_spacing) in;
layout(location = 0) in vec4 shade[];
layout(location = 1) patch in vec4 total;
layout(location = 0) out vec4 x;
layout(location = 1) out vec4 y;
layout(location = 7) out vec4 where;
void main() {
    vec3 t = gl_TessCoord;
    x = mix(mix(shade[0], shade[1], t.x), mix(shade[3], shade[2], t.x), t.y);
    y = total * t.x;
    gl_Position = x;
    where = vec4(t, float(gl_PrimitiveID));
}
