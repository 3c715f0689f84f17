//! dispatch 1 1 1
//! buffer 0.0 = f32 256 * uniform -1.2 1.2
//! buffer 0.1 = u32 64 * bits
//! buffer 0.2 = zero 2048
//! buffer 0.3 = zero 4096
//! compare 0.3 = f32 ulp 2
#version 450
// Tolerance: Unpacked numbers are quotients; Vulkan allows 2.5 units, here each may be wrong by one.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer A { vec4 in_f[]; };
layout(set = 0, binding = 1) readonly buffer B { uint in_u[]; };
layout(set = 0, binding = 2) writeonly buffer Packed { uint words[]; };
layout(set = 0, binding = 3) writeonly buffer Unpacked { vec4 floats[]; };

// Steps in the middle between two codes may round either way; this moves inputs away from them.
vec4 away(vec4 v, float scale) { return (floor(v * scale) + 0.25) / scale; }

void main() {
    uint i = gl_GlobalInvocationID.x;
    vec4 f = in_f[i];
    uint u = in_u[i];
    // Not a constant: lavapipe 22.3 folds some packed constants wrongly.
    float one = float(gl_NumWorkGroups.x);
    words[i * 8 + 0] = packUnorm4x8(away(f, 255.0));
    words[i * 8 + 1] = packSnorm4x8(away(f, 127.0));
    words[i * 8 + 2] = packUnorm2x16(away(f, 65535.0).xy);
    words[i * 8 + 3] = packSnorm2x16(away(f, 32767.0).zw);
    // Halves of small integers are exact.
    words[i * 8 + 4] = packHalf2x16(floor(f.xy * 100.0) * 0.25);
    words[i * 8 + 5] = packHalf2x16(vec2(65504.0, -0.5) * one);
    words[i * 8 + 6] = packUnorm4x8(vec4(0.0, 1.0, 2.0, -3.0) * one);
    words[i * 8 + 7] = packSnorm4x8(vec4(-1.0, 1.0, 2.0, -3.0) * one);
    vec4 a = unpackUnorm4x8(u), b = unpackSnorm4x8(u);
    vec2 c = unpackUnorm2x16(u), d = unpackSnorm2x16(u);
    // Exponents of ordinary halves only: subnormal ones may be flushed.
    vec2 h = unpackHalf2x16((u & 0x8fff8fffu) | 0x20002000u);
    floats[i * 4 + 0] = a;
    floats[i * 4 + 1] = b;
    floats[i * 4 + 2] = vec4(c, d);
    floats[i * 4 + 3] = vec4(h, unpackHalf2x16(0x3c00c000u * gl_NumWorkGroups.x));
}
