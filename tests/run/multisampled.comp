//! dispatch 1 1 1
//! texture 0.0 = 2d 5x3x1 rgba32f samples=4: f32 240 * iota 0 1
//! texture 0.1 = 2d 4x4x1 rgba32ui samples=4: u32 256 * bits
//! buffer 0.2 = zero 1024
// The samples of multisampled textures, their number, and the size of the textures.
#version 450
#extension GL_ARB_shader_texture_image_samples : require
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) uniform sampler2DMS floats;
layout(set = 0, binding = 1) uniform usampler2DMS numbers;
layout(set = 0, binding = 2) buffer Out { uvec4 result[32][2]; };
void main() {
    int i = int(gl_LocalInvocationIndex);
    int count = textureSamples(floats);
    vec4 sum = vec4(0.0);
    for (int k = 0; k < count; k++) sum += texelFetch(floats, ivec2(i % 5, i / 5 % 3), k) * float(k + 1);
    // The sample differs between invocations.
    uvec4 one = texelFetch(numbers, ivec2(i & 3, i >> 2 & 3), i * 7 % textureSamples(numbers));
    result[i][0] = floatBitsToUint(sum);
    result[i][1] = one + uvec4(textureSize(floats), textureSize(numbers));
}
