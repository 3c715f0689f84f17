#version 450
layout(location = 0) in vec4 plain;
layout(location = 0) out vec4 colour;
layout(set = 0, binding = 0) coherent buffer Data { uint data[]; };
void main() {
    uint at = uint(gl_FragCoord.x) + 32u * uint(gl_FragCoord.y);
    data[at] = data[at] * 3u + uint(plain.x) + 1u;
    colour = plain;
}
