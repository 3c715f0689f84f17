#version 450
layout(set = 0, binding = 1) uniform sampler2D flat_;
layout(set = 0, binding = 2) uniform samplerCube cube;
layout(location = 0) out vec4 colour;
layout(location = 1) out uvec4 numbers;
void main() {
    vec2 at = gl_FragCoord.xy / 32.0;
    float least = 2.0 + floor(gl_FragCoord.y / 8.0);
    float level = textureQueryLod(flat_, at * 2.0).y;
    colour = textureLod(flat_, at * 2.0, max(level, least)) + 64.0 * textureLod(flat_, at * 8.0, 3.0);
    colour += 4096.0 * textureLod(flat_, at * 2.0, max(level + 0.75, least));
    numbers = uvec4(textureLod(flat_, at, max(2.0, least)));
    vec3 direction = vec3(1.0, at * 0.5);
    numbers.w += uint(textureLod(cube, direction, max(1.0, least - 1.0)).x) * 100u;
}
