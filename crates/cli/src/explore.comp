#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Data { float data[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    float sum = 0.0;
    for (uint n = 0u; n < 8u; n++) {
        sum += sin(data[i + n * 64u]);
    }
    data[i] = sum;
}
