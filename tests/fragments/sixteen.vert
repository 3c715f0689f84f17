#version 450
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(push_constant) uniform Push { float side; };
layout(location = 0) out f16vec3 half_;
layout(location = 1) flat out i16vec2 small;
layout(location = 2) flat out uint16_t words[2];
layout(location = 4, component = 1) out float16_t one;
layout(location = 9) out vec2 plain;
layout(location = 5) out Block { f16vec4 row[2]; flat u16vec3 number; } block;
void main() {
    int i = gl_VertexIndex;
    vec2 p = vec2(i == 1 ? side : 0.0, i == 2 ? side : 0.0);
    half_ = f16vec3(p, p.x * 0.5 + 1.0);
    small = i16vec2(-5 - i, 300 + i);
    words[0] = uint16_t(65535 - i);
    words[1] = uint16_t(i + 1);
    one = float16_t(p.y * 2.0);
    plain = p.yx;
    for (int k = 0; k < 2; k++) {
        block.row[k] = f16vec4(p, p.yx + float(k));
        block.number = u16vec3(40000, i, 77);
    }
    gl_Position = vec4(p / 16.0 - 1.0, 0.5, 1.0);
}
