// The Mandelbrot set, 512 by 512 pixels in 64 by 64 workgroups of 8 by 8.
//
//     crestline run examples/mandelbrot.wgsl --target skl --dispatch 64,64 \
//         --bind 0.0=zero:1048576 --show stats --png 0.0=512x512:mandelbrot.png

@group(0) @binding(0) var<storage, read_write> pixels: array<u32>;

const SIDE = 512u;
const LIMIT = 160u;

// A smooth palette: three cosines out of phase.
fn colour(t: f32) -> vec3<f32> {
    let phase = vec3(0.0, 0.33, 0.67);
    return 0.5 + 0.5 * cos(6.2831853 * (vec3(t) + phase));
}

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let c = vec2(-2.2, -1.5) + vec2<f32>(id.xy) * (3.0 / f32(SIDE));
    var z = vec2<f32>();
    var n = 0u;
    while n < LIMIT && dot(z, z) < 64.0 {
        z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;
        n += 1u;
    }
    var rgb = vec3<f32>();
    if n < LIMIT {
        let smooth_n = f32(n) + 1.0 - log2(0.5 * log2(dot(z, z)));
        rgb = colour(0.04 * smooth_n);
    }
    pixels[id.y * SIDE + id.x] = pack4x8unorm(vec4(rgb, 1.0));
}
