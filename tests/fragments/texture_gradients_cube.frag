#version 450
//! feature gradients on cube maps
//! textures
layout(set = 0, binding = 2) uniform samplerCube cube;
layout(location = 0) out vec4 colour;
layout(location = 1) out uvec4 numbers;
void main() {
    vec2 at = gl_FragCoord.xy / 16.0 - 1.0;
    // The side of a face is 16 texels, and 2 of the direction, so a step of 1/8 is one texel.
    vec3 forward = vec3(at.x * 1.0, at.y, 1.0) * 0.99;
    colour = textureGrad(cube, forward, vec3(0.75, 0.0, 0.0), vec3(0.0, 0.2, 0.0));
    // A gradient along the direction itself changes nothing on the face.
    vec3 left = vec3(-1.0, at.yx * 0.99);
    numbers.x = uint(textureGrad(cube, left, left, left * 2.0).x);
    // A gradient outward and along the face.
    numbers.y = uint(textureGrad(cube, left, vec3(0.3, 0.1, -0.05), vec3(0.0)).x);
    float scale = exp2(floor(gl_FragCoord.x / 8.0) - 3.0) * 1.1;
    numbers.z = uint(textureGrad(cube, forward, vec3(scale, 0.0, 0.0), vec3(0.0, scale * 0.5, 0.0)).x);
    vec3 up = vec3(at.x, 1.5, at.y);
    numbers.w = uint(textureGrad(cube, up, vec3(scale, 0.0, 0.0), vec3(0.0, scale, scale * 0.25)).x);
}
