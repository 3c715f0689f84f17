//! dispatch 2 1 1
//! buffer 0.0 = f32 64 * uniform -50 50
//! buffer 0.1 = f32 48 * uniform -3 3; f32 1 -1 0.5 2 100 -100 0.25 3 0.125 8 16 -0.5 1.5 -1.5 2.5 -2.5
//! buffer 0.2 = zero 2048
//! buffer 0.3 = zero 4096
//! compare 0.3 = f32 abs 0.002 rel 0.002
// Half floats: results that are rounded once are exact, others near.
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) readonly buffer A { float in_a[]; };
layout(set = 0, binding = 1) readonly buffer B { float in_b[]; };
layout(set = 0, binding = 2) writeonly buffer C { float16_t exact[]; };
layout(set = 0, binding = 3) writeonly buffer D { float near[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    float16_t a = float16_t(in_a[i]), b = float16_t(in_b[i]);
    uint at = i * 16u;
    exact[at++] = a + b;
    exact[at++] = a - b;
    exact[at++] = a * b;
    exact[at++] = -a;
    exact[at++] = abs(a);
    exact[at++] = min(a, b);
    exact[at++] = max(a, b);
    exact[at++] = floor(a);
    exact[at++] = a < b ? a : b * 2.0hf;
    exact[at++] = float16_t(i) * 3.0hf;
    exact[at++] = clamp(a, 0.0hf, 1.0hf);
    exact[at++] = float16_t(int16_t(a) * 2s);
    f16vec2 pair = f16vec2(a, b) * f16vec2(0.5hf, 4.0hf);
    exact[at++] = pair.x;
    exact[at++] = pair.y;
    at = i * 16u;
    near[at++] = float(a / b);
    near[at++] = float(sqrt(abs(a)));
    near[at++] = float(dot(f16vec2(a, b), f16vec2(b, 1.0hf)) * 0.125hf);
    near[at++] = float(mix(a, b, 0.25hf));
    near[at++] = float(sin(b));
    near[at++] = float(exp2(b));
    near[at++] = float(int(a)) + float(uint(abs(b)));
    near[at++] = float(fract(b));
    float16_t sum = 0.0hf;
    for (uint n = 0u; n < (i & 3u); n++) sum += b;
    near[at++] = float(sum);
}
