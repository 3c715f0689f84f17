//! draw 6
//! topology lines
//! attribute 0 = f32 4: 24 * uniform -1 1
//! output position = 4 * f32
//! output 0 = 4 * i32
//! output 1 = 4 * f32
// More invocations than a thread has channels; strips that end where only the invocation decides; inputs at positions
// that are the same and that differ.

//@ vertex
#version 450
layout(location = 0) in vec4 a;
layout(location = 0) out vec4 rows[3];
void main() {
    gl_Position = a;
    for (int i = 0; i < 3; ++i) rows[i] = a.wzyx * float(i + 1);
}

//@ geometry
#version 450
layout(lines, invocations = 11) in;
layout(line_strip, max_vertices = 40) out;
layout(location = 0) in vec4 rows[][3];
layout(location = 0) out flat ivec4 numbers;
layout(location = 1) out vec4 row;
void main() {
    int count = 2 + 3 * gl_InvocationID;
    for (int i = 0; i < count; ++i) {
        gl_Position = gl_in[i & 1].gl_Position + float(i);
        numbers = ivec4(gl_InvocationID, gl_PrimitiveIDIn, i, count);
        row = rows[1][i % 3] + rows[gl_InvocationID & 1][gl_InvocationID % 3];
        EmitVertex();
        if ((i + gl_InvocationID) % 5 == 4) EndPrimitive();
    }
}
