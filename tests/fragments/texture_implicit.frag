#version 450
//! feature implicit level, bias, projection, offsets
//! textures
layout(location = 0) in vec4 plain;
layout(location = 0) out vec4 colour;
layout(location = 1) out uvec4 bits;
layout(set = 0, binding = 1) uniform sampler2D flat_;
void main() {
    vec2 at = plain.xy / 32.0;
    vec4 same = texture(flat_, at);
    // One texel across, eight down: level 3.
    vec4 long_ = texture(flat_, vec2(at.x, at.y * 8.0));
    // Level 2 and a bias.
    vec4 biased = texture(flat_, at * 4.0, 1.25);
    vec4 moved = textureOffset(flat_, at * 2.0, ivec2(3, -2));
    colour = same + long_ * 64.0 + vec4(biased.xy, moved.xy) * 4096.0;
    bits = uvec4(long_.xyz, biased.y);
}
