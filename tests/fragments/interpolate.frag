#version 450
//! feature interpolateAtCentroid, AtSample, AtOffset
layout(location = 0) in vec4 plain;
layout(location = 1) noperspective in vec4 linear;
layout(location = 2) flat in ivec4 number;
layout(location = 3) centroid in vec2 inside;
layout(location = 4) in float rows[3];
layout(location = 0) out vec4 colour;
layout(location = 1) out uvec4 numbers;
void main() {
    colour.x = interpolateAtCentroid(plain.x) + 64.0 * interpolateAtOffset(plain.y, vec2(0.25, -0.375));
    colour.y = interpolateAtSample(linear.w, 0) + interpolateAtOffset(linear.z, vec2(-0.5, 0.25));
    colour.z = interpolateAtOffset(rows[int(gl_FragCoord.x) % 3], vec2(0.4375, 0.25));
    colour.w = interpolateAtCentroid(inside).y + interpolateAtOffset(inside.x, vec2(0.125, 0.0));
    // Offsets of sixteenths of a pixel: devices may round to them.
    vec2 both = interpolateAtOffset(plain.yx, floor((gl_FragCoord.xy - 16.0) / 2.0) / 16.0);
    numbers = uvec4(1024.0 * both, number.x, 3u);
}
