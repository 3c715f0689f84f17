//! dispatch 5 1 1
//! buffer 0.0 = u32 5 * iota 10 10
#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) buffer Out { uint result[]; };

void main() { result[gl_WorkGroupID.x] += gl_WorkGroupID.x * gl_WorkGroupID.x + 1; }
