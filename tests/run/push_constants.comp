//! dispatch 1 1 1
//! push = f32 1 2 3; u32 4; f32 5 6; zero 8; f32 9 10 11 12 13 14 15 16 17 18 19 20; i32 -21 22 -23
//! buffer 0.0 = zero 1024
#version 450
layout(local_size_x = 16) in;
struct Part { vec2 a; };
layout(push_constant) uniform Push {
    vec3 v;
    uint n;
    Part part;
    mat3x4 m;
    int list[3];
};
layout(set = 0, binding = 0) writeonly buffer Out { vec4 result[]; };

void main() {
    uint i = gl_LocalInvocationIndex;
    result[i * 4] = vec4(v, float(n));
    result[i * 4 + 1] = vec4(part.a, float(list[i % 3]), float(list[n - 2]));
    result[i * 4 + 2] = m[i % 3];
    result[i * 4 + 3] = vec4(m[n % 3][i & 3], v[i % 3], float(n + i), 0.0);
}
