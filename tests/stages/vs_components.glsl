//! draw 6
//! attribute 0 = f32 4: 24 * uniform -1 1
//! attribute 1 = u32 4: 24 * bits
//! output 0 = 2 * f32
//! output 0.2 = f32
//! output 0.3 = f32
//! output 1 = f64
//! output 1.2 = f64
//! output 2.1 = 3 * u32
// Several inputs and outputs in one location.

//@ vertex
#version 450
layout(location = 0) in vec2 a;
layout(location = 0, component = 2) in vec2 b;
layout(location = 1, component = 0) in uvec3 c;
layout(location = 1, component = 3) in uint d;
layout(location = 0) out vec2 v;
layout(location = 0, component = 2) out float w;
layout(location = 0, component = 3) out float x;
layout(location = 1) out double y;
layout(location = 1, component = 2) out double z;
layout(location = 2, component = 1) out flat uvec3 u;
void main() {
    v = a + b.yx;
    w = a.x * b.x;
    x = b.y;
    y = double(a.x);
    z = double(b.x) * 0.5LF;
    u = c.zxy + d;
    gl_Position = vec4(a, b);
}
