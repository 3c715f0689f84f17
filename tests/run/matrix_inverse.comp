//! dispatch 1 1 1
//! buffer 0.0 = f32 256 * uniform -1 1
//! buffer 0.1 = zero 2048
//! compare 0.1 = 28 * f32 abs 1e-5; f32 abs 1.5e-3; f32 abs 1.7e-4; f32 abs 6e-6; f32
#version 450
// Tolerance: Determinants: eight roundings (six, for 3 x 3) of 2^-24 on terms whose magnitudes sum up to 1569
// (236) at most; 2 x 2: two products and a difference below 64. Inverses: minors (1e-4) over a
// determinant of at least 100, itself wrong by 7.5e-4: 4e-6 in each evaluation.
// Diagonally dominant matrices: the inverse is well conditioned.
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) readonly buffer A { mat4 in_m[]; };
layout(set = 0, binding = 1) writeonly buffer Out { vec4 result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x, at = i * 8;
    mat4 m = in_m[i] + mat4(5.0);
    mat4 inv = inverse(m);
    for (int c = 0; c < 4; c++) result[at++] = inv[c];
    mat3 inv3 = inverse(mat3(m));
    mat2 inv2 = inverse(mat2(m));
    result[at++] = vec4(inv3[0], inv3[1].x);
    result[at++] = vec4(inv3[2], inv3[1].z);
    result[at++] = vec4(inv2[0], inv2[1]);
    result[at++] = vec4(determinant(m), determinant(mat3(m)), determinant(mat2(m)), 1);
}
