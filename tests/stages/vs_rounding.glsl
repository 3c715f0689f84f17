//! draw 14
//! attribute 0 = f32 4: 56 * uniform -9 9
//! attribute 1 = f32 4: 56 * uniform 0.5 4
//! output 0 = 4 * f32
//! output 1 = 4 * f32
//! output 2 = 4 * f32 abs 1e-5
//! output 3 = 4 * f32 abs 1e-5
// Rounding, remainders, saturation.

//@ vertex
#version 450
layout(location = 0) in vec4 a;
layout(location = 1) in vec4 b;
layout(location = 0) out vec4 w;
layout(location = 1) out vec4 x;
layout(location = 2) out vec4 y;
layout(location = 3) out vec4 z;
void main() {
    w = vec4(floor(a.x), ceil(a.y), trunc(a.z), roundEven(a.w));
    x = vec4(sign(a.xy), step(0.5, a.z), clamp(a.w, 0.0, 1.0));
    y = mod(a, b) ;
    z = smoothstep(vec4(-2.0), b, a) + fract(a) + mix(a, b, lessThan(a, b));
    gl_Position = clamp(a, 0.0, 1.0);
}
