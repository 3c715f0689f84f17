#version 450
//! feature input sample mask after the tests
//! samples
//! side 20.5
#extension GL_ARB_post_depth_coverage : require
layout(post_depth_coverage) in;
layout(location = 0) in vec4 plain;
layout(location = 0) out vec4 colour;
layout(location = 1) out uvec4 numbers;
void main() {
    colour = vec4(gl_FragCoord.xy, 0.0, 1.0);
    numbers = uvec4(gl_SampleMaskIn[0], 1, 2, 3);
}
