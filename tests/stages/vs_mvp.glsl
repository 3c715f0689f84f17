//! draw 6
//! attribute 0 = f32 4: 24 * uniform -2 2
//! attribute 1 = f32 3: 18 * uniform 0 1
//! push = f32 16 * uniform -1 1
//! output position = 4 * f32 abs 1e-5 rel 1e-5
//! output 0 = 3 * f32
//! output point_size = f32 ulp 2
// A vertex transformed by a matrix of push constants.

//@ vertex
#version 450
layout(push_constant) uniform Push { mat4 mvp; };
layout(location = 0) in vec4 place;
layout(location = 1) in vec3 color;
layout(location = 0) out vec3 shade;
void main() {
    gl_Position = mvp * place;
    gl_PointSize = 1.0 + color.x;
    shade = color;
}
