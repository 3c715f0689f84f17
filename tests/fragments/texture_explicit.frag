#version 450
//! feature explicit level, gradients, fetch, offsets
//! textures
layout(location = 0) in vec4 plain;
layout(location = 0) out vec4 colour;
layout(location = 1) out uvec4 bits;
layout(set = 0, binding = 1) uniform sampler2D flat_;
void main() {
    vec2 at = plain.xy / 32.0;
    vec4 first = textureLod(flat_, at, 1.75);
    vec4 second = textureGrad(flat_, at, vec2(0.125, 0.0), vec2(0.0, 0.0625));
    // The level of the quad, in flow that is the same for each quad.
    vec4 third = vec4(0.0);
    if (((int(gl_FragCoord.x) >> 1) & 1) == 1) third = textureProj(flat_, vec3(at * 8.0, 2.0));
    // After a choice that is the same for each quad: lavapipe takes one level for four pixels.
    vec2 chosen = (int(plain.x) >> 1) > (int(plain.y) >> 1) ? at * 2.0 : at * 2.0 + vec2(4.0, 8.0);
    vec4 fourth = texture(flat_, chosen);
    colour = first + second * 64.0 + third * 4096.0;
    bits = uvec4(fourth.xyz, textureQueryLevels(flat_));
}
