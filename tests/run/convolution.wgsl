//! dispatch 4 4 1
//! uniform 0.0 = f32 0.0625 0.125 0.0625 0 0.125 0.25 0.125 0 0.0625 0.125 0.0625 0; u32 32 32 0 0
//! buffer 0.1 = f32 1024 * uniform 0 1
//! buffer 0.2 = zero 4096
//! compare 0.2 = f32
// Tolerance: Exact: the weights are powers of two, so no product is rounded and contraction changes nothing.

struct Params { kernel: mat3x3<f32>, size: vec2<u32> }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> source: array<f32>;
@group(0) @binding(2) var<storage, read_write> result: array<f32>;

fn at(p: vec2<i32>) -> f32 {
    let q = clamp(p, vec2(0), vec2<i32>(params.size) - 1);
    return source[q.y * i32(params.size.x) + q.x];
}

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let p = vec2<i32>(id.xy);
    var sum = 0.0;
    for (var y = 0; y < 3; y++) {
        for (var x = 0; x < 3; x++) {
            sum += params.kernel[x][y] * at(p + vec2(x, y) - 1);
        }
    }
    result[id.y * params.size.x + id.x] = sum;
}
