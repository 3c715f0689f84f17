//! dispatch 3 1 1
//! push = u32 5; i32 -3; f32 1.5
//! buffer 0.0 = zero 768
#version 450
// Conditions and trip counts that are the same for every lane, known only at run time.
layout(local_size_x = 64) in;
layout(push_constant) uniform Push { uint count; int mode; float scale; };
layout(set = 0, binding = 0) writeonly buffer Out { float result[]; };

void main() {
    float x = float(gl_GlobalInvocationID.x);
    for (uint i = 0; i < count; i++) {
        if (mode < 0) x += scale; else x -= scale;
        if (gl_WorkGroupID.x == 1 && i == 2) break;
    }
    if (mode + int(count) == 2) x *= 2.0;
    switch (gl_WorkGroupID.x) {
        case 0: x += 0.5; break;
        case 2: x = -x; break;
    }
    result[gl_GlobalInvocationID.x] = x;
}
