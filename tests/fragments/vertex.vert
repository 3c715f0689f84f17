#version 450
// The vertex shader of all cases: one triangle, whose corners are given in pixels of a picture of 32 by 32. The values at a
// corner are linear in its place, so that those of a pixel are dyadic fractions where the triangle's sides are powers of two.

layout(push_constant) uniform Push { float side; };

layout(location = 0) out vec4 plain;
layout(location = 1) noperspective out vec4 linear;
layout(location = 2) flat out ivec4 number;
layout(location = 3) centroid out vec2 inside;
layout(location = 4) out float rows[3];
layout(location = 7, component = 0) out float first;
layout(location = 7, component = 2) out vec2 second;
layout(location = 8) out Block { vec4 one; flat uvec2 two; noperspective float three; } block;

void main() {
    int i = gl_VertexIndex;
    vec2 p = vec2(i == 1 ? side : 0.0, i == 2 ? side : 0.0);
    plain = vec4(p, p.x - 2.0 * p.y, 0.5 * p.x + 0.25 * p.y + 3.0);
    linear = plain.wzyx;
    number = ivec4(i + 10, -5 * i - 1, 1 << 30, i);
    inside = p.yx;
    rows[0] = p.x;
    rows[1] = p.y;
    rows[2] = p.x + p.y;
    first = p.x + 1.0;
    second = p.yx * 2.0;
    block.one = plain.yxwz;
    block.two = uvec2(i + 3, 0xffffffffu - uint(i));
    block.three = p.y - 1.0;
    gl_Position = vec4(p / 16.0 - 1.0, 0.5, 1.0);
}
