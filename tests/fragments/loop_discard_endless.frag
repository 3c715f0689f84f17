#version 450
//! feature loops that only a discard ends
//! buffer 64
layout(location = 0) in vec4 plain;
layout(location = 0) out vec4 colour;
layout(set = 0, binding = 0) buffer Counts { uint counts[16]; };
void main() {
    float slope = dFdx(plain.x) + dFdy(plain.y);
    // Odd columns end here. Nothing else ends their loop.
    for (;;) {
        if ((int(gl_FragCoord.x) & 1) == 1) {
            discard;
        }
        atomicAdd(counts[int(gl_FragCoord.x) & 15], 1u);
        break;
    }
    // A whole quad ends in the first iteration, so its loop must end too.
    float step = 0.0;
    int rounds = 0;
    while (rounds < 4) {
        if (gl_FragCoord.y > 16.0) {
            discard;
        }
        step += dFdy(plain.y * float(rounds));
        rounds++;
    }
    colour = vec4(slope, dFdy(plain.y) + step, float(rounds), 1.0);
}
