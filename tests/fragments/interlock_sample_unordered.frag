#version 450
//! feature critical sections of the invocations for one sample, unordered
#extension GL_ARB_fragment_shader_interlock : require
//! twin
//! buffer 4096
layout(sample_interlock_unordered) in;
layout(location = 0) in vec4 plain;
layout(location = 0) out vec4 colour;
layout(set = 0, binding = 0) coherent buffer Data { uint data[]; };
void main() {
    uint at = uint(gl_FragCoord.x) + 32u * uint(gl_FragCoord.y);
    beginInvocationInterlockARB();
    data[at] = data[at] * 3u + uint(plain.x) + 1u;
    endInvocationInterlockARB();
    colour = plain;
}
