//! draw 6
//! buffer 0.1 = f64 24 * uniform -2 2
//! uniform 0.0 = f64 32 * uniform -1 1
//! output 0 = 4 * f64 abs 1e-14 rel 1e-14
//! output 2 = 3 * f64 abs 1e-14 rel 1e-14
//! output position = 4 * f32 abs 1e-6 rel 1e-6
// A transform in double precision. The vertices come from a buffer: lavapipe has no attributes of doubles.

//@ vertex
#version 450
layout(set = 0, binding = 0) uniform Matrices { dmat4 model; dmat4 view; };
layout(set = 0, binding = 1) readonly buffer Places { dvec4 places[]; };
layout(location = 0) out dvec4 world;
layout(location = 2) out dvec3 eye;
void main() {
    dvec4 place = places[gl_VertexIndex];
    world = model * place;
    eye = (view * world).zyx;
    gl_Position = vec4(view * world);
}
