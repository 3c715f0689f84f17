#version 450
//! feature derivatives after a discard in loops
//! textures
layout(location = 0) in vec4 plain;
layout(location = 0) out vec4 colour;
layout(location = 1) out uvec4 numbers;
layout(set = 0, binding = 1) uniform sampler2D flat_;
void main() {
    vec2 at = plain.xy / 32.0;
    vec4 sum = vec4(0.0);
    uint steps = 0u;
    int count = 3 + (int(gl_FragCoord.x) >> 1 & 3);
    // In three of four quads one invocation ends in some iteration; the others go on with derivatives and a read.
    for (int i = 0; i < count; i++) {
        if (((int(gl_FragCoord.x) + 3 * int(gl_FragCoord.y)) & 7) == 2 * i) {
            discard;
        }
        sum = sum * 4.0 + texture(flat_, at * exp2(float(i)));
        steps += uint(64.0 * dFdx(float(i) * at.x + at.y * at.x) + 64.0 * dFdy(at.y));
    }
    colour = sum;
    numbers = uvec4(steps, uint(abs(dFdx(sum.y)) + abs(dFdy(sum.z))), 1u, 2u);
}
