#version 450
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(push_constant) uniform Push { float side; };
layout(location = 0) out vec3 half_;
layout(location = 1) flat out ivec2 small;
layout(location = 2) flat out uint words[2];
layout(location = 4, component = 1) out float one;
layout(location = 9) out vec2 plain;
layout(location = 5) out Block { vec4 row[2]; flat uvec3 number; } block;
void main() {
    int i = gl_VertexIndex;
    vec2 p = vec2(i == 1 ? side : 0.0, i == 2 ? side : 0.0);
    half_ = vec3(f16vec3(p, p.x * 0.5 + 1.0));
    small = ivec2(i16vec2(-5 - i, 300 + i));
    words[0] = uint(uint16_t(65535 - i));
    words[1] = uint(i + 1);
    one = float(float16_t(p.y * 2.0));
    plain = p.yx;
    for (int k = 0; k < 2; k++) {
        block.row[k] = vec4(f16vec4(p, p.yx + float(k)));
        block.number = uvec3(40000, i, 77);
    }
    gl_Position = vec4(p / 16.0 - 1.0, 0.5, 1.0);
}
