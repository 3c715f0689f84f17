#version 450
//! feature sample shading
//! samples
//! buffer 65536
layout(location = 1) noperspective sample in vec4 linear;
layout(location = 0) in vec4 plain;
layout(set = 0, binding = 0) buffer Results { vec4 results[4096]; };
void main() {
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    int at = (pixel.y * 32 + pixel.x) * 4 + gl_SampleID;
    vec4 result = vec4(linear.wz, gl_SamplePosition);
    result.x += 64.0 * float(gl_SampleMaskIn[0]);
    result.y += interpolateAtSample(plain.x, (gl_SampleID + 1) & 3);
    result.z += interpolateAtOffset(plain.y, vec2(-0.25, 0.125)) + fract(gl_FragCoord.x);
    results[at] = result;
}
