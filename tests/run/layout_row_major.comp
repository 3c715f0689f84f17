//! dispatch 1 1 1
//! buffer 0.0 = f32 128 * uniform -10 10
//! buffer 0.1 = zero 512
#version 450
layout(local_size_x = 8) in;
layout(std430, row_major, set = 0, binding = 0) readonly buffer In {
    mat4 square;
    mat2x3 wide;
    mat3x2 tall[2];
    layout(column_major) mat3 columns;
};
layout(std430, row_major, set = 0, binding = 1) buffer Out {
    mat4 square_out;
    mat2x3 wide_out;
    mat3x2 tall_out[2];
    layout(column_major) mat3 columns_out;
    vec4 picked[8];
};

void main() {
    uint i = gl_LocalInvocationIndex;
    if (i == 0) {
        square_out = square;
        wide_out = transpose(tall[1]);
        tall_out[0] = tall[0];
        columns_out = transpose(columns);
    }
    if (i == 1) {
        tall_out[1][2] = wide[1].zx;
        tall_out[1][0].y = 7.0;
    }
    picked[i] = vec4(square[i & 3][i >> 1], wide[i & 1][i % 3], tall[i & 1][i % 3][i & 1], square[i & 3].z);
}
