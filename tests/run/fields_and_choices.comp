//! dispatch 2 1 1
//! buffer 0.0 = f32 64 * uniform -20 20
//! buffer 0.1 = zero 1024
//! buffer 0.2 = zero 2048
//! push = f32 1.5; f32 -2.25; u32 0x89abcdef
//! compare 0.2 = f32 abs 0.001 rel 0.001
// Bytes and words of integers, as integers and floats; arrays with few values; comparisons as numbers.
#version 450
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) readonly buffer A { float source[]; };
layout(set = 0, binding = 1) writeonly buffer B { uvec4 exact[]; };
layout(set = 0, binding = 2) writeonly buffer C { vec4 near[][2]; };
layout(push_constant) uniform P { float on; float off; uint packed; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    float x = source[i];
    uint bits = floatBitsToUint(x) * 2654435761u;
    int word = int(bits);
    uint bytes = (bits >> 8 & 0xffu) + ((bits & 0xff0000u) >> 16) * 3u + bitfieldExtract(bits, 24, 8);
    int signs = (word << 8 >> 24) + (word << 16 >> 16) * 5 + bitfieldExtract(word, 16, 8);
    uint words = bits >> 16 ^ (packed >> 8 & 0xffu) ^ bitfieldExtract(bits, 3, 8);

    // Two, two and four values; one, two and four dwords of bits. The matrix is read and written by components.
    vec2 pattern[4][3];
    float rows[40] = float[](
        on, on, on, 0.5, 0.5, 0.5, 0.5, on, on, on, 0.5, 0.5, 0.5, 0.5, on, on, on, 0.5, 0.5, 0.5,
        0.5, on, on, on, 0.5, 0.5, 0.5, 0.5, on, on, on, 0.5, 0.5, 0.5, 0.5, on, on, on, 0.5, 0.5);
    float levels[50] = float[](
        off, 8.0, 4.0, off, 4.0, on, off, 8.0, 4.0, off, on, 8.0, off, 8.0, 4.0, off, 4.0, 8.0, off,
        8.0, on, off, 4.0, 8.0, off, on, 4.0, off, 4.0, 8.0, off, 8.0, 4.0, off, 4.0, on, off, 8.0,
        4.0, off, on, 8.0, off, 8.0, 4.0, off, 4.0, 8.0, off, 8.0);
    for (int k = 0; k < 12; k++) {
        pattern[k / 3][k % 3] = vec2(k % 2 == 0 ? on : off, k % 5 == 0 ? 1.0 : off);
    }
    vec2 chosen = pattern[i & 3u][(i >> 2) % 3u] + pattern[(i >> 3) & 3u][1].yy;
    vec2 parts[8];
    parts[0] = parts[1] = parts[2] = parts[6] = vec2(on, x);
    parts[3] = parts[4] = parts[5] = parts[7] = vec2(off, 2.0);
    float part = parts[i & 7u].y + parts[(i + 1u) & 7u][i & 1u];
    mat4 columns = mat4(vec4(on, off, 1.0, x), vec4(on, off, 1.0, 2.0), vec4(on), vec4(on, off, 3.0, x));
    vec2 single[4];
    single[0].y = on; single[1].y = off; single[2].y = on; single[3].y = off;
    part += columns[i & 3u][(i >> 2) & 3u] + columns[i & 3u].z + single[i & 3u].y;
    float row = rows[i % 40u] + levels[i % 50u];

    float y = source[i ^ 1u];
    float above = float(x > y), positive = float(x > 0.0);
    float both = min(above + positive, 1.0) + above * positive * 2.0 + (1.0 - above) * 4.0;
    float mixed = mix(x, y, float(y > 2.0)) + float(x < -3.0) * y;
    float least = x < y ? x : y;
    float power = exp2(log2(abs(x) + 1.0) * 0.75) + (x - floor(x)) + float(int(y)) + 1.0 / exp2(positive);

    exact[i] = uvec4(bytes, uint(signs), words, i);
    near[i][0] = vec4(float(bits >> 8 & 0xffu) + float(word >> 16), float(bits >> 24), chosen);
    near[i][1] = vec4(row + part, both + mixed, least, power);
}
