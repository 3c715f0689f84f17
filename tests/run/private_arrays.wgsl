//! dispatch 2 1 1
//! buffer 0.0 = u32 128 * bits
//! buffer 0.1 = zero 512

@group(0) @binding(0) var<storage, read> source: array<u32>;
@group(0) @binding(1) var<storage, read_write> result: array<u32>;

// A stack machine: array accesses in loops that no compiler can unroll.
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    var stack: array<u32, 24>;
    var depth = 0u;
    var program = source[id.x];
    for (var step = 0u; step < 40u; step++) {
        switch program & 3u {
            case 0u: {
                if depth < 24u {
                    stack[depth] = step * 77u;
                    depth += 1u;
                }
            }
            case 1u: {
                if depth > 1u {
                    stack[depth - 2u] = stack[depth - 2u] * 3u + stack[depth - 1u];
                    depth -= 1u;
                }
            }
            case 2u: {
                if depth > 0u {
                    let other = program % depth;
                    let t = stack[depth - 1u];
                    stack[depth - 1u] = stack[other];
                    stack[other] = t ^ 5u;
                }
            }
            default: {
                if depth > 0u {
                    stack[depth - 1u] += depth;
                }
            }
        }
        program = (program >> 2u) ^ (program << 29u) ^ step;
    }
    var sum = depth;
    for (var k = 0u; k < depth; k++) {
        sum = sum * 31u + stack[k];
    }
    result[id.x] = sum;
}
