//! draw 6
//! attribute 0 = f32 4: 24 * uniform -1 1
//! feedback 4
// Transform feedback as the shader declares it: several buffers, built-ins, arrays, matrices, doubles, blocks, an array of blocks, gaps.

//@ vertex
#version 450
layout(location = 0) in vec4 place;
layout(xfb_buffer = 1, xfb_stride = 144) out;
layout(xfb_buffer = 2, xfb_stride = 32) out;
layout(xfb_buffer = 0, xfb_stride = 64) out;
out gl_PerVertex {
    layout(xfb_buffer = 0, xfb_offset = 16) vec4 gl_Position;
    layout(xfb_buffer = 0, xfb_offset = 4) float gl_PointSize;
    layout(xfb_buffer = 0, xfb_offset = 32) float gl_ClipDistance[5];
};
layout(location = 0, xfb_buffer = 0, xfb_offset = 56) out ivec2 pair;
layout(location = 1, xfb_buffer = 1, xfb_offset = 0) out float rows[3];
layout(location = 4, xfb_buffer = 1, xfb_offset = 16) out mat3x2 matrix;
layout(location = 7, xfb_buffer = 1, xfb_offset = 40) out dvec3 wide;
layout(location = 9, component = 1, xfb_buffer = 1, xfb_offset = 64) out vec3 part;
layout(location = 9) out float hidden;
layout(location = 10, xfb_buffer = 1) out Block {
    layout(xfb_offset = 80) uvec3 first;
    float unseen;
    layout(xfb_offset = 96) dvec2 second;
    layout(xfb_offset = 120) vec2 third[2];
} block;
layout(location = 16, xfb_buffer = 2) out Several {
    layout(xfb_offset = 8) vec4 one;
    layout(xfb_offset = 24) uint two;
} several[2];
void main() {
    int i = gl_VertexIndex;
    gl_Position = place;
    gl_PointSize = float(i) + 0.5;
    for (int n = 0; n < 5; ++n) gl_ClipDistance[n] = float(10 * i + n);
    pair = ivec2(i - 3, -i);
    rows = float[](place.x, place.y, float(i));
    matrix = mat3x2(place.xy, place.zw, vec2(float(i)));
    wide = dvec3(1.0, 2.0, 3.0) * double(i);
    part = place.zyx;
    hidden = 7.0;
    block.first = uvec3(i, i + 1, i + 2);
    block.unseen = 8.0;
    block.second = dvec2(place.xy);
    block.third[0] = place.xw;
    block.third[1] = place.wx;
    several[0].one = place + vec4(float(i));
    several[0].two = uint(i) + 70u;
    several[1].one = place - vec4(float(i));
    several[1].two = uint(i) + 90u;
}
