//! draw 5
//! texture 0.0 = 2d_array 4x4x2 rgba8 sampler=nearest:clamp: u8 128 * bits
//! texture 0.1 = buffer 16x1x1 r32f: f32 16 * uniform -1 1
//! output position = 4 * f32 ulp 1
//! output 0 = 4 * f32 ulp 1
// A sprite whose corners and colors come from textures, in a loop, and of some points nothing.

//@ vertex
#version 450
layout(location = 0) out flat int number;
void main() {
    number = gl_VertexIndex;
    gl_Position = vec4(0.0);
}

//@ geometry
#version 450
layout(points) in;
layout(triangle_strip, max_vertices = 4) out;
layout(set = 0, binding = 0) uniform sampler2DArray sheet;
layout(set = 0, binding = 1) uniform samplerBuffer corners;
layout(location = 0) in flat int number[];
layout(location = 0) out vec4 color;
void main() {
    for (int i = 0; i < number[0]; ++i) {
        vec2 at = vec2(i & 1, i >> 1);
        color = textureLodOffset(sheet, vec3(at, float(i & 1)), 0.0, ivec2(-1, 1)) + textureGather(sheet, vec3(0.5, at), 3);
        gl_Position = vec4(texelFetch(corners, 4 * i + number[0]).x, at, 1.0);
        EmitVertex();
    }
}
