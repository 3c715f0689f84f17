//! dispatch 1 1 1
//! buffer 0.0 = f32 256 * uniform -2 2
//! buffer 0.1 = f32 64 * uniform -2 2
//! buffer 0.2 = zero 5632
//! compare 0.2 = 40 * f32 abs 2^-18; 16 * f32; 12 * f32 abs 2^-18; 20 * f32
#version 450
// Tolerance: Sums of four products below 4 (2^-23 each) have three roundings below 16 (2^-21 each): 2^-19 in each
// evaluation. Single products and copies are exact.
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) readonly buffer A { mat4 in_m[]; };
layout(set = 0, binding = 1) readonly buffer B { vec4 in_v[]; };
layout(set = 0, binding = 2) writeonly buffer Out { vec4 result[]; };

void put(inout uint at, mat4 m) {
    for (int c = 0; c < 4; c++) result[at++] = m[c];
}

void main() {
    uint i = gl_GlobalInvocationID.x, at = i * 22;
    mat4 m = in_m[i], n = in_m[(i + 1) & 15];
    vec4 v = in_v[i];
    put(at, m * n);
    result[at++] = m * v;
    result[at++] = v * m;
    put(at, transpose(m) + 2.0 * n - matrixCompMult(m, n));
    put(at, outerProduct(v, m[1]));
    mat3x2 narrow = mat3x2(m);
    mat2x3 wide = transpose(narrow);
    result[at++] = vec4(narrow * v.xyz, v.xy * narrow);
    mat2 small = narrow * wide;
    result[at++] = vec4(small[0], small[1]);
    mat3 square = wide * narrow;
    result[at++] = vec4(square[0], square[2].y);
    m[int(v.x > 0.0)] = v;
    m[2][int(i & 3)] = 9.0;
    put(at, m);
    result[at++] = vec4(mat2(3.0)[1], mat3(v.x)[1].xy);
}
