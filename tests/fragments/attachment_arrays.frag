#version 450
//! feature arrays of input attachments
//! attachment_arrays
#extension GL_EXT_nonuniform_qualifier : require
layout(input_attachment_index = 0, set = 0, binding = 9) uniform subpassInput list[2];
layout(location = 2) flat in ivec4 number;
layout(location = 0) out vec4 colour;
layout(location = 1) out uvec4 numbers;
void main() {
    int chosen = number.x - 9;
    colour = subpassLoad(list[chosen]);
    numbers = uvec4(subpassLoad(list[nonuniformEXT(2 - 2 * chosen)]));
}
