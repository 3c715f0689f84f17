#version 450
//! feature storage buffers and atomics with helper invocations
//! buffer 8192
//! side 32.5
layout(location = 0) out vec4 colour;
layout(set = 0, binding = 0) buffer Data { uint count; uint most; uint data[]; };
void main() {
    // Helpers at the triangle's edge neither store nor count.
    uint at = uint(gl_FragCoord.x) + 32u * uint(gl_FragCoord.y);
    data[at] = at + 1u;
    atomicAdd(count, 1u);
    atomicMax(most, at);
    float product = gl_FragCoord.x * gl_FragCoord.y;
    colour = vec4(dFdxFine(product), dFdyFine(product), fwidth(gl_FragCoord.x), at);
}
