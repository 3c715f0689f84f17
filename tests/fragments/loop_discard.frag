#version 450
//! feature discard in loops
layout(location = 0) in vec4 plain;
layout(location = 0) out vec4 colour;
void main() {
    float x = plain.x;
    int rounds = 0;
    while (true) {
        x = x * 0.5;
        rounds++;
        if (x < 0.125 && plain.y > 3.0 * x) break;
        if (rounds > 6 && int(plain.y) % 4 == 1) discard;
        for (int i = 0; i < 3; i++) {
            if (rounds == 4 && i == 2 && int(plain.x) % 7 == 3) discard;
            x += 0.0078125;
        }
        if (rounds > 12) break;
    }
    colour = vec4(x, rounds, plain.xy);
}
