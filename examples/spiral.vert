#version 450
// Points on a spiral that rises and turns colour: no attributes, all from the vertex's number.
layout(location = 0) out vec3 colour;
void main() {
    float t = float(gl_VertexIndex) / 8.0;
    gl_Position = vec4(cos(6.2831853 * t), t, sin(6.2831853 * t), 1.0);
    colour = mix(vec3(1.0, 0.5, 0.0), vec3(0.0, 0.5, 1.0), t);
}
