//! dispatch 2 1 1
//! buffer 0.0 = f32 64 * uniform -100 100; f32 60 * edges; f32 4 3 -3 7 -7
//! buffer 0.1 = f32 64 * uniform -3 3; f32 64 * uniform 0.1 1000
//! buffer 0.2 = zero 16384
//! compare 0.2 = 29 * f32; 2 * f32 ulp 2; f32
#version 450
// Operations whose result Vulkan defines to the last bit, but for radians and degrees: the constant is rounded, and the
// product.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer A { float in_a[]; };
layout(set = 0, binding = 1) readonly buffer B { float in_b[]; };
layout(set = 0, binding = 2) writeonly buffer Out { float result[]; };

float flag(bool b) { return b ? 1.0 : 0.0; }

void main() {
    uint i = gl_GlobalInvocationID.x;
    float a = in_a[i], b = in_b[i];
    uint at = i * 32;
    result[at++] = a + b;
    result[at++] = a - b;
    result[at++] = a * b;
    result[at++] = -a;
    result[at++] = abs(a);
    result[at++] = sign(a);
    result[at++] = floor(b);
    result[at++] = ceil(b);
    result[at++] = trunc(b);
    result[at++] = roundEven(b * 2.0);
    result[at++] = roundEven(floor(b) + 0.5);
    result[at++] = fract(b);
    result[at++] = min(a, b);
    result[at++] = max(a, b);
    result[at++] = clamp(a, -10.0, 10.0);
    result[at++] = clamp(b, 0.0, 1.0);
    result[at++] = step(a, b);
    result[at++] = flag(a < b) + 2.0 * flag(a <= b) + 4.0 * flag(a > b) + 8.0 * flag(a >= b)
                 + 16.0 * flag(a == b) + 32.0 * flag(a != b);
    result[at++] = a < 0.0 ? -a : a;
    result[at++] = isnan(a) ? 1.0 : isinf(a) ? 2.0 : 3.0;
    result[at++] = floor(a);
    result[at++] = trunc(a);
    result[at++] = ceil(a);
    result[at++] = mix(a, b, b > 0.0);
    result[at++] = -abs(b) * 2.0;
    result[at++] = abs(-b) + abs(a - b);
    result[at++] = min(max(a, 0.0), 1.0);
    result[at++] = uintBitsToFloat(floatBitsToUint(b) ^ 0x00400000u);
    result[at++] = intBitsToFloat(floatBitsToInt(b) & 0x7ff00000);
    result[at++] = radians(b) * 0.5;
    result[at++] = degrees(b);
}
