#version 450
//! feature early return
layout(location = 0) in vec4 plain;
layout(location = 0) out vec4 colour;
layout(location = 1) out uvec4 bits;
int search(float limit) {
    for (int i = 0; i < 40; i++) {
        if (float(i) * 0.75 > limit) return i;
    }
    return -1;
}
void main() {
    colour = vec4(0.0);
    bits = uvec4(9u);
    if (plain.x < 4.0) return;
    int found = search(plain.y);
    bits.x = uint(found);
    if (found > 20) {
        colour.y = 3.0;
        if (plain.x > 16.0) return;
        colour.z = 4.0;
    }
    for (int i = 0; i < found; i++) {
        colour.x += float(i);
        if (colour.x > 50.0) {
            bits.y = uint(i);
            return;
        }
    }
    colour.w = 1.0;
}
