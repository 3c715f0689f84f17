#version 450
//! feature discard
layout(location = 0) in vec4 plain;
layout(location = 0) out vec4 colour;
void main() {
    if ((int(gl_FragCoord.x) + int(gl_FragCoord.y)) % 3 == 0) discard;
    colour = plain;
    if (plain.x > 20.0 && plain.y < 10.0) discard;
    colour.x += 1.0;
}
