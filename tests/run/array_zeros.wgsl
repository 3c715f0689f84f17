//! dispatch 1 1 1
//! scratch 3400
//! buffer 0.0 = u32 16 * bits
//! buffer 0.1 = zero 64

@group(0) @binding(0) var<storage, read> source: array<u32>;
@group(0) @binding(1) var<storage, read_write> result: array<u32>;

// First values of large arrays: zero, also where the declaration runs again, and numbers.
struct Part {
    flags: array<bool, 140>,
    pairs: array<vec2<f32>, 3>,
}
var<private> zeros: array<u32, 140>;
var<private> numbers: array<i32, 150> = array<i32, 150>(
    637, 261, 759, 367, 814, 707, 965, 861, 757, 667, 944, 542, 29, 860, 476, 794, 965, 255, 664, 53, 922, 160,
    115, 380, 480, 889, 252, 389, 556, 104, 587, 255, 13, 748, 221, 417, 286, 186, 938, 888, 784, 398, 163, 780,
    816, 73, 142, 632, 632, 455, 129, 135, 1, 995, 892, 5, 214, 792, 220, 983, 169, 893, 170, 296, 321, 984, 203,
    552, 897, 694, 640, 209, 186, 963, 991, 707, 201, 989, 988, 915, 392, 305, 22, 369, 424, 169, 958, 149, 270,
    66, 339, 308, 837, 617, 600, 3, 610, 694, 724, 346, 67, 317, 363, 838, 313, 492, 713, 323, 189, 492, 483, 721,
    180, 58, 262, 998, 961, 23, 972, 767, 366, 865, 413, 18, 562, 806, 428, 374, 385, 592, 861, 9, 463, 47, 724,
    185, 638, 978, 977, 201, 121, 773, 251, 951, 839, 964, 473, 352, 524, 363
);

fn sum_of(a: array<u32, 140>) -> u32 {
    var copy = a;
    var sum = 0u;
    for (var i = 0u; i < 140u; i++) {
        sum = sum * 31u + copy[i];
        copy[139u - i] += 1u;
    }
    return sum;
}

@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) id: u32) {
    let n = source[id];
    var part: Part;
    var sum = 0u;
    for (var round = 0u; round < 3u; round++) {
        var a: array<u32, 140>;
        a[(n >> round) % 140u] += n;
        a[n % 140u] += round;
        zeros[(n >> (2u * round)) % 140u] += 1u;
        part.flags[(n >> (3u * round)) % 140u] = true;
        numbers[(n >> (4u * round)) % 150u] -= 1;
        sum ^= sum_of(a);
        let before = zeros;
        zeros[round] = 77u;
        sum += sum_of(before);
    }
    sum += sum_of(zeros);
    for (var i = 0u; i < 140u; i++) {
        sum = sum * 31u + select(1u, 2u, part.flags[i]) + u32(numbers[i]);
    }
    result[id] = sum + u32(part.pairs[n % 3u].x);
}
