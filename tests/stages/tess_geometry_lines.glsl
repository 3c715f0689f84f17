//! draw 4
//! topology patches 2
//! attribute 0 = f32 2: 8 * uniform -1 1
//! points 0
//! output position = 4 * f32 abs 1e-5
//! output 0 = 4 * f32
//! output 1 = 1 * i32
// Lines of the tessellator become quads; two invocations for each.

//@ vertex
#version 450
layout(location = 0) in vec2 place;
void main() { gl_Position = vec4(place, 0.0, 1.0); }

//@ tess_control
#version 450
layout(vertices = 2) out;
void main() {
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
    gl_TessLevelOuter[0] = 2.0;
    gl_TessLevelOuter[1] = 3.0;
}

//@ tess_eval
#version 450
layout(isolines, equal_spacing) in;
layout(location = 0) out vec4 where;
void main() {
    gl_Position = mix(gl_in[0].gl_Position, gl_in[1].gl_Position, gl_TessCoord.x);
    gl_Position.y += gl_TessCoord.y;
    where = vec4(gl_TessCoord, float(gl_PrimitiveID));
}

//@ geometry
#version 450
layout(lines, invocations = 2) in;
layout(triangle_strip, max_vertices = 4) out;
layout(location = 0) in vec4 where[];
layout(location = 0) out vec4 from;
layout(location = 1) out int number;
void main() {
    vec2 along = gl_in[1].gl_Position.xy - gl_in[0].gl_Position.xy;
    vec2 across = vec2(-along.y, along.x) * (0.1 + float(gl_InvocationID));
    for (int i = 0; i < 4; ++i) {
        vec4 at = gl_in[i >> 1].gl_Position;
        gl_Position = vec4((i & 1) == 0 ? at.xy + across : at.xy - across, at.zw);
        from = where[i >> 1];
        number = gl_PrimitiveIDIn * 2 + gl_InvocationID;
        EmitVertex();
    }
}
