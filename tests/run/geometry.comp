//! dispatch 1 1 1
//! buffer 0.0 = f32 128 * uniform -2 2
//! buffer 0.1 = f32 128 * uniform -2 2
//! buffer 0.2 = zero 6144
//! compare 0.2 = 3 * f32 abs 2^-18; 4 * f32 ulp 13; f32 ulp 15; 3 * f32 abs 2^-20; f32 ulp 15; 8 * f32 ulp 18; 4 * f32; 8 * f32 abs 3.4e-5; 4 * f32 abs 2^-21; 4 * f32 abs 2^-18; 5 * f32 abs 2^-19; 3 * f32
#version 450
// Tolerance: Errors of one evaluation, of which judge and judged may have one each. dot: four products below 4
// (2^-23 each) and three sums below 16 (2^-21 each): 2^-19. length: 4.5 units of sqrt and 2 for the
// sum of squares; distance: one more for the differences. cross: two products and their difference
// below 8: 2^-21. normalize: length, then division by it: 9. reflect: 9 units in each component of the
// normal make 4.3e-6 in the dot product (below 3.5), 1.7e-5 in the result; refract: less. mix: two
// products, two sums: 2^-22 for weights in [0, 1], 2^-19 for weights in [-2, 2]. smoothstep: 2.5e-7 in
// the quotient, times the slope 1.5, and three roundings: 6e-7.
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
