#version 450
// The levels that the gradients and the least levels give. Lavapipe has no least levels.
layout(set = 0, binding = 10) uniform sampler2DShadow shadow;
layout(location = 0) out vec4 colour;
layout(location = 1) out uvec4 numbers;
void main() {
    vec2 at = gl_FragCoord.xy / 32.0;
    float least = floor(gl_FragCoord.y / 8.0);
    float reference = floor(gl_FragCoord.x / 4.0) / 8.0;
    colour.x = textureLod(shadow, vec3(at, reference), max(2.0, least));
    colour.y = textureLodOffset(shadow, vec3(at, reference), max(1.0, least), ivec2(1, -2));
    colour.z = textureLod(shadow, vec3(at, reference), max(2.0, 4.0 - least));
    colour.w = textureLod(shadow, vec3(at, reference), least);
    numbers = uvec4(colour * 255.0);
}
