#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(push_constant) uniform Push { float side; };
layout(location = 0) flat out ivec2 small;
layout(location = 1) flat out uint bytes[2];
layout(location = 3) flat out uvec3 number;
layout(location = 4) out float sides;
void main() {
    int i = gl_VertexIndex;
    vec2 p = vec2(i == 1 ? side : 0.0, i == 2 ? side : 0.0);
    small = ivec2(-5 - i, 100 + i);
    bytes[0] = uint(255 - i);
    bytes[1] = uint(i + 1);
    number = uvec3(200, i, 77);
    sides = p.x;
    gl_Position = vec4(p / 16.0 - 1.0, 0.5, 1.0);
}
