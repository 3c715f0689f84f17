#version 450
//! feature depth output
layout(depth_greater) out float gl_FragDepth;
layout(location = 0) in vec4 plain;
layout(location = 0) out vec4 colour;
void main() {
    gl_FragDepth = 0.75;
    if (plain.x > 4.0) gl_FragDepth = 1.0;
    colour = vec4(plain.xy, gl_FragCoord.zw);
}
