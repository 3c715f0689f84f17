//! draw 7
//! attribute 0 = f32 4: 28 * uniform -3 3
//! push = f32 12 * uniform -1 1
//! output position = 4 * f32
//! output clip_distance = 5 * f32 abs 1e-5
//! output cull_distance = 3 * f32 abs 1e-5
// Five clip and three cull distances, one of them with a dynamic index.

//@ vertex
#version 450
layout(push_constant) uniform Push { vec4 planes[3]; };
layout(location = 0) in vec4 place;
out gl_PerVertex {
    vec4 gl_Position;
    float gl_ClipDistance[5];
    float gl_CullDistance[3];
};
void main() {
    gl_Position = place;
    for (int i = 0; i < 3; ++i) {
        gl_ClipDistance[i] = dot(planes[i], place);
        gl_CullDistance[2 - i] = dot(planes[i].wxyz, place);
    }
    gl_ClipDistance[3] = place.x;
    gl_ClipDistance[4] = -place.y;
}
