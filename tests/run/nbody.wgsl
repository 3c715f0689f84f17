//! dispatch 2 1 1
//! uniform 0.0 = f32 0.01 0.05; u32 128; zero 4
//! buffer 0.1 = f32 512 * uniform 0.5 2
//! buffer 0.2 = f32 512 * uniform -1 1
//! buffer 0.3 = zero 2048
//! buffer 0.4 = zero 2048
//! compare 0.3 = f32 abs 1e-6
//! compare 0.4 = f32 abs 6e-5
// Tolerance: A pull is wrong by 11 units (inversesqrt: 2, cubed; the dot product; three products), and at these
// places the pulls' magnitudes sum up to less than 512: 7e-4, and 128 sums below 512 (2^-16 each):
// 2e-3. Both evaluations, times dt: 6e-5 in the velocity; times dt again, and a rounding below 4 in
// each, in the position.

struct Params { dt: f32, softening: f32, count: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> position: array<vec4<f32>>; // w is the mass
@group(0) @binding(2) var<storage, read> velocity: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> next_position: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> next_velocity: array<vec4<f32>>;
var<workgroup> tile: array<vec4<f32>, 64>;

fn pull(on: vec3<f32>, by: vec4<f32>) -> vec3<f32> {
    let d = by.xyz - on;
    let inv = inverseSqrt(dot(d, d) + params.softening);
    return d * (by.w * inv * inv * inv);
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let here = position[id.x];
    var force = vec3<f32>();
    for (var start = 0u; start < params.count; start += 64u) {
        tile[local] = position[start + local];
        workgroupBarrier();
        for (var k = 0u; k < 64u; k++) {
            force += pull(here.xyz, tile[k]);
        }
        workgroupBarrier();
    }
    let v = velocity[id.x].xyz + force * params.dt;
    next_velocity[id.x] = vec4(v, 0.0);
    next_position[id.x] = vec4(here.xyz + v * params.dt, here.w);
}
