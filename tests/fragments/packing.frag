#version 450
//! feature component packing
layout(location = 4) in float rows[3];
layout(location = 7, component = 0) in float first;
layout(location = 7, component = 2) in vec2 second;
layout(location = 8) in Block { vec4 one; flat uvec2 two; noperspective float three; } block;
layout(location = 0) out vec4 colour;
layout(location = 1) out uvec4 bits;
void main() {
    int which = int(gl_FragCoord.x) % 3;
    colour = vec4(rows[which], first + second.y, second.x + block.one.x, block.three + block.one.w);
    bits = uvec4(block.two, which, 0);
}
