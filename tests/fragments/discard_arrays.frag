#version 450
// Only pixels with number 2 are left after the discard, so the index needs no `nonuniformEXT`. Discarded pixels of the same
// thread have other numbers.
//! feature elements of arrays after a discard
//! many
layout(set = 0, binding = 7) uniform sampler2D many[4];
layout(location = 0) out vec4 colour;
void main() {
    uint number = (uint(gl_FragCoord.x) >> 1) & 3u;
    if (number != 2u) discard;
    colour = texture(many[number], gl_FragCoord.xy / 8.0);
}
