//! dispatch 3 2 2
//! buffer 0.0 = zero 18432
#version 450
layout(local_size_x = 4, local_size_y = 3, local_size_z = 2) in;
layout(set = 0, binding = 0) writeonly buffer Out { uvec4 result[]; };

void main() {
    uvec3 size = gl_NumWorkGroups * gl_WorkGroupSize;
    uvec3 g = gl_GlobalInvocationID;
    uint at = ((g.z * size.y + g.y) * size.x + g.x) * 4;
    result[at] = uvec4(g, gl_LocalInvocationIndex);
    result[at + 1] = uvec4(gl_LocalInvocationID, gl_WorkGroupSize.x);
    result[at + 2] = uvec4(gl_WorkGroupID, gl_WorkGroupSize.y * 10 + gl_WorkGroupSize.z);
    result[at + 3] = uvec4(gl_NumWorkGroups, 5);
}
