#version 450
//! feature early tests, no outputs
//! buffer 4096
layout(early_fragment_tests) in;
layout(location = 2) flat in ivec4 number;
layout(set = 0, binding = 0) buffer Data { int data[]; };
void main() {
    int at = int(gl_FragCoord.x) + 32 * int(gl_FragCoord.y);
    data[at] = number.x * at + number.y;
    // The depth has been written before.
    if (at % 5 == 2) discard;
}
