//! dispatch 2 1 1
//! buffer 0.0 = f32 128 * uniform -20 20
//! buffer 0.1 = zero 1024
//! buffer 0.2 = zero 2048
//! buffer 0.3 = zero 2048
//! push = f32 1.5; u32 0x42003800
//! compare 0.2 = f32 abs 0.02 rel 0.01
// Vectors of half floats: halves of dwords as sources and results, loop variables, scalars, conditions as data, and other
// channels' values.
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_subgroup_extended_types_float16 : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_ballot : require
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) readonly buffer A { vec2 source[]; };
layout(set = 0, binding = 1) buffer B { f16vec4 pairs[]; };
layout(set = 0, binding = 2) writeonly buffer C { float near[]; };
layout(set = 0, binding = 3) writeonly buffer D { uint exact[]; };
layout(push_constant) uniform P { float factor; f16vec2 scalars; };
shared f16vec2 tile[32];

void main() {
    uint i = gl_GlobalInvocationID.x, l = gl_LocalInvocationIndex;
    f16vec2 v = f16vec2(source[i]);
    pairs[i] = f16vec4(v, v.yx);
    tile[l] = v * 0.25hf;
    barrier();
    f16vec4 p = pairs[i];
    // Products and sums of rounded values.
    exact[8 * i + 0] = packFloat2x16(p.xz + p.yw);
    exact[8 * i + 1] = packFloat2x16(p.xy * scalars);
    exact[8 * i + 2] = packFloat2x16(f16vec2(p.x < p.y ? p.x : -p.y, max(abs(p.z), 3.0hf)));
    bvec2 less = lessThan(p.xy, f16vec2(0.0hf, 2.0hf));
    exact[8 * i + 3] = uint(less.x) | uint(less.y) << 1 | uint(any(less)) << 2 | uint(all(less)) << 3;
    exact[8 * i + 4] = packFloat2x16(f16vec2(scalars.x * scalars.y, scalars.x - 0.25hf));
    exact[8 * i + 5] = packFloat2x16(clamp(p.xy, f16vec2(0.0hf), f16vec2(1.0hf)));
    // Another channel's value, and that of the first.
    exact[8 * i + 6] = packFloat2x16(f16vec2(subgroupShuffle(p.x + 1.0hf, gl_SubgroupInvocationID ^ 1u), 0.0hf));
    uint16_t bits = float16BitsToUint16(p.y);
    exact[8 * i + 7] = uint(bits) ^ uint(uint16_t(bits >> 3us)) << 16;
    // Loop variables that are exchanged, and multiply-adds whose sources are packed, halves of dwords, and scalars.
    f16vec2 a = f16vec2(1.0hf, 0.5hf);
    f16vec2 sum = f16vec2(0.0hf);
    for (uint n = 0u; n < (i & 7u) + 1u; n++) {
        sum += tile[(l + n) & 31u] * a;
        sum.x += scalars.x * a.y;
        a = a.yx;
        if (n == 5u) {
            a *= scalars;
            continue;
        }
        sum.y = sum.x > 8.0hf ? sum.y : sum.y + 0.5hf;
    }
    near[4 * i + 0] = float(sum.x);
    near[4 * i + 1] = float(sum.y);
    near[4 * i + 2] = float(dot(p, f16vec4(0.5hf, 0.25hf, 1.0hf, -1.0hf))) * factor;
    near[4 * i + 3] = float(mix(p.x, p.y, 0.75hf) / (1.0hf + p.z * p.z));
}
