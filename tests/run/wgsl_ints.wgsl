//! dispatch 2 1 1
//! buffer 0.0 = i32 128 * bits
//! buffer 0.1 = i32 128 * edges
//! buffer 0.2 = zero 8192

@group(0) @binding(0) var<storage, read> left: array<i32>;
@group(0) @binding(1) var<storage, read> right: array<i32>;
@group(0) @binding(2) var<storage, read_write> result: array<array<i32, 16>>;

// WGSL defines every one of these, division by zero and shifts included.
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let a = left[id.x];
    let b = right[id.x];
    let ua = bitcast<u32>(a);
    let ub = bitcast<u32>(b);
    var r: array<i32, 16>;
    r[0] = a / b;
    r[1] = a % b;
    r[2] = bitcast<i32>(ua / ub);
    r[3] = bitcast<i32>(ua % ub);
    r[4] = bitcast<i32>(countLeadingZeros(ub) * 64u + countTrailingZeros(ub));
    r[5] = bitcast<i32>(firstLeadingBit(ua) * 64u + firstTrailingBit(ub));
    r[6] = firstLeadingBit(b);
    r[7] = i32(countOneBits(a)) + reverseBits(b);
    r[8] = extractBits(a, ub & 31u, 7u);
    r[9] = bitcast<i32>(insertBits(ua, ub, 9u, ub & 15u));
    r[10] = bitcast<i32>(extractBits(ua, 3u, ub & 63u));
    r[11] = abs(b) - sign(a) * min(a, b);
    r[12] = i32(a < b) + 2 * i32(ua < ub) + 4 * i32(a == b);
    r[13] = dot(vec3(a, b, 3), vec3(b, a, -1));
    r[14] = a << (ub & 31u);
    r[15] = select(a >> (ub & 31u), clamp(a, -5, 5), a > 0);
    result[id.x] = r;
}
