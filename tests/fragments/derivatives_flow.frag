#version 450
//! feature derivatives in uniform flow
layout(location = 0) in vec4 plain;
layout(location = 2) flat in ivec4 number;
layout(location = 0) out vec4 colour;
float slope(float x) { return dFdx(x) + dFdy(x) * 0.5; }
void main() {
    float sum = 0.0;
    // The same for all.
    for (int i = 0; i < number.x; i++) {
        sum += slope(plain.x * float(i) + plain.y);
        if (i == 6) break;
    }
    // The same within a quad.
    if (((int(gl_FragCoord.x) >> 1) & 1) == 0) {
        sum += slope(plain.z * 8.0);
    } else if (((int(gl_FragCoord.y) >> 1) & 1) == 0) {
        sum -= fwidth(plain.y * 16.0);
    }
    // Not the same, but the derivative is outside.
    float chosen = plain.x > plain.y ? plain.x * 2.0 : plain.x * 2.0 + plain.y;
    float before = dFdxFine(chosen);
    if (plain.x > 9.0) sum += before;
    colour = vec4(sum, before, slope(sum * 0.0), 1.0);
}
