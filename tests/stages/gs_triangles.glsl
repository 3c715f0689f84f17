//! draw 9
//! topology triangles
//! attribute 0 = f32 4: 36 * uniform -1 1
//! attribute 1 = f32 3: 27 * uniform -1 1
//! output position = 4 * f32
//! output 0 = 3 * f32 abs 1e-5
//! output 1 = f32 abs 1e-5
// Triangles, each with the normal and area that it has as a whole.

//@ vertex
#version 450
layout(location = 0) in vec4 place;
layout(location = 1) in vec3 color;
struct Pair { vec2 low; double high; };
layout(location = 0) out Block {
    vec3 shade;
    Pair pairs[2];
} o;
void main() {
    gl_Position = place;
    o.shade = color;
    o.pairs[0] = Pair(color.xy, double(color.z));
    o.pairs[1] = Pair(place.zw, 2.0LF);
}

//@ geometry
#version 450
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
struct Pair { vec2 low; double high; };
layout(location = 0) in Block {
    vec3 shade;
    Pair pairs[2];
} o[];
layout(location = 0) out vec3 flat_;
layout(location = 1) out float area;
void main() {
    vec3 e = gl_in[1].gl_Position.xyz - gl_in[0].gl_Position.xyz;
    vec3 f = gl_in[2].gl_Position.xyz - gl_in[0].gl_Position.xyz;
    vec3 normal = cross(e, f);
    for (int i = 0; i < 3; ++i) {
        gl_Position = gl_in[i].gl_Position;
        flat_ = o[i].shade + normal;
        flat_.xy += o[i].pairs[i & 1].low * float(o[2 - i].pairs[0].high + o[i].pairs[1].high);
        area = 0.5 * length(normal);
        EmitVertex();
    }
}
