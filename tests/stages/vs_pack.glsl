//! draw 12
//! attribute 0 = f32 4: 48 * uniform -1.5 1.5
//! attribute 1 = u32 2: 24 * bits
//! output 0 = 4 * u32
//! output 1 = 4 * f32 abs 1e-6
//! output 2 = 4 * f32 abs 1e-6
//! output 3 = 2 * f32
// Packing to small numbers and back.

//@ vertex
#version 450
layout(location = 0) in vec4 v;
layout(location = 1) in uvec2 n;
layout(location = 0) out flat uvec4 w;
layout(location = 1) out vec4 x;
layout(location = 2) out vec4 y;
layout(location = 3) out vec2 z;
void main() {
    w.x = packHalf2x16(v.xy);
    w.y = packUnorm4x8(vec4(0.0, 1.0, 0.25, 0.75));
    w.z = packSnorm2x16(vec2(-1.0, 0.5));
    w.w = floatBitsToUint(v.z) ^ n.x;
    x = unpackUnorm4x8(n.x);
    y = vec4(unpackSnorm2x16(n.y), unpackUnorm2x16(n.x));
    z = unpackHalf2x16(w.x);
    gl_Position = v;
}
