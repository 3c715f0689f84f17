#version 450
//! feature cube maps
//! textures
layout(location = 0) in vec4 plain;
layout(location = 0) out vec4 colour;
layout(set = 0, binding = 2) uniform samplerCube cube;
void main() {
    // Steps within a quad: two texels, then eight.
    vec2 low = vec2(ivec2(gl_FragCoord.xy) & 1) * 0.25 - 0.125;
    vec4 x = texture(cube, vec3(1.0, low));
    vec4 y = texture(cube, vec3(low.x, -2.0, low.y * 8.0));
    // Each invocation of a quad on its own face has no level of its own; all on one face have.
    float face = (int(gl_FragCoord.y) & 2) == 0 ? 1.0 : -1.0;
    vec4 z = texture(cube, vec3(low.yx * 4.0, face), 0.25);
    colour = x + y * 64.0 + z * 4096.0;
}
