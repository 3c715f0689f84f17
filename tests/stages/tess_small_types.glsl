//! draw 6
//! topology patches 3
//! attribute 0 = f32 4: 24 * uniform -1 1
//! buffer 0.0 = u16 11 * bits
//! buffer 0.1 = u32 4 * bits
//! uniform 0.2 = u16 6 * bits
//! points 0
//! output 0 = 4 * f32
//! output 1 = 4 * f32 abs 1e-2
//! output 2 = 4 * u32
// Words, bytes and half floats in tessellation shaders.

//@ vertex
#version 450
layout(location = 0) in vec4 place;
layout(location = 0) out vec4 at;
void main() {
    at = place;
}

//@ tess_control
#version 450
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(vertices = 3) out;
layout(std430, set = 0, binding = 0) readonly buffer Words { uint16_t words[11]; };
layout(std430, set = 0, binding = 1) buffer Bytes { uint8_t bytes[16]; };
layout(location = 0) in vec4 at[];
layout(location = 0) out vec4 next[];
layout(location = 1) patch out uint most;
void main() {
    uint16_t w = words[gl_PrimitiveID * 3 + gl_InvocationID + 5];
    next[gl_InvocationID] = at[gl_InvocationID] * float(float16_t(int16_t(w) >> int16_t(4)));
    bytes[gl_PrimitiveID * 3 + gl_InvocationID] = uint8_t(w >> uint16_t(5));
    if (gl_InvocationID == 0) {
        most = uint(max(words[0], words[1]));
        gl_TessLevelOuter[0] = 2.0;
        gl_TessLevelOuter[1] = 1.0;
        gl_TessLevelOuter[2] = 3.0;
        gl_TessLevelInner[0] = 2.0;
    }
}

//@ tess_eval
#version 450
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(triangles, equal_spacing, ccw) in;
layout(std140, set = 0, binding = 2) uniform Words { u16vec4 words; int8_t a; int8_t b; uint16_t c; };
layout(location = 0) in vec4 next[];
layout(location = 1) patch in uint most;
layout(location = 0) out vec4 point;
layout(location = 1) out vec4 x;
layout(location = 2) flat out uvec4 y;
void main() {
    point = vec4(gl_TessCoord, gl_PrimitiveID);
    f16vec4 v = f16vec4(0.0);
    for (int i = 0; i < 3; ++i) v += f16vec4(next[i] * 0.01) * float16_t(gl_TessCoord[i]);
    x = vec4(v);
    y = uvec4(words.zw, uint(int(a) + int(b)), uint(c)) + uvec4(most & 0xffu);
}
