#version 450
//! feature weights and values of single vertices (BaryCoordKHR, PerVertexKHR)
#extension GL_EXT_fragment_shader_barycentric : require
//! twin
layout(location = 0) pervertexEXT in vec4 plain[3];
layout(location = 1) noperspective in vec4 linear;
layout(location = 2) pervertexEXT in ivec4 number[3];
layout(location = 4) pervertexEXT in float rows[3][3];
layout(location = 0) out vec4 colour;
layout(location = 1) out uvec4 numbers;
void main() {
    int chosen = int(gl_FragCoord.x) % 3;
    colour.xyz = gl_BaryCoordEXT + 64.0 * gl_BaryCoordNoPerspEXT.zxy;
    colour.w = dot(gl_BaryCoordEXT, vec3(plain[0].w, plain[1].w, plain[2].w)) + linear.x;
    numbers = uvec4(number[chosen].xyz, plain[chosen].x + 2.0 * rows[chosen][2] + rows[1][chosen]);
}
