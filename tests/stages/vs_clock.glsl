//! draw 7
//! attribute 0 = f32 4: 28 * uniform -1 1
//! output position = 4 * f32
//! output 0 = u32
// The clock increases, in uniform and divergent flow. The judge, which has no clock, runs a twin.

//@ vertex
#version 450
#extension GL_ARB_shader_clock : require
#extension GL_EXT_shader_realtime_clock : require
#extension GL_ARB_gpu_shader_int64 : require
layout(location = 0) in vec4 place;
layout(location = 0) flat out uint found;
void main() {
    uvec2 first = unpackUint2x32(clockARB());
    uvec2 start = clock2x32ARB();
    vec4 sum = place;
    for (int k = 0; k < 4 + (gl_VertexIndex & 3); k++) sum = sum.yzwx * 0.5 + place;
    found = uint(start.y > first.y || start.y == first.y && start.x >= first.x);
    uvec2 device = clockRealtime2x32EXT();
    found |= uint(device.y > start.y || device.y == start.y && device.x > start.x) << 1;
    found |= 4u;
    if (sum.x > sum.y) {
        uvec2 end = clock2x32ARB();
        found &= ~4u | uint(end.y > device.y || end.y == device.y && end.x > device.x) << 2;
    }
    gl_Position = place;
}

//@ twin
#version 450
layout(location = 0) in vec4 place;
layout(location = 0) flat out uint found;
void main() {
    found = 7u;
    gl_Position = place;
}
