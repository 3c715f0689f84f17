#version 450
//! feature ballots by the older extension (ARB_shader_ballot)
#extension GL_ARB_shader_ballot : require
#extension GL_ARB_gpu_shader_int64 : require
layout(location = 0) in vec4 plain;
layout(location = 0) out vec4 colour;
layout(location = 1) out uvec4 numbers;
uint bit(bool law, int at) { return law ? 1u << at : 0u; }
void main() {
    uint x = uint(plain.x) * 37u + uint(plain.y) * 101u, lane = gl_SubGroupInvocationARB;
    bool odd = (x & 1u) == 1u;
    uvec2 all = unpackUint2x32(ballotARB(true)), odds = unpackUint2x32(ballotARB(odd));
    uint first = findLSB(all.x);
    uint laws = bit((odds & ~all) == uvec2(0u), 0) | bit((odds.x >> lane & 1u) == uint(odd), 1);
    laws |= bit(readFirstInvocationARB(lane) == first, 2) | bit(readInvocationARB(lane, first) == first, 3);
    laws |= bit(lane < gl_SubGroupSizeARB, 4) | bit(unpackUint2x32(gl_SubGroupEqMaskARB).x == 1u << lane, 5);
    laws |= bit((unpackUint2x32(gl_SubGroupLtMaskARB) & unpackUint2x32(gl_SubGroupGeMaskARB)) == uvec2(0u), 6);
    numbers = uvec4(laws, x, 3u, 4u);
    colour = plain;
}
