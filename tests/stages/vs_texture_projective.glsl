//! draw 16
//! texture 0.0 = 2d 8x4x1 rgba8 levels=3 sampler=nearest:repeat:mip=nearest: u8 176 * bits
//! texture 0.1 = 1d 8x1x1 r32f sampler=nearest:clamp: f32 8 * uniform -1 1
//! output 0 = 4 * f32 ulp 4
//! output 1 = f32
// Lookups with a coordinate that divides the others, and an explicit level.

//@ vertex
#version 450
layout(set = 0, binding = 0) uniform sampler2D levels;
layout(set = 0, binding = 1) uniform sampler1D line;
layout(location = 0) out vec4 a;
layout(location = 1) out float b;
void main() {
    float i = float(gl_VertexIndex);
    a = textureProjLod(levels, vec3(i * 0.5 + 0.3, 1.7 - i * 0.25, 2.0), float(gl_VertexIndex % 3))
        + textureProjLod(levels, vec4(i + 0.7, i * 0.5 + 0.2, 9.0, 4.0), 1.0);
    b = textureProjLod(line, vec2(i + 0.5, 16.0), 0.0).x;
    gl_Position = a;
}
