//! dispatch 1 1 1
//! buffer 0.0 = u32 32 * iota 1 1
//! buffer 0.1 = zero 256

// Indices at the edge of the buffer and conditions that guard them.
@group(0) @binding(0) var<storage, read> source: array<u32>;
@group(0) @binding(1) var<storage, read_write> result: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
    let length = arrayLength(&source);
    var sum = 0u;
    if i < length {
        sum = source[i];
    }
    let last = min(i, length - 1u);
    sum = sum * 100u + source[last];
    if i > 0u && i - 1u < length {
        sum += source[i - 1u] * 10000u;
    }
    result[i] = sum;
}
