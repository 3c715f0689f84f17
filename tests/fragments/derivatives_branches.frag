#version 450
//! feature derivatives in both branches of a condition that whole quads share
layout(location = 0) in vec4 plain;
layout(location = 1) noperspective in vec4 linear;
layout(location = 0) out vec4 colour;
void main() {
    // Quads take one branch or the other. Both compute the same derivatives, which one instruction in front can do.
    ivec2 block = ivec2(gl_FragCoord.xy) >> 1;
    if (((block.x + block.y) & 1) == 0) {
        vec2 across = dFdx(linear.xy);
        vec2 down = dFdy(linear.xy);
        colour = vec4(across * 2.0, down + plain.x);
    } else {
        vec2 across = dFdx(linear.xy);
        vec2 down = dFdy(linear.xy);
        colour = vec4(down * 3.0, across - plain.y);
    }
}
