#version 450
//! feature query of the level of detail
//! textures
layout(set = 0, binding = 1) uniform sampler2D flat_texture;
layout(set = 0, binding = 2) uniform samplerCube cube;
layout(location = 0) out vec4 colour;
layout(location = 1) out uvec4 numbers;
void main() {
    // Each pixel is a power of two of texels apart from the next one, so that levels are exact.
    vec2 at = gl_FragCoord.xy / 32.0;
    colour.xy = textureQueryLod(flat_texture, at * 4.0);
    colour.zw = textureQueryLod(flat_texture, at * 0.25);
    vec3 direction = vec3(1.0, at / 8.0 - 2.0);
    numbers = uvec4(textureQueryLevels(flat_texture), textureQueryLevels(cube), textureSize(cube, 1));
    numbers += uvec4(textureQueryLod(flat_texture, at * vec2(2.0, 8.0)), 0u, 0u);
}
