//! draw 7
//! attribute 0 = f32 4: 28 * uniform 1 2
//! uniform 0.0 = f32 1 0.2 0.3 0.1 0.2 1 0.1 0.3 0.1 0.2 1 0.1 0.3 0.1 0.2 1
//! uniform 0.1 = f32 28 * uniform -1 1
//! output 0 = 4 * f32 abs 1e-4 rel 1e-4
//! output 1 = 3 * f32 abs 1e-5 rel 1e-5
//! output 2 = f32 abs 1e-4 rel 1e-4
//! output 3 = 2 * f32 abs 1e-5 rel 1e-5
// Inverse, determinant, transpose, products of matrices that are not square, row-major layout.

//@ vertex
#version 450
layout(location = 0) in vec4 a;
layout(set = 0, binding = 0) uniform One { mat4 m; };
layout(set = 0, binding = 1, row_major) uniform Two { mat4x3 n; mat2x4 o; };
layout(location = 0) out vec4 x;
layout(location = 1) out vec3 y;
layout(location = 2) out float z;
layout(location = 3) out vec2 w;
void main() {
    x = inverse(m) * a;
    y = n * a + (transpose(n) * a.xyz).xyz;
    z = determinant(m) * dot(a, m[2]);
    w = a * o;
    gl_Position = matrixCompMult(m, outerProduct(a, a.wzyx))[1];
}
