#version 450
//! feature input attachments
//! attachments
layout(input_attachment_index = 0, set = 0, binding = 3) uniform subpassInput one;
layout(input_attachment_index = 1, set = 0, binding = 5) uniform subpassInputMS several;
layout(location = 0) out vec4 colour;
layout(location = 1) out uvec4 numbers;
void main() {
    colour = subpassLoad(one) + 64.0 * subpassLoad(several, 1);
    vec4 chosen = subpassLoad(several, int(gl_FragCoord.x) & 3);
    if (gl_FragCoord.y > 20.0) {
        chosen += subpassLoad(one);
    }
    numbers = uvec4(chosen);
}
