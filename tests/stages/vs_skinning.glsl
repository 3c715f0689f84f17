//! draw 12
//! attribute 0 = f32 3: 36 * uniform -1 1
//! attribute 1 = u32 4: 48 * iota 3 5
//! attribute 2 = f32 4: 48 * uniform 0 1
//! uniform 0.0 = f32 256 * uniform -1 1
//! output position = 4 * f32 abs 1e-5 rel 1e-5
//! output 0 = 3 * f32 abs 1e-5 rel 1e-5
// Skinning: four bones of each vertex, matrices indexed by an attribute.

//@ vertex
#version 450
layout(set = 0, binding = 0) uniform Bones { mat4 bones[16]; };
layout(location = 0) in vec3 place;
layout(location = 1) in uvec4 joints;
layout(location = 2) in vec4 weights;
layout(location = 0) out vec3 normal;
void main() {
    vec4 sum = vec4(0.0);
    normal = vec3(0.0);
    for (int i = 0; i < 4; ++i) {
        mat4 bone = bones[joints[i] & 15u];
        sum += weights[i] * (bone * vec4(place, 1.0));
        normal += weights[i] * (mat3(bone) * place.zxy);
    }
    gl_Position = sum;
}
