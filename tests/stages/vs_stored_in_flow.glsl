//! draw 21
//! attribute 0 = f32 4: 84 * uniform -1 1
//! output position = 4 * f32
//! output point_size = f32
//! output 0 = 4 * f32
//! output 1 = 3 * f32
//! output 2 = 2 * f64
//! output 4 = i32
//! output 5.1 = 2 * f32
// Outputs that loops, conditions and early returns store, in parts and more than once, also of the vertex header.

//@ vertex
#version 450
layout(location = 0) in vec4 a;
layout(location = 0) out vec4 x;
layout(location = 1) out vec3 y;
layout(location = 2) out dvec2 z;
layout(location = 4) out flat int n;
layout(location = 5, component = 1) out vec2 part;
void main() {
    gl_Position = a;
    gl_PointSize = 1.0;
    x = a.wzyx;
    y = vec3(0.0);
    z = dvec2(a.xy);
    n = 0;
    part = a.zw;
    for (int i = 0; i < 5; ++i) {
        y[i % 3] += a[i & 3];
        if (y.x > 0.5) break;
        ++n;
    }
    if (a.x > 0.3) {
        gl_PointSize = 2.0 + a.x;
        z.y = 1.0lf / double(a.x);
        if (a.y > 0.0) return;
        part.y = 7.0;
    } else {
        x.yz = vec2(n, 3);
        gl_Position.w = 1.0;
    }
    x[n & 3] = -1.0;
}
