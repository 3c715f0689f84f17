#version 450
//! feature sample shading, four samples in attachments
//! samples
//! side 32
layout(location = 0) sample in vec4 plain;
layout(location = 1) noperspective in vec4 linear;
layout(location = 0) out vec4 colour;
layout(location = 1) out uvec4 numbers;
void main() {
    colour = vec4(plain.xy, gl_FragCoord.xy);
    colour.x += linear.z;
    if (gl_SampleID == 2 && plain.y > 20.0) {
        discard;
    }
    numbers = uvec4(gl_SampleID, gl_SampleMaskIn[0], vec2(16.0) * gl_SamplePosition);
}
