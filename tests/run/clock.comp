//! dispatch 2 1 1
//! buffer 0.0 = zero 256
//! buffer 0.1 = u32 64 * iota 1 3
//! unjudged the judge does not enable clocks
//! expect 0.0 = u32 64 * fill 15
// The clock increases, in uniform and divergent flow, in both forms.
#version 450
#extension GL_ARB_shader_clock : require
#extension GL_EXT_shader_realtime_clock : require
#extension GL_ARB_gpu_shader_int64 : require
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer Out { uint result[64]; };
layout(set = 0, binding = 1) buffer In { uint data[64]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    uint64_t first = clockARB();
    uvec2 start = clock2x32ARB();
    uint sum = 0u;
    for (uint k = 0u; k < 4u + (i & 3u); k++) sum += data[(i + k) & 63u] * k;
    uint found = uint(packUint2x32(start) >= first);
    uint64_t device = clockRealtimeEXT();
    found |= uint(device > packUint2x32(start)) << 1;
    if ((sum & 1u) == (i & 1u)) {
        found |= uint(clockARB() > device) << 2;
    } else {
        found |= 4u;
    }
    found |= uint(clockARB() > clockARB() || sum > 0u) << 3;
    result[i] = found;
}
