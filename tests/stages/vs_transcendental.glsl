//! draw 16
//! attribute 0 = f32 4: 64 * uniform 0.1 3
//! output 0 = 4 * f32 abs 1e-3 rel 1e-3
//! output 1 = 4 * f32 abs 1e-3 rel 1e-3
//! output 2 = 4 * f32 abs 1e-3 rel 1e-3
// What the extended math unit computes. Vulkan promises 2^-11 of sine and cosine, and 3 + 2 |x| ULP of exponentials.

//@ vertex
#version 450
layout(location = 0) in vec4 a;
layout(location = 0) out vec4 x;
layout(location = 1) out vec4 y;
layout(location = 2) out vec4 z;
void main() {
    x = vec4(sin(a.x), cos(a.y), tan(a.z * 0.4), atan(a.w, a.x));
    y = vec4(exp(a.x), log(a.y), exp2(-a.z), log2(a.w));
    z = vec4(pow(a.x, a.y), sqrt(a.z), inversesqrt(a.w), 1.0 / a.x);
    gl_Position = vec4(1.0);
}
