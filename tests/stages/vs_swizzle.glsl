//! draw 8
//! attribute 0 = f32 4: 32 * uniform -4 4
//! output 0 = 4 * f32
//! output 1 = 3 * f32
//! output 2 = 2 * f32
//! output position = 4 * f32
// Swizzles on both sides of assignments.

//@ vertex
#version 450
layout(location = 0) in vec4 a;
layout(location = 0) out vec4 x;
layout(location = 1) out vec3 y;
layout(location = 2) out vec2 z;
void main() {
    vec4 t = a.wzyx;
    t.xz = a.yy - t.zx;
    t.wy += t.xz;
    x = t.zxwy;
    y = vec3(t.yx, a.w);
    y.zy = y.xz * 2.0;
    z = (a + t).wx;
    gl_Position = vec4(-t.x, abs(t.yz), 1.0);
}
