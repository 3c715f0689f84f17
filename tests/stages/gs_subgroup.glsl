//! draw 7
//! attribute 0 = f32 4: 28 * uniform -1 1
//! output position = 4 * f32
//! output 0 = u32
// The number of an invocation in its subgroup, and the size of the subgroup, in a geometry shader.

//@ vertex
#version 450
layout(location = 0) in vec4 place;
void main() { gl_Position = place; }

//@ geometry
#version 450
#extension GL_KHR_shader_subgroup_basic : require
layout(points) in;
layout(points, max_vertices = 1) out;
layout(location = 0) out uint found;
void main() {
    gl_Position = gl_in[0].gl_Position;
    found = gl_SubgroupInvocationID < gl_SubgroupSize ? 1u : 0u;
    EmitVertex();
}
