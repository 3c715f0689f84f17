#version 450
//! feature derivatives, any, coarse and fine
layout(location = 0) in vec4 plain;
layout(location = 1) noperspective in vec4 linear;
layout(location = 0) out vec4 colour;
void main() {
    // Linear along rows and columns, so that all rules agree.
    vec2 across = dFdx(plain.xz) + dFdxCoarse(plain.wy) + dFdxFine(linear.xy);
    vec2 down = dFdy(plain.xz) + dFdyCoarse(plain.wy) + dFdyFine(linear.xy);
    colour = vec4(across, down);
}
