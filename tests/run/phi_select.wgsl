//! dispatch 2 1 1
//! buffer 0.0 = u32 128 * bits
//! buffer 0.1 = zero 512

@group(0) @binding(0) var<storage, read> source: array<u32>;
@group(0) @binding(1) var<storage, read_write> result: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let n = source[id.x];
    var a = 1u;
    var b = 2u;
    if (n & 1u) == 0u {
        a = b + n;
        if (n & 2u) == 0u {
            b = a;
        } else {
            let t = a;
            a = b;
            b = t;
        }
    } else if (n & 4u) != 0u {
        b = a * 7u;
    }
    let both = (n & 8u) != 0u && source[(id.x + 1u) % 128u] > n;
    let either = (n & 16u) != 0u || source[(id.x + 2u) % 128u] > n;
    result[id.x] = select(a, b, both) ^ select(17u, 34u, either);
}
