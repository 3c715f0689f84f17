#version 450
//! feature least level of detail
#extension GL_ARB_sparse_texture_clamp : require
//! twin
//! textures
layout(set = 0, binding = 1) uniform sampler2D flat_;
layout(set = 0, binding = 2) uniform samplerCube cube;
layout(location = 0) out vec4 colour;
layout(location = 1) out uvec4 numbers;
void main() {
    vec2 at = gl_FragCoord.xy / 32.0;
    // Level 1, and at least 2 or more; level 3, and at least 2.
    float least = 2.0 + floor(gl_FragCoord.y / 8.0);
    colour = textureClampARB(flat_, at * 2.0, least) + 64.0 * textureClampARB(flat_, at * 8.0, 2.0);
    colour += 4096.0 * textureClampARB(flat_, at * 2.0, least, 0.75);
    numbers = uvec4(textureGradClampARB(flat_, at, vec2(0.125, 0.0), vec2(0.0, 0.0625), least));
    vec3 direction = vec3(1.0, at * 0.5);
    numbers.w += uint(textureGradClampARB(cube, direction, vec3(0.0, 0.25, 0.0), vec3(0.0), least - 1.0).x) * 100u;
}
