//! dispatch 1 1 1
//! texture 0.0 = 2d 4x4x1 rgba32f samples=4: f32 256 * iota 0 1
//! texture 0.1 = 2d_array 2x2x3 rgba32ui samples=4: u32 192 * iota 5 7
//! buffer 0.2 = zero 512
//! unjudged the judge has no storage images with several samples
//! expect 0.2 = u32 24 28 32 36 9 56 41 29 88 92 96 100 653 700 685 673 152 156 160 164 1185 1232 1217 1205 216 220 224 228 373 420 405 393 280 284 288 292 457 504 489 477 344 348 352 356 1101 1148 1133 1121 408 412 416 420 289 336 321 309 472 476 480 484 821 868 853 841 536 540 544 548 905 952 937 925 600 604 608 612 205 252 237 225 664 668 672 676 737 784 769 757 728 732 736 740 1269 1316 1301 1289 792 796 800 804 9 56 41 29 856 860 864 868 653 700 685 673 920 924 928 932 1185 1232 1217 1205 984 988 992 996 373 420 405 393
// Storage images with several samples, which the sampler reads: each sample, with and without layers, the size and the number of
// samples.
#version 450
#extension GL_ARB_shader_texture_image_samples : require
layout(local_size_x = 16) in;
layout(set = 0, binding = 0, rgba32f) readonly uniform image2DMS floats;
layout(set = 0, binding = 1, rgba32ui) readonly uniform uimage2DMSArray numbers;
layout(set = 0, binding = 2) buffer Out { uvec4 result[16][2]; };
void main() {
    int i = int(gl_LocalInvocationIndex);
    vec4 sum = vec4(0.0);
    for (int k = 0; k < imageSamples(floats); k++) sum += imageLoad(floats, ivec2(i & 3, i >> 2), k);
    uvec4 one = imageLoad(numbers, ivec3(i & 1, i >> 1 & 1, i % 3), i * 3 & 3);
    ivec2 size = imageSize(floats);
    ivec3 layers = imageSize(numbers);
    result[i][0] = uvec4(sum);
    result[i][1] = one + uvec4(imageSamples(numbers), size.x * 10 + size.y, layers.x * 10 + layers.y, layers.z);
}
