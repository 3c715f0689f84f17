//! draw 12
//! attribute 0 = i32 1: 12 * iota 0 1
//! attribute 1 = f32 4: 48 * uniform -1 1
//! output 0 = 4 * f32
//! output 1 = 2 * f32
//! output 2 = f32
// Private arrays of doubles, written where vertices part and read with indices of their own.

//@ vertex
#version 450
layout(location = 0) in int number;
layout(location = 1) in vec4 value;
layout(location = 0) out vec4 x;
layout(location = 1) out vec2 y;
layout(location = 2) out float z;
void main() {
    dvec4 rows[3];
    double single[5];
    dvec2 pairs[4];
    for (int i = 0; i < 3; ++i) rows[i] = dvec4(value) * double(i + 1);
    for (int i = 0; i < 5; ++i) single[i] = double(value[i & 3]) + double(i);
    for (int i = 0; i < 4; ++i) pairs[i] = dvec2(value.zw) - double(i);
    if ((number & 1) == 0) {
        rows[number % 3].yw = dvec2(100.0, 200.0);
        single[(number + 2) % 5] = -7.0;
    } else {
        pairs[number % 4] = pairs[(number + 1) % 4].yx;
        for (int i = 0; i < number; i += 3) single[i % 5] += 0.5lf;
    }
    x = vec4(rows[(number * 5) % 3].wzyx + rows[number % 3]);
    y = vec2(pairs[(number + 3) % 4] + pairs[number % 4].yx);
    z = float(single[number % 5] + single[4]);
    gl_Position = vec4(rows[2]);
}
