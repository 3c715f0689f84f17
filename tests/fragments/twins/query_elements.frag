#version 450
// The queries of all elements, of which each pixel chooses one. Lavapipe has no elements that differ between pixels.
layout(set = 0, binding = 8) uniform sampler2D sides[3];
layout(location = 0) out vec4 colour;
layout(location = 1) out uvec4 numbers;
vec2 query(uint own, vec2 at) {
    vec2 first = textureQueryLod(sides[0], at), second = textureQueryLod(sides[1], at), third = textureQueryLod(sides[2], at);
    return own == 0u ? first : own == 1u ? second : third;
}
void main() {
    uvec2 pixel = uvec2(gl_FragCoord.xy);
    uint own = (pixel.x + 2u * pixel.y) % 3u;
    vec2 at = gl_FragCoord.xy / 32.0;
    colour.xy = query(own, at * 4.0);
    colour.zw = query(own, at * vec2(0.5, 0.25));
    vec2 other = query(2u - own, at * 8.0);
    if (pixel.y > 15u)
        colour += vec4(other, 0.0, 1.0);
    uint levels[3] = uint[](textureQueryLevels(sides[0]), textureQueryLevels(sides[1]), textureQueryLevels(sides[2]));
    ivec2 sizes[3] = ivec2[](textureSize(sides[0], 1), textureSize(sides[1], 1), textureSize(sides[2], 1));
    numbers = uvec4(levels[own], sizes[own], own);
}
