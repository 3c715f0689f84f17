//! draw 9
//! attribute 0 = f32 4: 36 * uniform -2 2
//! output 0 = 4 * f32 abs 1e-5 rel 1e-5
//! output 1 = 3 * f32 abs 1e-5 rel 1e-5
//! output 2 = 4 * f32
// Functions with parameters that go out, structures, constant tables.

//@ vertex
#version 450
layout(location = 0) in vec4 a;
layout(location = 0) out vec4 x;
layout(location = 1) out vec3 y;
layout(location = 2) out vec4 z;
const vec4 table[5] = vec4[](vec4(1, 2, 3, 4), vec4(0.5), vec4(-1, 0, 1, 0), vec4(8, 4, 2, 1), vec4(3));
struct Ray { vec3 origin; vec3 way; };
float refine(inout vec3 p, out float rest, const int steps) {
    rest = 0.0;
    for (int i = 0; i < steps; ++i) {
        p = 0.5 * p + 0.25 * p.yzx;
        rest += dot(p, p);
    }
    return rest * 0.5;
}
vec3 at(Ray ray, float t) { return ray.origin + t * ray.way; }
void main() {
    vec3 p = a.xyz;
    float rest;
    float half_ = refine(p, rest, 4);
    x = vec4(p, half_ + rest);
    Ray ray = Ray(a.yzw, normalize(a.xyz + 4.0));
    y = reflect(at(ray, 2.5), vec3(0.0, 1.0, 0.0)) + cross(ray.origin, ray.way);
    z = table[gl_VertexIndex % 5];
    gl_Position = z;
}
