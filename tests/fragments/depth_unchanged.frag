#version 450
//! feature depth output, layout depth_unchanged
layout(depth_unchanged) out float gl_FragDepth;
layout(location = 0) in vec4 plain;
layout(location = 0) out vec4 colour;
void main() {
    gl_FragDepth = gl_FragCoord.z;
    colour = vec4(plain.xy, gl_FragCoord.zw);
}
