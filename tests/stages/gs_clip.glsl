//! draw 6
//! topology lines
//! attribute 0 = f32 4: 24 * uniform -1 1
//! output position = 4 * f32
//! output clip_distance = 2 * f32
//! output cull_distance = 1 * f32
//! output point_size = f32
// Clip and cull distances through a geometry shader.

//@ vertex
#version 450
layout(location = 0) in vec4 place;
out gl_PerVertex {
    vec4 gl_Position;
    float gl_PointSize;
    float gl_ClipDistance[2];
    float gl_CullDistance[1];
};
void main() {
    gl_Position = place;
    gl_PointSize = place.w + 2.0;
    gl_ClipDistance[0] = place.x;
    gl_ClipDistance[1] = place.y;
    gl_CullDistance[0] = place.z;
}

//@ geometry
#version 450
layout(lines) in;
layout(points, max_vertices = 2) out;
in gl_PerVertex {
    vec4 gl_Position;
    float gl_PointSize;
    float gl_ClipDistance[2];
    float gl_CullDistance[1];
} gl_in[];
out gl_PerVertex {
    vec4 gl_Position;
    float gl_PointSize;
    float gl_ClipDistance[2];
    float gl_CullDistance[1];
};
void main() {
    for (int i = 0; i < 2; ++i) {
        gl_Position = gl_in[i].gl_Position;
        gl_PointSize = gl_in[i].gl_PointSize * 2.0;
        gl_ClipDistance[0] = gl_in[1 - i].gl_ClipDistance[i];
        gl_ClipDistance[1] = gl_in[i].gl_ClipDistance[1];
        gl_CullDistance[0] = gl_in[i].gl_CullDistance[0] + 1.0;
        EmitVertex();
    }
}
