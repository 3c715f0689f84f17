#version 450
//! feature derivatives after a discard
layout(location = 0) in vec4 plain;
layout(location = 0) out vec4 colour;
void drop(bool yes) { if (yes) discard; }
void main() {
    // SPIR-V leaves the derivatives undefined, but shaders rely on them: lavapipe and Crestline give them.
    drop(int(plain.x) % 2 == 1);
    if (plain.y > 20.0 && int(plain.y) % 2 == 0) discard;
    colour = vec4(dFdxFine(plain.x * plain.y), dFdyFine(plain.x * plain.y), dFdx(plain.z), 1.0);
}
