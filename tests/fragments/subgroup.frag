#version 450
//! feature subgroup operations: laws that hold for any arrangement of pixels
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_KHR_shader_subgroup_quad : require
layout(location = 0) in vec4 plain;
layout(location = 0) out vec4 colour;
layout(location = 1) out uvec4 numbers;
uint bit(bool law, int at) { return law ? 1u << at : 0u; }
void main() {
    uint x = uint(plain.x) * 37u + uint(plain.y) * 101u, lane = gl_SubgroupInvocationID;
    int s = int(x & 255u) - 128;
    float f = float(s);
    bool odd = (x & 1u) == 1u;
    uvec4 all = subgroupBallot(true), odds = subgroupBallot(odd);
    uint count = subgroupBallotBitCount(all), size = gl_SubgroupSize;
    uvec4 first;
    subgroupBarrier();
    // Masks and ballots.
    first.x = bit(subgroupAll(true), 0) | bit(!subgroupAny(false), 1) | bit(subgroupAllEqual(7u), 2);
    first.x |= bit(subgroupAny(odd) == (odds != uvec4(0u)), 3) | bit(subgroupAll(odd) == (odds == all), 4);
    first.x |= bit(subgroupInverseBallot(odds) == odd, 5) | bit(subgroupBallotBitExtract(odds, lane) == odd, 6);
    first.x |= bit((gl_SubgroupEqMask.x == 1u << lane) && gl_SubgroupLeMask.x == (gl_SubgroupLtMask | gl_SubgroupEqMask).x, 7);
    first.x |= bit((gl_SubgroupGeMask & gl_SubgroupLtMask) == uvec4(0u) && (gl_SubgroupGtMask & gl_SubgroupLeMask) == uvec4(0u), 8);
    first.x |= bit(subgroupBallotFindLSB(all) <= lane && subgroupBallotFindMSB(all) >= lane, 9);
    first.x |= bit(subgroupBallotExclusiveBitCount(all) + 1u == subgroupBallotInclusiveBitCount(all), 10);
    first.x |= bit(subgroupElect() == (lane == subgroupBallotFindLSB(all)), 11) | bit(lane < size, 12);
    // Reductions, and scans against them.
    first.y = bit(subgroupAdd(1u) == count, 0) | bit(subgroupInclusiveAdd(x) == subgroupExclusiveAdd(x) + x, 1);
    first.y |= bit(subgroupAdd(f) == float(subgroupAdd(s)), 2) | bit(subgroupMul(odd ? -1 : 1) == ((subgroupBallotBitCount(odds) & 1u) == 1u ? -1 : 1), 3);
    first.y |= bit(subgroupMul(odd ? -1.0 : 1.0) == float(subgroupMul(odd ? -1 : 1)), 4);
    first.y |= bit(subgroupMin(s) <= s && subgroupMax(s) >= s, 5) | bit(subgroupMin(x) <= x && subgroupMax(x) >= x, 6);
    first.y |= bit(subgroupMin(f) == float(subgroupMin(s)) && subgroupMax(f) == float(subgroupMax(s)), 7);
    first.y |= bit((subgroupAnd(x) & ~x) == 0u && (x & ~subgroupOr(x)) == 0u, 8);
    first.y |= bit((subgroupXor(x) & 1u) == (subgroupBallotBitCount(odds) & 1u), 9);
    first.y |= bit(subgroupAnd(odd) == subgroupAll(odd) && subgroupOr(odd) == subgroupAny(odd), 10);
    first.y |= bit(subgroupXor(odd) == ((subgroupBallotBitCount(odds) & 1u) == 1u), 11);
    // Reads of other invocations. All four of a quad exist, if only as helpers.
    first.z = bit(subgroupShuffle(x, lane) == x, 0) | bit(subgroupShuffleXor(subgroupShuffleXor(lane, 1u), 1u) == lane, 1);
    first.z |= bit(subgroupBroadcastFirst(lane) == subgroupBallotFindLSB(all), 2);
    first.z |= bit(subgroupQuadSwapHorizontal(lane) == (lane ^ 1u), 3) | bit(subgroupQuadSwapVertical(lane) == (lane ^ 2u), 4);
    first.z |= bit(subgroupQuadSwapDiagonal(lane) == (lane ^ 3u), 5) | bit(subgroupQuadBroadcast(lane, 2u) == (lane | 3u) - 1u, 6);
    uint up = subgroupShuffleUp(lane, 1u), down = subgroupShuffleDown(lane, 1u);
    first.z |= bit((lane & 1u) == 0u || up == lane - 1u, 7) | bit((lane & 1u) == 1u || down == lane + 1u, 8);
    first.z |= bit(subgroupBroadcast(size, 0u) == size, 9);
    first.w = 1u;
    numbers = first;
    colour = plain;
}
