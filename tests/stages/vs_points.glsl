//! draw 6
//! attribute 0 = f32 3: 18 * uniform -2 2
//! push = f32 32 * uniform -1 1
//! uniform 0.0 = f32 16 * uniform -1 1
//! output position = 4 * f32 abs 1e-4 rel 1e-4
//! output 0 = 4 * f32 abs 1e-4 rel 1e-4
//! output 1 = 2 * f32 abs 1e-4 rel 1e-4
// Points and directions times matrices from the left and the right, and a product of two matrices that all vertices share.

//@ vertex
#version 450
layout(push_constant) uniform Push { mat4 view, model; };
layout(set = 0, binding = 0) uniform Camera { mat4 camera; };
layout(location = 0) in vec3 place;
layout(location = 0) out vec4 left;
layout(location = 1) out vec2 mixed;
void main() {
    gl_Position = view * model * vec4(place, 1.0);
    left = vec4(place.zxy, 1.0) * camera;
    if (place.x > 0.0) left += vec4(place, 0.0) * view;
    mixed = vec2(dot(camera[1], vec4(-place, 1.0)), dot(vec4(place.xy, place.x * 0.5, 1.0), model[2]));
}
