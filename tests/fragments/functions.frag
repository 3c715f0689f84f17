#version 450
//! feature functions with discard
layout(location = 0) in vec4 plain;
layout(location = 0) out vec4 colour;
float checked(float x) {
    if (x < 0.0) discard;
    return x * 2.0;
}
float never(float x) {
    if (x > 1000.0) return 1.0;
    discard;
}
void main() {
    float a = checked(plain.x - 3.0);
    float b = plain.y > 8.0 ? checked(plain.z + 40.0) : 1.0;
    if (int(plain.x) == 17) b += never(plain.y);
    switch (int(plain.y) % 4) {
    case 0:
        a += 1.0;
        break;
    case 1:
        if (plain.x > 25.0) discard;
        a += 2.0;
    case 2:
        b += 0.5;
        break;
    default:
        a = -a;
    }
    colour = vec4(a, b, plain.xy);
}
