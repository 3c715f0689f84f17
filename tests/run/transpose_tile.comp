//! dispatch 3 2 1
//! push = u32 48 32
//! buffer 0.0 = u32 1536 * bits
//! buffer 0.1 = zero 6144
#version 450
layout(local_size_x = 16, local_size_y = 8) in;
layout(push_constant) uniform Push { uint width, height; };
layout(set = 0, binding = 0) readonly buffer In { uint source[]; };
layout(set = 0, binding = 1) writeonly buffer Out { uint result[]; };
shared uint tile[16][17];

void main() {
    uvec2 base = gl_WorkGroupID.xy * 16, l = gl_LocalInvocationID.xy;
    for (uint y = l.y; y < 16; y += 8) tile[y][l.x] = source[(base.y + y) * width + base.x + l.x];
    barrier();
    for (uint y = l.y; y < 16; y += 8) result[(base.x + y) * height + base.y + l.x] = tile[l.x][y];
}
