//! dispatch 3 1 1
//! buffer 0.0 = zero 600
// The index of the workgroup with threads that are not full at any width, first needed where only some invocations run,
// then by all of them.
#version 450
layout(local_size_x = 5, local_size_y = 5, local_size_z = 2) in;
layout(set = 0, binding = 0) buffer Out { uint result[]; };

void main() {
    if ((gl_LocalInvocationID.x & 1) == 1) {
        result[gl_WorkGroupID.x * 50 + gl_LocalInvocationIndex] = 1000 + gl_LocalInvocationIndex;
    }
    for (uint i = 0; i < gl_LocalInvocationID.y; i++) {
        result[gl_WorkGroupID.x * 50 + gl_LocalInvocationIndex] += gl_LocalInvocationIndex * i + 1;
    }
}
