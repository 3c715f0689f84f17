//! dispatch 2 1 1
//! also chv
//! uniform 0.0 = f64 1 0.5 -0.25 2 0 1 3 -1 0.125 0 1 4 0.5 -2 1 0.75 10 20 30 40
//! buffer 0.1 = f64 256 * uniform -8 8
//! buffer 0.2 = zero 2048
//! buffer 0.3 = zero 2048
//! push = f64 0.5 -3
//! compare 0.2 = f64 ulp 4 abs 1e-13
//! compare 0.3 = f64 ulp 4 abs 1e-13
// Doubles in uniform, storage, shared and private memory; matrices; a sum over the workgroup; dynamic indices.
#version 450
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) uniform U { dmat4 m; dvec4 offset; };
layout(set = 0, binding = 1) readonly buffer A { dvec4 points[64]; };
layout(set = 0, binding = 2) writeonly buffer Out { dvec4 result[64]; };
layout(set = 0, binding = 3) writeonly buffer Sums { double sums[]; };
layout(push_constant) uniform P { double scale, shift; };
shared double column[32];

void main() {
    uint i = gl_GlobalInvocationID.x, lane = gl_LocalInvocationID.x;
    dvec4 p = m * points[i] + offset;
    result[i] = p * scale + shift;
    column[lane] = dot(p.xyz, points[i].yzw);
    barrier();
    for (uint half_size = 16u; half_size > 0u; half_size >>= 1) {
        if (lane < half_size) column[lane] += column[lane + half_size];
        barrier();
    }
    double table[6] = double[](p.x, p.y, p.z, p.w, scale, shift);
    table[lane % 6u] += 1.0lf;
    double picked = table[(i * 5u + 2u) % 6u];
    uint at = i * 4u;
    sums[at++] = column[0];
    sums[at++] = picked;
    sums[at++] = determinant(dmat2(p.xy, p.zw));
    double power = 1.0lf;
    for (int n = 0; n < int(lane & 7u); n++) power *= n % 2 == 0 ? scale : p.x * 0.125lf;
    sums[at++] = power;
}
