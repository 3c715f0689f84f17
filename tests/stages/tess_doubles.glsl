//! draw 3
//! topology patches 3
//! attribute 0 = f32 4: 12 * uniform -1 1
//! points 7
//! output 0 = 3 * f64 abs 1e-6
//! output 2 = f64 abs 1e-6
//! output 7 = 4 * f32
// Doubles of control points and of patches.

//@ vertex
#version 450
layout(location = 0) in vec4 place;
layout(location = 0) out vec4 color;
void main() {
    gl_Position = place;
    color = place.wzyx;
}

//@ tess_control
#version 450
layout(vertices = 3) out;
layout(location = 0) in vec4 color[];
layout(location = 0) out dvec3 wide[];
layout(location = 2) patch out double factor;
void main() {
    wide[gl_InvocationID] = dvec3(color[gl_InvocationID].xyz) * 3.0LF;
    if (gl_InvocationID == 0) {
        factor = double(color[0].w) + 1.0LF;
        gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = 2.0;
        gl_TessLevelInner[0] = 2.0;
    }
}

//@ tess_eval
#version 450
layout(triangles, equal_spacing) in;
layout(location = 0) in dvec3 wide[];
layout(location = 2) patch in double factor;
layout(location = 0) out dvec3 x;
layout(location = 2) out double y;
layout(location = 7) out vec4 where;
void main() {
    dvec3 t = dvec3(gl_TessCoord);
    x = wide[0] * t.x + wide[1] * t.y + wide[2] * t.z;
    y = factor * t.x;
    gl_Position = vec4(1.0);
    where = vec4(gl_TessCoord, float(gl_PrimitiveID));
}
