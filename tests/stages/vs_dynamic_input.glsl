//! draw 8
//! attribute 0 = f32 4: 32 * uniform -1 1
//! attribute 1 = f32 4: 32 * uniform -1 1
//! attribute 2 = f32 4: 32 * uniform -1 1
//! attribute 3 = u32 2: 16 * iota 0 1
//! output 0 = 4 * f32
//! output 1 = f32
// Attributes that are an array and a matrix, indexed at run time.

//@ vertex
#version 450
layout(location = 0) in vec4 rows[3];
layout(location = 3) in uvec2 which;
layout(location = 0) out vec4 x;
layout(location = 1) out float y;
void main() {
    x = rows[which.x % 3u];
    y = rows[which.y % 3u][which.x & 3u];
    gl_Position = rows[0] + rows[2];
}
