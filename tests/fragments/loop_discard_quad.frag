#version 450
//! feature loops that helpers leave when all of four pixels are discarded
layout(location = 0) in vec4 plain;
layout(location = 0) out vec4 colour;
layout(location = 1) out uvec4 numbers;
void main() {
    int rounds = 0;
    float sum = 0.0;
    // Nothing but the discard ends the loop in odd columns.
    for (;;) {
        rounds++;
        if ((int(gl_FragCoord.x) & 1) == 1)
            discard;
        else if (rounds > (int(gl_FragCoord.y) & 3))
            break;
        sum += plain.y * float(rounds);
    }
    colour = vec4(sum, dFdy(plain.y + float(rounds)), float(rounds), 1.0);
    numbers = uvec4(rounds, uint(plain.x), 1, 2);
}
