#version 450
layout(push_constant) uniform Push { float side; };
layout(location = 0) in vec4 plain;
layout(location = 0) out vec4 colour;
layout(location = 1) out uvec4 numbers;
void main() {
    vec2 place = gl_FragCoord.xy;
    // The long edge of the triangle is x + y = side.
    bool whole = place.x + 0.5 + place.y + 0.5 <= side;
    colour = vec4(whole ? 0.5 : 2.0, place, 1.0);
    numbers = uvec4(whole ? uint(place.x) : 3u, whole, 2, 3);
}
