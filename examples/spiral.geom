#version 450
// A mast for each point of the spiral: a line from the ground up to it.
layout(points) in;
layout(line_strip, max_vertices = 2) out;
layout(location = 0) in vec3 colour[];
layout(location = 0) out vec3 shade;
void main() {
    gl_Position = vec4(gl_in[0].gl_Position.x, 0.0, gl_in[0].gl_Position.zw);
    shade = vec3(0.25);
    EmitVertex();
    gl_Position = gl_in[0].gl_Position;
    shade = colour[0];
    EmitVertex();
}
