//! draw 6
//! topology patches 3
//! attribute 0 = f32 4: 24 * uniform -1 1
//! points 7
//! output position = 4 * f32 abs 1e-5
//! output clip_distance = 2 * f32 abs 1e-5
//! output cull_distance = f32 abs 1e-5
//! output point_size = f32 abs 1e-5
//! output 0 = u32
//! output 7 = 4 * f32
// Sizes of points, clip and cull distances through every stage; subgroups of tessellation shaders.

//@ vertex
#version 450
layout(location = 0) in vec4 place;
out gl_PerVertex { vec4 gl_Position; float gl_PointSize; float gl_ClipDistance[2]; float gl_CullDistance[1]; };
void main() {
    gl_Position = place;
    gl_PointSize = 1.0 + place.x * 0.5;
    gl_ClipDistance[0] = place.y + 2.0;
    gl_ClipDistance[1] = place.z + 2.0;
    gl_CullDistance[0] = place.w + 2.0;
}

//@ tess_control
#version 450
#extension GL_KHR_shader_subgroup_basic : require
layout(vertices = 3) out;
in gl_PerVertex { vec4 gl_Position; float gl_PointSize; float gl_ClipDistance[2]; float gl_CullDistance[1]; } gl_in[];
out gl_PerVertex { vec4 gl_Position; float gl_PointSize; float gl_ClipDistance[2]; float gl_CullDistance[1]; } gl_out[];
layout(location = 0) patch out uint inside;
void main() {
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
    gl_out[gl_InvocationID].gl_PointSize = gl_in[gl_InvocationID].gl_PointSize * 2.0;
    gl_out[gl_InvocationID].gl_ClipDistance[0] = gl_in[gl_InvocationID].gl_ClipDistance[1];
    gl_out[gl_InvocationID].gl_ClipDistance[1] = gl_in[gl_InvocationID].gl_ClipDistance[0];
    gl_out[gl_InvocationID].gl_CullDistance[0] = gl_in[gl_InvocationID].gl_CullDistance[0] * 0.5;
    if (gl_InvocationID == 0) {
        inside = gl_SubgroupInvocationID < gl_SubgroupSize ? 1u : 0u;
        gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = 2.0;
        gl_TessLevelInner[0] = 1.0;
    }
}

//@ tess_eval
#version 450
#extension GL_KHR_shader_subgroup_basic : require
layout(triangles, equal_spacing, point_mode) in;
in gl_PerVertex { vec4 gl_Position; float gl_PointSize; float gl_ClipDistance[2]; float gl_CullDistance[1]; } gl_in[];
out gl_PerVertex { vec4 gl_Position; float gl_PointSize; float gl_ClipDistance[2]; float gl_CullDistance[1]; };
layout(location = 0) patch in uint inside;
layout(location = 0) flat out uint found;
layout(location = 7) out vec4 where;
void main() {
    vec3 t = gl_TessCoord;
    gl_Position = t.x * gl_in[0].gl_Position + t.y * gl_in[1].gl_Position + t.z * gl_in[2].gl_Position;
    gl_PointSize = t.x * gl_in[0].gl_PointSize + t.y * gl_in[1].gl_PointSize + t.z * gl_in[2].gl_PointSize;
    gl_ClipDistance[0] = gl_in[0].gl_ClipDistance[0] + t.x;
    gl_ClipDistance[1] = gl_in[1].gl_ClipDistance[1] + t.y;
    gl_CullDistance[0] = gl_in[2].gl_CullDistance[0] + t.z;
    found = inside + (gl_SubgroupInvocationID < gl_SubgroupSize ? 2u : 0u);
    where = vec4(gl_TessCoord, float(gl_PrimitiveID));
}
