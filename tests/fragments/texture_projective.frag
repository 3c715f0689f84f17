#version 450
//! feature projective lookups with explicit level
//! textures
layout(location = 0) in vec4 plain;
layout(location = 0) out vec4 colour;
layout(location = 1) out uvec4 numbers;
layout(set = 0, binding = 1) uniform sampler2D flat_;
void main() {
    vec2 at = plain.xy / 32.0;
    vec4 first = textureProjLod(flat_, vec3(at * 4.0, 4.0), 1.0);
    vec4 second = textureProjLod(flat_, vec4(at * 2.0, 9.0, 2.0), 2.0);
    vec4 third = textureProjGrad(flat_, vec3(at * 4.0, 4.0), vec2(0.125, 0.0), vec2(0.0, 0.0625));
    colour = first + 64.0 * second;
    numbers = uvec4(third);
}
