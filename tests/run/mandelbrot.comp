//! dispatch 8 8 1
//! push = f32 -2.25 -1.5 0.046875 0.046875; u32 96
//! buffer 0.0 = zero 16384
#version 450
// `precise`: the counts are compared exactly, so no engine may fuse the multiplications.
layout(local_size_x = 8, local_size_y = 8) in;
layout(push_constant) uniform Push { vec2 origin; vec2 step; uint limit; };
layout(set = 0, binding = 0) writeonly buffer Out { uint counts[]; };

void main() {
    precise vec2 c = origin + vec2(gl_GlobalInvocationID.xy) * step;
    precise vec2 z = vec2(0.0);
    uint n = 0;
    while (n < limit) {
        precise float xx = z.x * z.x;
        precise float yy = z.y * z.y;
        if (xx + yy > 4.0) break;
        precise float xy = z.x * z.y;
        z = vec2(xx - yy, xy + xy) + c;
        n++;
    }
    counts[gl_GlobalInvocationID.y * 64 + gl_GlobalInvocationID.x] = n;
}
