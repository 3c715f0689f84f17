#version 450
#extension GL_EXT_multiview : require
//! feature number of the view (multiview)
//! view 2
// A view has an offset and a stripe of its own; the number is also an index and decides a branch.
layout(location = 0) in vec4 plain;
layout(location = 0) out vec4 colour;
layout(location = 1) out uvec4 numbers;

const vec4 OFFSETS[4] = vec4[](vec4(1.0), vec4(2.0, 4.0, 8.0, 16.0), vec4(0.5), vec4(7.0));

void main() {
    colour = plain + OFFSETS[gl_ViewIndex];
    uint stripe = uint(plain.x) >> gl_ViewIndex;
    if (gl_ViewIndex == 2) {
        stripe += 100u;
    }
    numbers = uvec4(gl_ViewIndex, stripe, uint(gl_ViewIndex) * 3u, 9u);
}
