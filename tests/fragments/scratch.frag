#version 450
// A private array of 1200 dwords, which is indexed at run time: 37.5 KB for eight channels.
//! feature private arrays in scratch memory
layout(location = 0) out vec4 colour;
layout(location = 1) out uvec4 numbers;

void main() {
    uint values[1200];
    uvec2 at = uvec2(gl_FragCoord.xy);
    uint state = at.x * 37u + at.y * 101u;
    for (uint i = 0u; i < 1200u; ++i)
        values[i] = i;
    for (uint i = 0u; i < 40u; ++i) {
        state = state * 1664525u + 1013904223u;
        uint place = (state >> 8) % 1200u;
        values[place] += values[(place * 7u + at.x) % 1200u] + 1u;
    }
    uint sum = 0u;
    for (uint i = 0u; i < 1200u; ++i)
        sum = sum * 31u + values[i];
    colour = vec4(float(values[at.x * 37u]), float(values[at.y * 5u]), float(at.x), 1.0);
    numbers = uvec4(sum, values[(state >> 5) % 1200u], state, at.y);
}
