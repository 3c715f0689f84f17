//! draw 6
//! topology patches 3
//! attribute 0 = f32 4: 24 * uniform -1 1
//! texture 0.0 = 2d 8x8x1 r32f sampler=linear:repeat: f32 64 * uniform 0 1
//! texture 0.1 = 2d 4x4x1 rgba8 sampler=nearest:clamp: u8 64 * bits
//! points 7
//! output position = 4 * f32 abs 8e-3
//! output 7 = 4 * f32
// Levels from a texture in the control stage, heights from another in the evaluation stage.

//@ vertex
#version 450
layout(location = 0) in vec4 place;
void main() { gl_Position = place; }

//@ tess_control
#version 450
layout(vertices = 3) out;
layout(set = 0, binding = 1) uniform sampler2D density;
void main() {
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
    vec4 levels = texelFetch(density, ivec2(gl_PrimitiveID, 1), 0);
    gl_TessLevelOuter[gl_InvocationID] = 1.0 + floor(3.0 * levels[gl_InvocationID]);
    if (gl_InvocationID == 1) gl_TessLevelInner[0] = 1.0 + floor(2.0 * levels.w);
}

//@ tess_eval
#version 450
layout(triangles, equal_spacing, cw) in;
layout(set = 0, binding = 0) uniform sampler2D heights;
layout(location = 7) out vec4 where;
void main() {
    vec4 at = gl_TessCoord.x * gl_in[0].gl_Position + gl_TessCoord.y * gl_in[1].gl_Position
        + gl_TessCoord.z * gl_in[2].gl_Position;
    float h = textureLodOffset(heights, at.xy, 0.0, ivec2(1, -2)).x;
    gl_Position = vec4(at.xyz + vec3(0.0, 0.0, h), 1.0);
    where = vec4(gl_TessCoord, float(gl_PrimitiveID));
}
