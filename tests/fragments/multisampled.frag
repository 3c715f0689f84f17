#version 450
//! feature multisampled textures
//! multisampled
layout(set = 0, binding = 4) uniform sampler2DMS samples;
layout(location = 0) out vec4 colour;
layout(location = 1) out uvec4 numbers;
void main() {
    ivec2 pixel = ivec2(gl_FragCoord.xy);
    vec4 sum = vec4(0.0);
    for (int i = 0; i < 4; i++) {
        sum = sum * 8.0 + texelFetch(samples, pixel / 2, i);
    }
    colour = sum + 0.5 * texelFetch(samples, pixel & 15, (pixel.x + pixel.y) & 3);
    numbers = uvec4(textureSamples(samples), textureSize(samples), pixel.x);
}
