//! dispatch 1 1 1
//! buffer 0.0 = f32 128 * uniform -2 2
//! buffer 0.1 = f32 128 * uniform -2 2
//! buffer 0.2 = zero 6144
//! compare 0.2 = f32 rel 1e-4 abs 1e-4
#version 450
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) readonly buffer A { vec4 in_a[]; };
layout(set = 0, binding = 1) readonly buffer B { vec4 in_b[]; };
layout(set = 0, binding = 2) writeonly buffer Out { vec4 result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x, at = i * 12;
    vec4 a = in_a[i], b = in_b[i];
    result[at++] = vec4(dot(a, b), dot(a.xyz, b.xyz), dot(a.xy, b.xy), length(a));
    result[at++] = vec4(length(a.xyz), length(a.xy), length(a.x), distance(a, b));
    result[at++] = vec4(cross(a.xyz, b.xyz), distance(a.x, b.x));
    result[at++] = normalize(a);
    result[at++] = vec4(normalize(a.xyz), normalize(a.x));
    result[at++] = vec4(faceforward(a.xyz, b.xyz, vec3(0, 0, 1)), 0);
    result[at++] = vec4(reflect(a.xyz, normalize(b.xyz)), 0);
    result[at++] = vec4(refract(normalize(a.xyz), normalize(b.xyz), 0.8), 0);
    result[at++] = mix(a, b, 0.25);
    result[at++] = mix(a, b, vec4(0, 1, 0.5, a.x));
    result[at++] = smoothstep(vec4(-1), vec4(1.5), a);
    result[at++] = vec4(smoothstep(0.0, 1.0, b.x), step(vec3(0.5), b.yzw));
}
