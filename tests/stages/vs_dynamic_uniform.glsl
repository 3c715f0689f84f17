//! draw 12
//! uniform 0.0 = f32 96 * uniform -1 1
//! push = i32 4 * iota 1 3; f32 24 * uniform -1 1
//! output 0 = 4 * f32
//! output 1 = 4 * f32
//! output 2 = i32
// Uniform buffers and push constants with indices known at run time.

//@ vertex
#version 450
struct Light { vec4 place; vec3 color; float power; };
layout(set = 0, binding = 0) uniform Lights { Light lights[12]; };
layout(push_constant) uniform Push { ivec4 order; vec4 table[6]; };
layout(location = 0) out vec4 x;
layout(location = 1) out vec4 y;
layout(location = 2) out flat int z;
void main() {
    Light light = lights[(gl_VertexIndex * 5) % 12];
    x = vec4(light.color * light.power, light.place.w);
    y = table[gl_VertexIndex % 6] + lights[order.y].place;
    z = order[gl_VertexIndex & 3];
    gl_Position = lights[11].place;
}
