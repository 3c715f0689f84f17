#version 450
//! feature blocks and arrays of inputs and outputs
layout(location = 0) in vec4 plain;
layout(location = 2) flat in ivec4 number;
struct Light { vec3 colour; float weight; };
Light lights[4];
layout(location = 0) out vec4 colour;
void main() {
    for (int i = 0; i < 4; i++) lights[i] = Light(plain.xyw * float(i), float(i + number.x));
    int which = int(plain.x + plain.y) % 4;
    vec3 sum = vec3(0.0);
    for (int i = 0; i <= which; i++) sum += lights[i].colour * (i == which ? 1.0 : 0.5);
    colour = vec4(sum, lights[3 - which].weight);
}
