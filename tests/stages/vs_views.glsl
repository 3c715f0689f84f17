//! draw 5 2 1 3
//! views 0 2 3
//! buffer 0.0 = zero 640
//! push = f32 0.5 2 4 8 16
// The number of the view in a vertex shader: an index, a shift, and a branch.

//@ vertex
#version 450
#extension GL_EXT_multiview : require
layout(push_constant) uniform Push { float scales[5]; };
layout(set = 0, binding = 0) buffer Data { uvec4 data[]; };
void main() {
    uint at = uint(gl_ViewIndex) * 10u + uint(gl_InstanceIndex - 3) * 5u + uint(gl_VertexIndex - 1);
    uint shifted = uint(gl_VertexIndex) << gl_ViewIndex;
    if (gl_ViewIndex > 1) {
        shifted += 1000u;
    }
    // Elements of view 1, which is not drawn, keep their zeros.
    data[at] = uvec4(gl_ViewIndex, shifted, floatBitsToUint(scales[gl_ViewIndex]), at);
    gl_Position = vec4(float(gl_ViewIndex));
}
