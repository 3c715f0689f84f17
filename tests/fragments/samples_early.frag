#version 450
//! feature early tests with sample shading
//! samples
//! side 32
//! buffer 65536
layout(early_fragment_tests) in;
layout(location = 0) in vec4 plain;
layout(location = 0) out vec4 colour;
layout(set = 0, binding = 0) buffer Results { vec4 results[4096]; };
void main() {
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    results[(pixel.y * 32 + pixel.x) * 4 + gl_SampleID] = vec4(gl_FragCoord.xyz, plain.x);
    colour = plain;
}
