#version 450
//! feature interpolateAt... with four samples
//! samples
//! buffer 65536
layout(location = 0) in vec4 plain;
layout(location = 1) noperspective in vec4 linear;
layout(set = 0, binding = 0) buffer Results { vec4 results[4096]; };
void main() {
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    int at = (pixel.y * 32 + pixel.x) * 4;
    for (int i = 0; i < 4; i++) {
        vec2 place = interpolateAtSample(plain.xy, i);
        float other = interpolateAtSample(linear.w, (i + pixel.x) & 3);
        results[at + i] = vec4(place, other, 1.0);
    }
}
