//! draw 5
//! attribute 0 = f32 4: 20 * uniform -1 1
//! output 0 = 4 * u32
//! output position = 4 * f32
// Built-ins of subgroups: what holds whatever their size is. The numbers themselves are not captured: they are no other
// implementation's.

//@ vertex
#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
layout(location = 0) in vec4 place;
layout(location = 0) flat out uvec4 facts;
layout(location = 1) flat out uvec4 id;
void main() {
    gl_Position = place;
    uint own = gl_SubgroupInvocationID, all = 0xffffffffu >> (32u - gl_SubgroupSize);
    facts.x = uint(own < gl_SubgroupSize);
    facts.y = uint(gl_SubgroupEqMask.x == 1u << own);
    facts.z = uint(gl_SubgroupLtMask.x == (1u << own) - 1u);
    facts.w = uint((gl_SubgroupGeMask.x | gl_SubgroupLtMask.x) == all && gl_SubgroupEqMask.yzw == uvec3(0));
    id = uvec4(own, gl_SubgroupSize, gl_SubgroupLeMask.x, gl_SubgroupGtMask.x);
}
