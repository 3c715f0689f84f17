#version 450
// The index is known at run time only. Two elements are stored, the others keep what was stored before.
//! feature outputs indexed at run time
layout(location = 0) in vec4 plain;
layout(location = 0) out vec4 colour[1];
layout(location = 1) out uvec4 bits;
layout(location = 2) out vec4 more[4];
void main() {
    colour[0] = plain;
    bits = uvec4(7);
    for (int i = 0; i < 4; i++) more[i] = vec4(float(i));
    int at = int(plain.x) & 3;
    colour[at >> 2] += plain.yxwz;
    more[at] = plain * 2.0;
    if (plain.y > 12.0)
        more[int(plain.y) & 3].yz = plain.xy + 1.0;
    bits = uvec4(abs(more[2] + more[3] + 4.0 * more[0] + more[1]));
}
