//! dispatch 2 1 1
//! buffer 0.0 = u8 64 * bits
//! buffer 0.1 = i8 64 * bits
//! buffer 0.2 = u16 64 * bits
//! buffer 0.3 = i16 48 * bits; i16 0 1 -1 32767 -32768 2 3 5 -3 7 -128 127 255 256 -255 -256
//! buffer 0.4 = zero 1280
//! buffer 0.5 = zero 1280
//! buffer 0.6 = zero 3072
//! buffer 0.7 = zero 3072
// Arithmetic on 8 and 16 bits, signed and not: all of it wraps at its own size.
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) readonly buffer A { uint8_t u8[]; };
layout(set = 0, binding = 1) readonly buffer B { int8_t i8[]; };
layout(set = 0, binding = 2) readonly buffer C { uint16_t u16[]; };
layout(set = 0, binding = 3) readonly buffer D { int16_t i16[]; };
layout(set = 0, binding = 4) writeonly buffer E { uint8_t o8[]; };
layout(set = 0, binding = 5) writeonly buffer F { int8_t p8[]; };
layout(set = 0, binding = 6) writeonly buffer G { uint16_t o16[]; };
layout(set = 0, binding = 7) writeonly buffer H { int16_t p16[]; };

void main() {
    uint i = gl_GlobalInvocationID.x, j = (i * 7u + 3u) & 63u;
    {
        uint8_t a = u8[i], b = u8[j];
        uint at = i * 20u;
        o8[at++] = a + b;
        o8[at++] = a - b;
        o8[at++] = a * b;
        o8[at++] = a / (b | uint8_t(1));
        o8[at++] = a % (b | uint8_t(1));
        o8[at++] = a << (b & uint8_t(7));
        o8[at++] = a >> (b & uint8_t(7));
        o8[at++] = min(a, b);
        o8[at++] = max(a, b);
        o8[at++] = ~a & b;
        o8[at++] = a < b ? a : uint8_t(200);
        o8[at++] = uint8_t(a == b) + uint8_t(a > uint8_t(127));
        o8[at++] = uint8_t(float(a) * 0.5);
        o8[at++] = uint8_t(u16[i]);
        o8[at++] = uint8_t(i * 77u);
        int8_t c = i8[i], d = i8[j];
        at = i * 20u;
        p8[at++] = c + d;
        p8[at++] = -c;
        p8[at++] = abs(c);
        p8[at++] = c * d;
        p8[at++] = c / (d | int8_t(1));
        p8[at++] = c >> (d & int8_t(7));
        p8[at++] = min(c, d);
        p8[at++] = max(c, d);
        p8[at++] = sign(c);
        p8[at++] = c < d ? c : int8_t(-100);
        p8[at++] = int8_t(float(c) * 0.25);
        p8[at++] = int8_t(i16[i]);
        p8[at++] = int8_t(a);
    }
    {
        uint16_t a = u16[i], b = u16[j];
        uint at = i * 24u;
        o16[at++] = a + b;
        o16[at++] = a - b;
        o16[at++] = a * b;
        o16[at++] = a / (b | 1us);
        o16[at++] = a % (b | 1us);
        o16[at++] = a << (b & 15us);
        o16[at++] = a >> (b & 15us);
        o16[at++] = clamp(a, 1000us, 50000us);
        o16[at++] = a ^ b;
        o16[at++] = a >= b ? a : 7us;
        o16[at++] = uint16_t(float(a) * 0.25);
        o16[at++] = uint16_t(u8[i]) * 257us;
        o16[at++] = uint16_t(i8[i]);
        o16[at++] = pack16(u8vec2(u8[i], u8[j]));
        o16[at++] = uint16_t(pack32(u16vec2(a, b)) >> 8);
        int16_t c = i16[i], d = i16[j];
        at = i * 24u;
        p16[at++] = c + d;
        p16[at++] = -c;
        p16[at++] = abs(c);
        p16[at++] = c * d;
        p16[at++] = c / (d | 1s);
        p16[at++] = c >> (d & 15s);
        p16[at++] = min(c, d);
        p16[at++] = max(c, d);
        p16[at++] = sign(d);
        p16[at++] = c < d ? c : -5s;
        p16[at++] = int16_t(float(c) * 0.5);
        p16[at++] = int16_t(i8[i]) * 3s;
        p16[at++] = int16_t(u8[i]);
        p16[at++] = int16_t(int(c) * 70000 >> 8);
        u16vec2 halves = unpack16(uint(c) * 65537u + 3u);
        p16[at++] = int16_t(halves.y - halves.x);
        // A sum carried round a loop and chosen by a branch.
        int16_t sum = d;
        for (int n = 0; n < int(i & 7u); n++) {
            if ((c & 1s) != 0s) sum += c; else sum -= int16_t(n);
        }
        p16[at++] = sum;
    }
}
