//! dispatch 2 1 1
//! also bxt
//! uniform 0.0 = f64 0.1 -2.5
//! buffer 0.1 = f64 48 * uniform -1000 1000; f64 0 1 -1 0.5 2 -0.25 1e10 -1e10 123456789.125 -3 7 1e-5 4294967296 2147483648 -2147483648 0.75
//! buffer 0.2 = f64 64 * uniform -50 50
//! buffer 0.3 = zero 12288
//! buffer 0.4 = zero 2048
//! compare 0.3 = f64
//! compare 0.4 = f32 i32 u32 u32 f32 i32 u32 u32
// Doubles: sums, products, comparisons, conversions from and to 32 and 64 bits.
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) uniform U { double scale, base; };
layout(set = 0, binding = 1) readonly buffer A { double in_a[]; };
layout(set = 0, binding = 2) readonly buffer B { double in_b[]; };
layout(set = 0, binding = 3) writeonly buffer Out { double result[]; };
layout(set = 0, binding = 4) writeonly buffer P { uvec4 others[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    double a = in_a[i], b = in_b[i];
    uint at = i * 24u;
    result[at++] = a + b;
    result[at++] = a - b;
    result[at++] = a * b;
    result[at++] = -a;
    result[at++] = abs(a) - 1.0lf;
    result[at++] = min(a, b);
    result[at++] = max(a, -b);
    result[at++] = a < b ? a * 2.0lf : -b;
    result[at++] = a * scale;
    result[at++] = scale * base + b;
    result[at++] = double(float(b));
    result[at++] = double(int(b) * 3);
    result[at++] = double(i * 0x10000001u);
    result[at++] = double(int64_t(a * 1000.0lf));
    result[at++] = double(uint64_t(abs(a)) * 0x100000001ul);
    double sum = base;
    for (uint n = 0u; n < (i & 7u); n++) {
        if (sum > 0.0lf) sum -= b; else sum += abs(b) * 0.5lf;
    }
    result[at++] = sum;
    dvec3 vector = dvec3(a, b, 1.0lf) * dvec3(b, scale, base);
    result[at++] = vector.x;
    result[at++] = vector.z;
    result[at++] = a == b || a != a ? 1.0lf : 0.0lf;
    double c = i < 40u ? a * 0.0625lf : a * 1e9lf;
    result[at++] = floor(c);
    result[at++] = trunc(c) + sign(b);
    result[at++] = ceil(c) - fract(b);
    result[at++] = roundEven(c * 2.0lf);
    result[at++] = clamp(b, 0.0lf, 1.0lf);
    others[i * 2u] = uvec4(floatBitsToUint(float(a)), uint(int(b)), uint(abs(b)), uint(a >= b));
    bool low = a < 0.0lf, high = b > 10.0lf;
    others[i * 2u + 1u] = uvec4(floatBitsToUint(float(a * b)), uint(int(a < b)), uint(low && !high), uint(low != high));
}
