//! draw 12
//! attribute 0 = f32 4: 48 * uniform -1 1
//! output 0 = 4 * f32
//! output 1 = f32
//! output position = 4 * f32
// Returns from the middle of the shader, out of a loop too.

//@ vertex
#version 450
layout(location = 0) in vec4 a;
layout(location = 0) out vec4 x;
layout(location = 1) out float y;
void main() {
    gl_Position = a;
    x = a * 2.0;
    y = 0.0;
    if (a.x < -0.3) return;
    x.y = 7.0;
    for (int i = 0; i < 6; ++i) {
        y += a.z;
        if (y > 1.0) {
            x.w = float(i);
            return;
        }
    }
    if (a.y > 0.0) {
        gl_Position = a.wzyx;
        return;
    }
    y = -1.0;
}
