//! dispatch 5 1 1
//! uniform 0.0 = f32 2.5; u32 300; zero 8
//! buffer 0.1 = f32 320 * uniform -100 100
//! buffer 0.2 = f32 320 * uniform -1 1
//! compare 0.2 = f32 ulp 2 abs 2^-23
// Tolerance: The sum may be contracted: half a unit of the product, and half a unit for each rounding of the sum.
// The product is at most twice the sum, or less than 2, where its half unit is 2^-24.

struct Params { a: f32, n: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < params.n {
        y[id.x] = params.a * x[id.x] + y[id.x];
    }
}
