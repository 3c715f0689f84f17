#version 450
//! feature level of cubes from gradients
//! levels
//! within 0.044
// Lavapipe computes half of log2 of a square, with the mantissa minus 1 as the fraction: up to 0.0431 too low.
layout(set = 0, binding = 6) uniform samplerCube cube;
layout(location = 0) out vec4 colour;
float level(vec3 direction, vec3 x, vec3 y) { return textureGrad(cube, direction, x, y).x; }
void main() {
    // Directions to all faces, and gradients of all sizes, that differ between pixels but not within a quad: lavapipe takes one
    // level for four pixels.
    ivec2 quad = ivec2(gl_FragCoord.xy) >> 1;
    float a = float(quad.x) / 8.0 - 0.97, b = float(quad.y) / 8.0 - 0.93;
    vec3 forward = vec3(a, b, 1.5 + a * b), x = vec3(0.4, b, -0.3) * exp2(a * 2.0), y = vec3(a, 0.2, 0.5);
    colour.x = level(forward, x, y);
    colour.y = quad.y > 8 ? level(-forward.yzx, x, y * 0.25) : level(forward.zxy, y.zyx, x.yxz * 0.125);
    colour.z = level(forward.yzx * 3.0, x.zxy, y);
    colour.w = quad.x > 8 ? level(-forward, x, vec3(0.0)) : level(-forward.zyx, y.zyx * 0.125, forward * 5.0);
}
