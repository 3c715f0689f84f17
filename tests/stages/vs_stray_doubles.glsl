//! draw 6
//! attribute 0 = i32 1: 0 1 2 2 1 0
//! attribute 1 = f32 4: 24 * uniform -1 1
//! stray 0 = i32 1: 3 -1 100 2147483647 -2147483648 4096
//! output 0 = 4 * f32 abs 1e-5
//! output 1 = u32
// The same of an array of vectors of doubles.

//@ vertex
#version 450
layout(location = 0) in int i;
layout(location = 1) in vec4 a;
layout(location = 0) out vec4 kept;
layout(location = 1) out uint found;
void main() {
    vec4 more = a * 3.0;
    dvec4 t[3];
    for (int k = 0; k < 3; ++k) t[k] = dvec4(a) + double(k);
    t[i] = dvec4(-100.0);
    dvec4 read = t[2 - i];
    bool ok = true;
    for (int c = 0; c < 4; ++c) {
        bool one = read[c] == -100.0;
        for (int k = 0; k < 3; ++k) for (int d = 0; d < 4; ++d) one = one || read[c] == double(a[d]) + double(k);
        ok = ok && one;
    }
    found = uint(ok);
    kept = more + a.wzyx;
    gl_Position = a;
}
