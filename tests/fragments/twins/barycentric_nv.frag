#version 450
layout(push_constant) uniform Push { float side; };
layout(location = 0) in vec4 plain;
layout(location = 0) out vec4 colour;
layout(location = 1) out uvec4 numbers;
void main() {
    vec3 weights = vec3(1.0 - (plain.x + plain.y) / side, plain.xy / side);
    colour = vec4(weights + 64.0 * weights.zxy, plain.w);
    numbers = uvec4(weights * 64.0, 7u);
}
