//! draw 12
//! topology patches 3
//! views 1 4
//! points 0
//! buffer 0.0 = zero 1024
// The number of the view in tessellation and geometry shaders.

//@ vertex
#version 450
#extension GL_EXT_multiview : require
layout(location = 0) out uint number;
void main() {
    number = uint(gl_VertexIndex + 100 * gl_ViewIndex);
    gl_Position = vec4(float(gl_VertexIndex));
}

//@ tess_control
#version 450
#extension GL_EXT_multiview : require
layout(vertices = 3) out;
layout(location = 0) in uint number[];
layout(location = 0) out uint control[];
layout(location = 1) patch out uint whole;
layout(set = 0, binding = 0) buffer Data { uint data[256]; };
void main() {
    control[gl_InvocationID] = number[gl_InvocationID] * uint(gl_ViewIndex + 1);
    data[64 * (gl_ViewIndex >> 2) + 3 * gl_PrimitiveID + gl_InvocationID] =
        number[(gl_InvocationID + gl_ViewIndex) % 3];
    if (gl_InvocationID == 0) {
        whole = uint(gl_ViewIndex * 7);
        gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = 1.0;
        gl_TessLevelInner[0] = 1.0;
    }
}

//@ tess_eval
#version 450
#extension GL_EXT_multiview : require
layout(triangles, equal_spacing) in;
layout(location = 0) in uint control[];
layout(location = 1) patch in uint whole;
layout(location = 0) out vec4 where;
layout(location = 1) flat out uvec2 sums;
layout(set = 0, binding = 0) buffer Data { uint data[256]; };
void main() {
    where = vec4(gl_TessCoord, float(gl_PrimitiveID));
    sums = uvec2(control[0] + control[1] + control[2], whole + uint(gl_ViewIndex));
    gl_Position = vec4(gl_TessCoord, 1.0);
    atomicMax(data[16 + 64 * (gl_ViewIndex >> 2) + gl_PrimitiveID], sums.x + uint(gl_ViewIndex));
}

//@ geometry
#version 450
#extension GL_EXT_multiview : require
layout(triangles, invocations = 3) in;
layout(points, max_vertices = 1) out;
layout(location = 1) flat in uvec2 sums[];
layout(set = 0, binding = 0) buffer Data { uint data[256]; };
void main() {
    int at = 128 + 64 * (gl_ViewIndex >> 2) + 4 * (3 * gl_PrimitiveIDIn + gl_InvocationID);
    data[at] = sums[gl_InvocationID].x;
    data[at + 1] = sums[gl_ViewIndex % 3].y;
    data[at + 2] = uint(gl_ViewIndex + 10 * gl_InvocationID);
    gl_Position = vec4(1.0);
    EmitVertex();
}
