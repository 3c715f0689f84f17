//! dispatch 2 1 1
//! buffer 0.0 = f32 128 * uniform -1.5 1.5
//! buffer 0.1 = f32 128 * uniform 0.1 8
//! buffer 0.2 = zero 8192
//! compare 0.2 = f32 abs 2^-9; f32 abs 2.6e-3; f32 ulp 8192; f32 ulp 20 abs 4.4e-6; f32 ulp 56; f32 ulp 14; f32 abs 2^-20; f32 abs 2^-19; f32 ulp 2 abs 2^-23; 4 * f32; f32 ulp 16; f32; f32
// Tolerance: Errors of one evaluation, of which judge and judged may have one each. sin, cos: 2^-11. tan, with a
// cosine of at least 0.73: 2.65 * 2^-11. atan2: 4096 units. exp: 6 units, log: 3 or 2^-21, times exp's
// 4.5. pow is exp2(y log2 x): 15 units from the exponent, 13 from exp2. sqrt: 4.5, inverseSqrt: 2. mix:
// three roundings; smoothstep: 5e-7; fma: half a unit of a product that cancels near -1; length: 6.5,
// distance: 7.5. The rest is exact.

@group(0) @binding(0) var<storage, read> left: array<f32>;
@group(0) @binding(1) var<storage, read> right: array<f32>;
@group(0) @binding(2) var<storage, read_write> result: array<array<f32, 16>>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let a = left[id.x];
    let b = right[id.x];
    let split = modf(b);
    let parts = frexp(b);
    var r: array<f32, 16>;
    r[0] = sin(a) + cos(b);
    r[1] = tan(a * 0.5);
    r[2] = atan2(a, b);
    r[3] = exp(a) * log(b);
    r[4] = pow(b, a);
    r[5] = sqrt(b) * inverseSqrt(b);
    r[6] = mix(a, b, 0.3);
    r[7] = smoothstep(-1.0, 1.0, a);
    r[8] = fma(a, b, 1.0);
    r[9] = split.fract + split.whole;
    r[10] = parts.fract + f32(parts.exp);
    r[11] = ldexp(a, 3);
    r[12] = saturate(a) + step(0.0, a) + fract(b);
    r[13] = length(vec3(a, b, 1.0)) + distance(vec2(a, b), vec2(b, 2.0));
    r[14] = a % 0.7;
    r[15] = quantizeToF16(a);
    result[id.x] = r;
}
