#version 450
//! feature weights of vertices by the older extension (BaryCoordNV)
#extension GL_NV_fragment_shader_barycentric : require
//! twin
layout(location = 0) in vec4 plain;
layout(location = 0) out vec4 colour;
layout(location = 1) out uvec4 numbers;
void main() {
    colour = vec4(gl_BaryCoordNV + 64.0 * gl_BaryCoordNoPerspNV.zxy, plain.w);
    numbers = uvec4(gl_BaryCoordNV * 64.0, 7u);
}
