#version 450
//! feature storage buffers and atomics, whole picture
//! buffer 8192
layout(location = 0) in vec4 plain;
layout(location = 0) out vec4 colour;
layout(set = 0, binding = 0) buffer Data { vec2 data[]; };
void main() {
    int at = int(gl_FragCoord.x) + 32 * int(gl_FragCoord.y);
    data[at] = plain.xy;
    if (at % 5 == 2) discard;
    data[at].y += 100.0;
    colour = vec4(data[at], plain.zw);
}
