//! draw 10
//! attribute 0 = i32 1: 10 * iota 0 1
//! attribute 1 = f32 4: 40 * uniform -1 1
//! output 0 = 4 * f32
//! output 1 = f32
//! output 2 = 2 * f32
// Private arrays of vectors and scalars, read and written with dynamic indices.

//@ vertex
#version 450
layout(location = 0) in int number;
layout(location = 1) in vec4 value;
layout(location = 0) out vec4 x;
layout(location = 1) out float y;
layout(location = 2) out vec2 z;
void main() {
    vec4 rows[6];
    float single[5];
    vec2 pairs[3];
    for (int i = 0; i < 6; ++i) rows[i] = value * float(i + 1);
    for (int i = 0; i < 5; ++i) single[i] = value[i & 3] + float(i);
    for (int i = 0; i < 3; ++i) pairs[i] = value.xy * float(i) - value.zw;
    rows[number % 6].yw = vec2(100.0, 200.0);
    single[(number + 2) % 5] = -7.0;
    pairs[number % 3] = pairs[(number + 1) % 3].yx;
    x = rows[(number * 5) % 6] + rows[number % 6].wzyx;
    y = single[number % 5] + single[4];
    z = pairs[(number + 2) % 3] + pairs[number % 3];
    gl_Position = rows[5];
}
