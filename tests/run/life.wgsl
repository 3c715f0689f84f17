//! dispatch 4 4 1
//! uniform 0.0 = u32 32 32; zero 8
//! buffer 0.1 = u32 1024 * uniform 0 2
//! buffer 0.2 = zero 4096

@group(0) @binding(0) var<uniform> size: vec2<u32>;
@group(0) @binding(1) var<storage, read> now: array<u32>;
@group(0) @binding(2) var<storage, read_write> next: array<u32>;

fn cell(x: u32, y: u32) -> u32 {
    return now[(y % size.y) * size.x + x % size.x];
}

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    var neighbours = 0u;
    for (var dy = 0u; dy < 3u; dy++) {
        for (var dx = 0u; dx < 3u; dx++) {
            if dx != 1u || dy != 1u {
                neighbours += cell(id.x + size.x + dx - 1u, id.y + size.y + dy - 1u);
            }
        }
    }
    let alive = cell(id.x, id.y) == 1u;
    switch neighbours {
        case 2u: { next[id.y * size.x + id.x] = u32(alive); }
        case 3u: { next[id.y * size.x + id.x] = 1u; }
        default: { next[id.y * size.x + id.x] = 0u; }
    }
}
