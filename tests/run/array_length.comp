//! dispatch 2 1 1
//! buffer 0.0 = u32 37 * iota 5 5
//! buffer 0.1 = f32 22 * iota 0 1
//! buffer 0.2 = zero 512
#version 450
layout(local_size_x = 32) in;
layout(std430, set = 0, binding = 0) readonly buffer A { uint head[2]; uint data[]; };
layout(std430, set = 0, binding = 1) readonly buffer B { float lead; vec3 triples[]; };
layout(std430, set = 0, binding = 2) writeonly buffer Out { uvec2 result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    uint sum = 0;
    for (uint k = i; k < data.length(); k += 16) sum += data[k];
    result[i] = uvec2(sum, data.length() * 100 + triples.length());
}
