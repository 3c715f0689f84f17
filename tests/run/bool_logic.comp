//! dispatch 1 1 1
//! buffer 0.0 = i32 64 * uniform -8 8
//! buffer 0.1 = zero 512
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer In { int source[]; };
layout(set = 0, binding = 1) writeonly buffer Out { uint result[]; };
shared bool flags[64];
struct Options { bool negative, odd; bvec3 three; };

void main() {
    uint i = gl_LocalInvocationIndex;
    int n = source[i];
    Options o = Options(n < 0, (n & 1) == 1, bvec3(n > 1, n > 2, n > 3));
    flags[i] = o.negative ^^ o.odd;
    barrier();
    bvec4 v = bvec4(o.three, flags[i ^ 1]);
    bool kept[3] = bool[](o.odd, !o.negative, any(v));
    uint bits = uint(all(v)) | uint(any(v)) << 1 | uint(!o.odd) << 2 | uint(o.negative == o.odd) << 3
              | uint(kept[i % 3]) << 4 | uint(v[i & 3]) << 5 | uint(all(not(v))) << 6
              | uint(o.negative || (o.odd && v.w)) << 7 | uint(v == bvec4(true, false, false, v.w)) << 8
              | uint(mix(o.odd, o.negative, v.x)) << 9;
    result[i * 2] = bits;
    bool running = true;
    uint steps = 0;
    while (running) { steps++; running = steps < uint(abs(n)) && !(steps == 6 && o.odd); }
    result[i * 2 + 1] = steps;
}
