#version 450
layout(push_constant) uniform Push { float side; };
layout(location = 0) in vec4 plain;
layout(location = 1) noperspective in vec4 linear;
layout(location = 0) out vec4 colour;
layout(location = 1) out uvec4 numbers;
// The outputs of the vertex shader, for vertex i.
vec2 place(int i) { return vec2(i == 1 ? side : 0.0, i == 2 ? side : 0.0); }
float row(int i, int k) { vec2 p = place(i); return k == 0 ? p.x : k == 1 ? p.y : p.x + p.y; }
void main() {
    int chosen = int(gl_FragCoord.x) % 3;
    vec3 weights = vec3(1.0 - (plain.x + plain.y) / side, plain.xy / side);
    colour.xyz = weights + 64.0 * weights.zxy;
    colour.w = plain.w + linear.x;
    numbers = uvec4(chosen + 10, -5 * chosen - 1, 1 << 30, place(chosen).x + 2.0 * row(chosen, 2) + row(1, chosen));
}
