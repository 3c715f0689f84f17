#version 450
//! feature implicit level after a discard
#extension GL_EXT_demote_to_helper_invocation : require
//! textures
layout(location = 0) in vec4 plain;
layout(location = 0) out vec4 colour;
layout(set = 0, binding = 1) uniform sampler2D flat_;
void main() {
    vec2 at = plain.xy / 32.0;
    if (texture(flat_, at).y < 5.0) demote;
    // Neighbours that are demoted still give a level.
    colour = texture(flat_, at * 4.0);
}
