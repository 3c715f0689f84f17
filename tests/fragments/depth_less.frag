#version 450
//! feature depth output, layout depth_less
layout(depth_less) out float gl_FragDepth;
layout(location = 0) in vec4 plain;
layout(location = 0) out vec4 colour;
void main() {
    gl_FragDepth = 0.25;
    colour = vec4(plain.xy, gl_FragCoord.zw);
}
