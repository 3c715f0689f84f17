//! dispatch 1 1 1
//! buffer 0.0 = f32 256 * uniform -10 10
//! buffer 0.1 = zero 1024
#version 450
layout(local_size_x = 4) in;
struct Inner { vec3 direction; float weight; vec2 pair; };
struct Item { float head; Inner inner; vec3 list[2]; mat3x2 narrow; float tail; };
layout(std430, set = 0, binding = 0) readonly buffer In { vec2 lead; Item source[]; };
layout(std430, set = 0, binding = 1) writeonly buffer Out { vec2 lead_out; Item result[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    // An item is 112 bytes long and aligned to 16.
    Item item = source[i & 1];
    item.head += 1.0;
    item.inner.direction = item.inner.direction.zxy;
    item.inner.pair *= item.inner.weight;
    item.list[i & 1] = item.list[1] - item.list[0];
    item.narrow = item.narrow * 2.0;
    item.tail = item.narrow[2].y + item.list[0].z;
    result[i] = item;
    if (i == 0) lead_out = lead.yx;
}
