#version 450
#extension GL_ARB_sparse_texture_clamp : require
//! feature least level of detail of a comparison
//! twin
//! shadow
layout(set = 0, binding = 10) uniform sampler2DShadow shadow;
layout(location = 0) out vec4 colour;
layout(location = 1) out uvec4 numbers;
void main() {
    vec2 at = gl_FragCoord.xy / 32.0;
    // The gradients give level 2 and level 1. A reference that is at most the depth of the level is found.
    float least = floor(gl_FragCoord.y / 8.0);
    float reference = floor(gl_FragCoord.x / 4.0) / 8.0;
    vec2 wide = vec2(0.125, 0.0), narrow = vec2(0.0, 0.0625);
    colour.x = textureGradClampARB(shadow, vec3(at, reference), wide, narrow, least);
    colour.y = textureGradOffsetClampARB(shadow, vec3(at, reference), narrow.yx, narrow, ivec2(1, -2), least);
    colour.z = textureGradClampARB(shadow, vec3(at, reference), wide, narrow, 4.0 - least);
    colour.w = textureClampARB(shadow, vec3(at, reference), least);
    numbers = uvec4(colour * 255.0);
}
