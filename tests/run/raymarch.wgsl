//! dispatch 4 4 1
//! uniform 0.0 = f32 0.0 0.5 -3.0 0.0 0.03125 0.03125 -0.5 -0.5
//! buffer 0.1 = zero 16384
//! compare 0.1 = 3 * f32 abs 5e-4; f32 abs 1e-3
// Tolerance: The field is wrong by 6.5 units of a length (8e-7 near the surface, where the steps lead), which
// central differences over 0.02 make 8e-5 in each component of the normal: 2.5e-4 in the light for
// both evaluations, and as much for the difference in place. The distance sums up 48 steps
// below 32 (2^-20 each), and where a ray leaves a surface that it grazed, differences grow with each step.

struct View { eye: vec3<f32>, unused: f32, step: vec2<f32>, corner: vec2<f32> }
@group(0) @binding(0) var<uniform> view: View;
@group(0) @binding(1) var<storage, read_write> colour: array<vec4<f32>>;

fn scene(p: vec3<f32>) -> f32 {
    let sphere = length(p - vec3(0.0, 0.6, 0.0)) - 1.0;
    let box = length(max(abs(p - vec3(1.2, 0.2, 0.8)) - vec3(0.4), vec3(0.0))) - 0.05;
    return min(min(sphere, box), p.y + 0.5);
}

fn normal(p: vec3<f32>) -> vec3<f32> {
    let e = vec2(0.01, 0.0);
    return normalize(vec3(
        scene(p + e.xyy) - scene(p - e.xyy),
        scene(p + e.yxy) - scene(p - e.yxy),
        scene(p + e.yyx) - scene(p - e.yyx),
    ));
}

// A fixed number of steps: the count of a march that stops early would depend on the last bit.
@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let uv = view.corner + vec2<f32>(id.xy) * view.step;
    let ray = normalize(vec3(uv, 1.0));
    var t = 0.0;
    for (var i = 0; i < 48; i++) {
        t += scene(view.eye + ray * t) * 0.8;
        t = min(t, 20.0);
    }
    let p = view.eye + ray * t;
    let light = max(dot(normal(p), normalize(vec3(0.6, 0.8, -0.4))), 0.0);
    colour[id.y * 32u + id.x] = vec4(vec3(0.9, 0.6, 0.3) * light + 0.1, min(t, 19.0));
}
