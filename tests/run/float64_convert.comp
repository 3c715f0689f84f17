//! dispatch 1 1 1
//! also chv bxt
//! buffer 0.1 = f64 16 * uniform -120 120; f64 0 -0.5 0.99999999 1 2.5 -2.5 65504 65519.99 65520 1e-8 100000 -100000 32767.9 127.5 -128.7 1e-320
//! buffer 0.2 = u32 64 * bits
//! buffer 0.3 = zero 2048
//! buffer 0.4 = zero 4096
//! compare 0.3 = u32
//! compare 0.4 = f64
// Doubles from and to every other size.
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 32) in;
layout(set = 0, binding = 1) readonly buffer A { double in_a[32]; };
layout(set = 0, binding = 2) readonly buffer B { uvec2 in_b[32]; };
layout(set = 0, binding = 3) writeonly buffer Ints { uint ints[]; };
layout(set = 0, binding = 4) writeonly buffer Doubles { double doubles[]; };

void main() {
    uint i = gl_LocalInvocationID.x;
    double a = in_a[i];
    double small = clamp(a, -120.0lf, 120.0lf), positive = abs(small);
    uint at = i * 16u;
    ints[at++] = uint(int8_t(small)) & 0xffu;
    ints[at++] = uint(uint8_t(positive));
    ints[at++] = uint(int16_t(small)) & 0xffffu;
    ints[at++] = uint(uint16_t(positive));
    ints[at++] = uint(int(a));
    ints[at++] = uint(abs(a));
    int64_t wide = int64_t(a * 1e9lf);
    ints[at++] = uint(wide);
    ints[at++] = uint(wide >> 32);
    ints[at++] = uint(uint64_t(positive * 1e15lf) >> 20);
    ints[at++] = floatBitsToUint(float(a));
    ints[at++] = packHalf2x16(vec2(float(float16_t(a)), float(float16_t(positive * 1.0004lf))));
    ints[at++] = uint(bool(a));
    uvec2 b = in_b[i];
    at = i * 16u;
    doubles[at++] = double(int8_t(b.x));
    doubles[at++] = double(uint8_t(b.x));
    doubles[at++] = double(int16_t(b.x));
    doubles[at++] = double(uint16_t(b.x));
    doubles[at++] = double(int(b.x));
    doubles[at++] = double(b.x);
    doubles[at++] = double(int64_t(b.x) << 32 | int64_t(b.y));
    doubles[at++] = double(uint64_t(b.x) << 32 | uint64_t(b.y));
    doubles[at++] = double(uintBitsToFloat(b.x & 0x7f7fffffu | 0x00800000u));
    doubles[at++] = double(float16_t(float(b.x & 0xfffu) * 0.25));
    doubles[at++] = double(b.x > b.y);
    doubles[at++] = double(unpackHalf2x16(b.y & 0x7bff7bffu).x);
}
