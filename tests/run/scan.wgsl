//! dispatch 3 1 1
//! buffer 0.0 = u32 768 * uniform 0 1000
//! buffer 0.1 = zero 3072

@group(0) @binding(0) var<storage, read> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> sums: array<u32>;
var<workgroup> temp: array<u32, 256>;

// Work-efficient exclusive scan of 256 elements by 128 invocations (up-sweep, down-sweep).
@compute @workgroup_size(128)
fn main(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) group: vec3<u32>) {
    let base = group.x * 256u;
    temp[2u * i] = data[base + 2u * i];
    temp[2u * i + 1u] = data[base + 2u * i + 1u];
    var offset = 1u;
    for (var d = 128u; d > 0u; d >>= 1u) {
        workgroupBarrier();
        if i < d {
            let a = offset * (2u * i + 1u) - 1u;
            temp[a + offset] += temp[a];
        }
        offset *= 2u;
    }
    if i == 0u {
        temp[255] = 0u;
    }
    for (var d = 1u; d < 256u; d *= 2u) {
        offset >>= 1u;
        workgroupBarrier();
        if i < d {
            let a = offset * (2u * i + 1u) - 1u;
            let left = temp[a];
            temp[a] = temp[a + offset];
            temp[a + offset] += left;
        }
    }
    workgroupBarrier();
    sums[base + 2u * i] = temp[2u * i];
    sums[base + 2u * i + 1u] = temp[2u * i + 1u];
}
