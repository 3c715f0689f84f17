#version 450
//! feature coverage of whole pixels (FullyCoveredEXT)
//! twin
//! side 21
#extension GL_NV_conservative_raster_underestimation : require
layout(location = 0) in vec4 plain;
layout(location = 0) out vec4 colour;
layout(location = 1) out uvec4 numbers;
void main() {
    colour = vec4(gl_FragFullyCoveredNV ? 0.5 : 2.0, gl_FragCoord.xy, 1.0);
    uint found = 3u;
    if (gl_FragFullyCoveredNV) found = uint(gl_FragCoord.x);
    numbers = uvec4(found, gl_FragFullyCoveredNV, 2, 3);
}
