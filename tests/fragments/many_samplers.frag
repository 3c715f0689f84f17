#version 450
// Twenty textures. The samplers from the sixteenth on repeat mirrored images, so a read with a wrong sampler differs.
//! feature more than sixteen samplers
//! buffer 16
//! many
layout(set = 0, binding = 0) buffer Zero { uint zero[4]; };
layout(set = 0, binding = 7) uniform sampler2D many[20];
layout(location = 0) out vec4 colour;
layout(location = 1) out uvec4 bits;

void main() {
    vec2 at = gl_FragCoord.xy / 8.0 - 1.0;
    vec4 sum = texture(many[0], at) + 2.0 * texture(many[15], at) + 4.0 * textureOffset(many[16], at, ivec2(1, -3));
    sum += 8.0 * textureLod(many[19], at, 0.0);
    uint first = zero[1];
    for (uint i = first; i < first + 20u; i += 3u)
        sum = sum * 2.0 + texture(many[i], at.yx);
    colour = sum;
    bits = uvec4(textureGather(many[17], at + 1.0 / 16.0, 1) + 16.0 * textureGather(many[first + 18u], at + 1.0 / 16.0, 2));
    bits += uvec4(texelFetch(many[first + 17u], ivec2(gl_FragCoord.xy) / 4, 0)) << 16;
    if (gl_FragCoord.x < 1.0 && gl_FragCoord.y < 1.0)
        zero[0] = 5u;
}
