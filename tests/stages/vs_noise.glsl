//! draw 32
//! attribute 0 = f32 2: 64 * uniform -20 20
//! output 0 = f32 abs 1e-5
//! output 1 = f32 abs 1e-4
//! output position = 4 * f32 abs 1e-4
// Value noise over several octaves, its hash in integers.

//@ vertex
#version 450
layout(location = 0) in vec2 place;
layout(location = 0) out float height;
layout(location = 1) out float rough;
float hash(ivec2 p) {
    uint h = uint(p.x) * 374761393u + uint(p.y) * 668265263u;
    h = (h ^ (h >> 13)) * 1274126177u;
    return float((h ^ (h >> 16)) & 0xffffu) / 65535.0;
}
float noise(vec2 p) {
    ivec2 cell = ivec2(floor(p));
    vec2 f = fract(p);
    f = f * f * (3.0 - 2.0 * f);
    float low = mix(hash(cell), hash(cell + ivec2(1, 0)), f.x);
    float high = mix(hash(cell + ivec2(0, 1)), hash(cell + ivec2(1, 1)), f.x);
    return mix(low, high, f.y);
}
void main() {
    height = noise(place);
    float sum = 0.0, weight = 0.5;
    vec2 p = place;
    for (int octave = 0; octave < 5; ++octave) {
        sum += weight * noise(p);
        p *= 2.0;
        weight *= 0.5;
    }
    rough = sum;
    gl_Position = vec4(place.x, sum, place.y, 1.0);
}
