//! draw 10
//! attribute 0 = i32 1: 0 1 1 0 1 0 1 1 0 0
//! attribute 1 = f32 4: 40 * uniform -1 1
//! attribute 2 = f32 4: 40 * uniform 2 3
//! attribute 3 = f32 4: 40 * uniform 4 5
//! attribute 4 = f32 4: 40 * uniform 6 7
//! stray 0 = i32 1: -1 4 5 1000 -7 2147483647 -2147483648 65536 4096 3
//! push = f32 8 * uniform 10 20
//! output 0 = 4 * f32
//! output 1 = u32
//! output 2 = 4 * f32
// Indices out of range of private arrays, inputs, constants and outputs: something of the array is read, and nothing else
// is written.

//@ vertex
#version 450
layout(location = 0) in int i;
layout(location = 1) in vec4 a;
layout(location = 2) in vec4 rows[3];
layout(push_constant) uniform Push { vec4 colors[2]; };
layout(location = 0) out vec4 kept;
layout(location = 1) out uint found;
layout(location = 2) out vec4 also_kept;
layout(location = 3) out vec4 moved[3];
void main() {
    vec4 more = a * 3.0;
    // Arrays beside one another: an index beyond one may lead to the next.
    moved[0] = moved[1] = moved[2] = a;
    vec4 t[4];
    for (int k = 0; k < 4; ++k) t[k] = a + float(k);
    t[i] = vec4(-100.0);
    vec4 read = t[3 - i];
    bool ok = read == vec4(-100.0);
    for (int k = 0; k < 4; ++k) ok = ok || read == a + float(k);
    vec4 row = rows[i];
    bool of_rows = row == rows[0] || row == rows[1] || row == rows[2];
    vec4 color = colors[i];
    bool of_colors = all(greaterThanEqual(color, vec4(10.0))) && all(lessThanEqual(color, vec4(20.0)));
    moved[i] = t[0];
    found = uint(ok) | uint(of_rows) << 1 | uint(of_colors) << 2;
    kept = more + a.wzyx;
    also_kept = more - a;
    gl_Position = a;
}
