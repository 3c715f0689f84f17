#version 450
#extension GL_EXT_nonuniform_qualifier : require
//! feature query of the level of detail of own elements
//! sides
//! twin
layout(set = 0, binding = 8) uniform sampler2D sides[3];
layout(location = 0) out vec4 colour;
layout(location = 1) out uvec4 numbers;
void main() {
    uvec2 pixel = uvec2(gl_FragCoord.xy);
    // The four pixels of a quad have different textures.
    uint own = (pixel.x + 2u * pixel.y) % 3u;
    // Each pixel is a power of two of texels apart from the next one, so that levels are exact.
    vec2 at = gl_FragCoord.xy / 32.0;
    colour.xy = textureQueryLod(sides[nonuniformEXT(own)], at * 4.0);
    colour.zw = textureQueryLod(sides[nonuniformEXT(own)], at * vec2(0.5, 0.25));
    if (pixel.y > 15u)
        colour += vec4(textureQueryLod(sides[nonuniformEXT(2u - own)], at * 8.0), 0.0, 1.0);
    numbers = uvec4(textureQueryLevels(sides[nonuniformEXT(own)]), textureSize(sides[nonuniformEXT(own)], 1), own);
}
