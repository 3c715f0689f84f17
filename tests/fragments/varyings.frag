#version 450
//! feature interpolation: smooth, noperspective, centroid, arrays
layout(location = 0) in vec4 plain;
layout(location = 1) noperspective in vec4 linear;
layout(location = 3) centroid in vec2 inside;
layout(location = 0) out vec4 colour;
void main() {
    colour = vec4(plain.xz + linear.yw, plain.w * 2.0, inside.x - inside.y);
}
