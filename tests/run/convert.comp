//! dispatch 2 1 1
//! buffer 0.0 = f32 64 * uniform -100000 100000; f32 64 * uniform -2 2
//! buffer 0.1 = i32 64 * bits; i32 64 * edges
//! buffer 0.2 = zero 8192
#version 450
// Conversions whose results are defined: floats within the range of the integer type.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer A { float in_f[]; };
layout(set = 0, binding = 1) readonly buffer B { int in_i[]; };
layout(set = 0, binding = 2) writeonly buffer Out { uint result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x, at = i * 16;
    float f = in_f[i];
    int n = in_i[i];
    result[at++] = uint(int(f));
    result[at++] = uint(abs(f));
    result[at++] = uint(int(f * 1000.0));
    result[at++] = uint(abs(f) * 40000.0);
    // Values that a float holds exactly: rounding of the others is the device's choice.
    result[at++] = floatBitsToUint(float(n >> 8));
    result[at++] = floatBitsToUint(float(uint(n) >> 8));
    result[at++] = floatBitsToUint(float(n << 8));
    result[at++] = floatBitsToUint(float(uint(n) << 8));
    result[at++] = floatBitsToUint(float(n > 0));
    result[at++] = uint(bool(n)) | uint(bool(f)) << 1 | uint(bool(n & 1)) << 2;
    result[at++] = uint(n > 5) * 3 + uint(int(f > 0.5) * -7);
    result[at++] = floatBitsToUint(vec2(ivec2(n >> 10, i)).x);
    result[at++] = uint(ivec3(vec3(f, -f, f * 0.5)).z);
}
