//! dispatch 2 1 1
//! buffer 0.0 = u32 512 * bits

@group(0) @binding(0) var<storage, read_write> keys: array<u32>;
var<workgroup> local: array<u32, 256>;

@compute @workgroup_size(256)
fn main(@builtin(local_invocation_id) id: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>) {
    let i = id.x;
    let base = group.x * 256u;
    local[i] = keys[base + i];
    workgroupBarrier();
    for (var k = 2u; k <= 256u; k <<= 1u) {
        for (var j = k >> 1u; j > 0u; j >>= 1u) {
            let partner = i ^ j;
            if partner > i {
                let ascending = (i & k) == 0u;
                let a = local[i];
                let b = local[partner];
                if (a > b) == ascending {
                    local[i] = b;
                    local[partner] = a;
                }
            }
            workgroupBarrier();
        }
    }
    keys[base + i] = local[i];
}
