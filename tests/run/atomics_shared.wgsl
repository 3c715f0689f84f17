//! dispatch 2 1 1
//! buffer 0.0 = u32 256 * bits
//! buffer 0.1 = zero 112

struct Cells {
    sum: atomic<u32>, low: atomic<i32>, high: atomic<i32>, bits: atomic<u32>,
    all: atomic<u32>, parity: atomic<u32>, min: atomic<u32>, max: atomic<u32>,
    same: atomic<u32>, found: atomic<u32>, last: atomic<u32>, changed: atomic<u32>, tickets: atomic<u32>, seen: array<atomic<u32>, 4>,
}
@group(0) @binding(0) var<storage, read> source: array<u32>;
@group(0) @binding(1) var<storage, read_write> result: array<u32>;
var<workgroup> cells: Cells;

@compute @workgroup_size(128)
fn main(
    @builtin(local_invocation_index) i: u32,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(global_invocation_id) id: vec3<u32>,
) {
    if i == 0u {
        atomicStore(&cells.low, 2147483647);
        atomicStore(&cells.high, -2147483647);
        atomicStore(&cells.all, 0xffffffffu);
        atomicStore(&cells.min, 0xffffffffu);
    }
    workgroupBarrier();
    let n = source[id.x];
    atomicAdd(&cells.sum, n);
    atomicMin(&cells.low, i32(n));
    atomicMax(&cells.high, i32(n));
    atomicOr(&cells.bits, n & 0xff00ffu);
    atomicAnd(&cells.all, n | 0xffff0000u);
    atomicXor(&cells.parity, n);
    atomicMin(&cells.min, n);
    atomicMax(&cells.max, n);
    // Only one finds 0, and all offer the same.
    if atomicCompareExchangeWeak(&cells.same, 0u, 3u).old_value == 0u {
        atomicAdd(&cells.found, 1u);
    }
    if atomicExchange(&cells.last, 5u) != 5u {
        atomicAdd(&cells.changed, 1u);
    }
    // Each invocation draws a different ticket; together they mark every bit once.
    let ticket = atomicAdd(&cells.tickets, 1u);
    atomicOr(&cells.seen[ticket / 32u], 1u << (ticket % 32u));
    workgroupBarrier();
    if i == 0u {
        let at = group.x * 14u;
        result[at] = atomicLoad(&cells.sum);
        result[at + 1u] = u32(atomicLoad(&cells.low));
        result[at + 2u] = u32(atomicLoad(&cells.high));
        result[at + 3u] = atomicLoad(&cells.bits);
        result[at + 4u] = atomicLoad(&cells.all);
        result[at + 5u] = atomicLoad(&cells.parity);
        result[at + 6u] = atomicLoad(&cells.min);
        result[at + 7u] = atomicLoad(&cells.max);
        result[at + 8u] = atomicSub(&cells.tickets, 1u);
        result[at + 9u] = atomicExchange(&cells.seen[3], 5u) & atomicLoad(&cells.seen[0]);
        result[at + 10u] = atomicLoad(&cells.seen[1]) & atomicLoad(&cells.seen[2]);
        let swap = atomicCompareExchangeWeak(&cells.seen[3], 5u, 6u);
        result[at + 11u] = swap.old_value;
        result[at + 12u] = atomicLoad(&cells.found);
        result[at + 13u] = atomicLoad(&cells.changed);
    }
}
