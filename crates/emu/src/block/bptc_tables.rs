//! Tables of BPTC (Khronos Data Format Specification, "BPTC Compressed Texture Image Formats").

/// Partitions into two subsets: bit `i` is the subset of texel `i`.
pub(super) const TWO: [u16; 64] = [
    0xcccc, 0x8888, 0xeeee, 0xecc8, 0xc880, 0xfeec, 0xfec8, 0xec80, 0xc800, 0xffec, 0xfe80, 0xe800,
    0xffe8, 0xff00, 0xfff0, 0xf000, 0xf710, 0x008e, 0x7100, 0x08ce, 0x008c, 0x7310, 0x3100, 0x8cce,
    0x088c, 0x3110, 0x6666, 0x366c, 0x17e8, 0x0ff0, 0x718e, 0x399c, 0xaaaa, 0xf0f0, 0x5a5a, 0x33cc,
    0x3c3c, 0x55aa, 0x9696, 0xa55a, 0x73ce, 0x13c8, 0x324c, 0x3bdc, 0x6996, 0xc33c, 0x9966, 0x0660,
    0x0272, 0x04e4, 0x4e40, 0x2720, 0xc936, 0x936c, 0x39c6, 0x639c, 0x9336, 0x9cc6, 0x817e, 0xe718,
    0xccf0, 0x0fcc, 0x7744, 0xee22,
];

/// Partitions into three subsets: bits `2 * i` and `2 * i + 1` are the subset of texel `i`.
pub(super) const THREE: [u32; 64] = [
    0xaa685050, 0x6a5a5040, 0x5a5a4200, 0x5450a0a8, 0xa5a50000, 0xa0a05050, 0x5555a0a0, 0x5a5a5050,
    0xaa550000, 0xaa555500, 0xaaaa5500, 0x90909090, 0x94949494, 0xa4a4a4a4, 0xa9a59450, 0x2a0a4250,
    0xa5945040, 0x0a425054, 0xa5a5a500, 0x55a0a0a0, 0xa8a85454, 0x6a6a4040, 0xa4a45000, 0x1a1a0500,
    0x0050a4a4, 0xaaa59090, 0x14696914, 0x69691400, 0xa08585a0, 0xaa821414, 0x50a4a450, 0x6a5a0200,
    0xa9a58000, 0x5090a0a8, 0xa8a09050, 0x24242424, 0x00aa5500, 0x24924924, 0x24499224, 0x50a50a50,
    0x500aa550, 0xaaaa4444, 0x66660000, 0xa5a0a5a0, 0x50a050a0, 0x69286928, 0x44aaaa44, 0x66666600,
    0xaa444444, 0x54a854a8, 0x95809580, 0x96969600, 0xa85454a8, 0x80959580, 0xaa141414, 0x96960000,
    0xaaaa1414, 0xa05050a0, 0xa0a5a5a0, 0x96000000, 0x40804080, 0xa9a8a9a8, 0xaaaaaa44, 0x2a4a5254,
];

/// The texel of the second of two subsets whose code lacks the highest bit.
pub(super) const ANCHORS_OF_TWO: [u8; 64] = [
    15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 2, 8, 2, 2, 8, 8, 15, 2, 8,
    2, 2, 8, 8, 2, 2, 15, 15, 6, 8, 2, 8, 15, 15, 2, 8, 2, 2, 2, 15, 15, 6, 6, 2, 6, 8, 15, 15, 2,
    2, 15, 15, 15, 15, 15, 2, 2, 15,
];

/// Like [`ANCHORS_OF_TWO`], for the second and the third of three subsets.
pub(super) const ANCHORS_OF_THREE: [[u8; 64]; 2] = [
    [
        3, 3, 15, 15, 8, 3, 15, 15, 8, 8, 6, 6, 6, 5, 3, 3, 3, 3, 8, 15, 3, 3, 6, 10, 5, 8, 8, 6,
        8, 5, 15, 15, 8, 15, 3, 5, 6, 10, 8, 15, 15, 3, 15, 5, 15, 15, 15, 15, 3, 15, 5, 5, 5, 8,
        5, 10, 5, 10, 8, 13, 15, 12, 3, 3,
    ],
    [
        15, 8, 8, 3, 15, 15, 3, 8, 15, 15, 15, 15, 15, 15, 15, 8, 15, 8, 15, 3, 15, 8, 15, 8, 3,
        15, 6, 10, 15, 15, 10, 8, 15, 3, 15, 10, 10, 8, 9, 10, 6, 15, 8, 15, 3, 6, 6, 8, 15, 3, 15,
        15, 15, 15, 15, 15, 15, 15, 15, 15, 3, 15, 15, 8,
    ],
];

/// Weights of the second endpoint, in 64ths, for codes of two, three and four bits.
pub(super) const WEIGHTS: [&[u32]; 3] = [
    &[0, 21, 43, 64],
    &[0, 9, 18, 27, 37, 46, 55, 64],
    &[0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64],
];

/// A mode of blocks of bytes.
pub(super) struct ByteMode {
    pub(super) subsets: u32,
    pub(super) partition_bits: u32,
    pub(super) rotation_bits: u32,
    pub(super) selection_bits: u32,
    pub(super) colour_bits: u32,
    pub(super) alpha_bits: u32,
    /// Number of lowest bits, which all channels of an endpoint share: one for each endpoint or one for each subset.
    pub(super) lowest: Lowest,
    pub(super) code_bits: u32,
    /// Bits of the second code of a texel; 0 if there is none.
    pub(super) second_bits: u32,
}

/// Which endpoints share a lowest bit.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Lowest {
    None,
    Endpoint,
    Subset,
}

const fn byte_mode(
    [subsets, partition_bits, rotation_bits, selection_bits]: [u32; 4],
    [colour_bits, alpha_bits]: [u32; 2],
    lowest: Lowest,
    [code_bits, second_bits]: [u32; 2],
) -> ByteMode {
    ByteMode {
        subsets,
        partition_bits,
        rotation_bits,
        selection_bits,
        colour_bits,
        alpha_bits,
        lowest,
        code_bits,
        second_bits,
    }
}

/// The modes of blocks of bytes.
pub(super) const BYTE_MODES: [ByteMode; 8] = [
    byte_mode([3, 4, 0, 0], [4, 0], Lowest::Endpoint, [3, 0]),
    byte_mode([2, 6, 0, 0], [6, 0], Lowest::Subset, [3, 0]),
    byte_mode([3, 6, 0, 0], [5, 0], Lowest::None, [2, 0]),
    byte_mode([2, 6, 0, 0], [7, 0], Lowest::Endpoint, [2, 0]),
    byte_mode([1, 0, 2, 1], [5, 6], Lowest::None, [2, 3]),
    byte_mode([1, 0, 2, 0], [7, 8], Lowest::None, [2, 2]),
    byte_mode([1, 0, 0, 0], [7, 7], Lowest::Endpoint, [4, 0]),
    byte_mode([2, 6, 0, 0], [5, 5], Lowest::Endpoint, [2, 0]),
];

/// A mode of blocks of half floats.
pub(super) struct FloatMode {
    /// The number in the lowest two or five bits.
    pub(super) code: u32,
    pub(super) has_two_subsets: bool,
    /// Whether all endpoints but the first are differences to it.
    pub(super) is_relative: bool,
    /// Bits of the first endpoint's channels.
    pub(super) bits: u32,
    /// Bits of the red, green and blue of the other endpoints.
    pub(super) other_bits: [u32; 3],
    /// The fields from the lowest bit after the mode's code up: channel and number of the endpoint, the bit of the first stored bit, and
    /// that of the last.
    pub(super) fields: &'static str,
}

const fn float_mode(
    code: u32,
    has_two_subsets: bool,
    is_relative: bool,
    bits: u32,
    other_bits: [u32; 3],
    fields: &'static str,
) -> FloatMode {
    FloatMode { code, has_two_subsets, is_relative, bits, other_bits, fields }
}

/// The modes of blocks of half floats. A field such as `r0:9` are the bits 0 to 9 of the red of endpoint 0, `r0:15-10` bits 15 to 10 in
/// falling order, `g2.4` is bit 4 of the green of endpoint 2.
pub(super) const FLOAT_MODES: [FloatMode; 14] = [
    float_mode(
        0b00,
        true,
        true,
        10,
        [5, 5, 5],
        "g2.4 b2.4 b3.4 r0:9 g0:9 b0:9 r1:4 g3.4 g2:3 g1:4 b3.0 g3:3 b1:4 b3.1 b2:3 r2:4 b3.2 r3:4 b3.3",
    ),
    float_mode(
        0b01,
        true,
        true,
        7,
        [6, 6, 6],
        "g2.5 g3.4 g3.5 r0:6 b3.0 b3.1 b2.4 g0:6 b2.5 b3.2 g2.4 b0:6 b3.3 b3.5 b3.4 r1:5 g2:3 g1:5 g3:3 b1:5 b2:3 r2:5 r3:5",
    ),
    float_mode(
        0b00010,
        true,
        true,
        11,
        [5, 4, 4],
        "r0:9 g0:9 b0:9 r1:4 r0.10 g2:3 g1:3 g0.10 b3.0 g3:3 b1:3 b0.10 b3.1 b2:3 r2:4 b3.2 r3:4 b3.3",
    ),
    float_mode(
        0b00110,
        true,
        true,
        11,
        [4, 5, 4],
        "r0:9 g0:9 b0:9 r1:3 r0.10 g3.4 g2:3 g1:4 g0.10 g3:3 b1:3 b0.10 b3.1 b2:3 r2:3 b3.0 b3.2 r3:3 g2.4 b3.3",
    ),
    float_mode(
        0b01010,
        true,
        true,
        11,
        [4, 4, 5],
        "r0:9 g0:9 b0:9 r1:3 r0.10 b2.4 g2:3 g1:3 g0.10 b3.0 g3:3 b1:4 b0.10 b2:3 r2:3 b3.1 b3.2 r3:3 b3.4 b3.3",
    ),
    float_mode(
        0b01110,
        true,
        true,
        9,
        [5, 5, 5],
        "r0:8 b2.4 g0:8 g2.4 b0:8 b3.4 r1:4 g3.4 g2:3 g1:4 b3.0 g3:3 b1:4 b3.1 b2:3 r2:4 b3.2 r3:4 b3.3",
    ),
    float_mode(
        0b10010,
        true,
        true,
        8,
        [6, 5, 5],
        "r0:7 g3.4 b2.4 g0:7 b3.2 g2.4 b0:7 b3.3 b3.4 r1:5 g2:3 g1:4 b3.0 g3:3 b1:4 b3.1 b2:3 r2:5 r3:5",
    ),
    float_mode(
        0b10110,
        true,
        true,
        8,
        [5, 6, 5],
        "r0:7 b3.0 b2.4 g0:7 g2.5 g2.4 b0:7 g3.5 b3.4 r1:4 g3.4 g2:3 g1:5 g3:3 b1:4 b3.1 b2:3 r2:4 b3.2 r3:4 b3.3",
    ),
    float_mode(
        0b11010,
        true,
        true,
        8,
        [5, 5, 6],
        "r0:7 b3.1 b2.4 g0:7 b2.5 g2.4 b0:7 b3.5 b3.4 r1:4 g3.4 g2:3 g1:4 b3.0 g3:3 b1:5 b2:3 r2:4 b3.2 r3:4 b3.3",
    ),
    float_mode(
        0b11110,
        true,
        false,
        6,
        [6, 6, 6],
        "r0:5 g3.4 b3.0 b3.1 b2.4 g0:5 g2.5 b2.5 b3.2 g2.4 b0:5 g3.5 b3.3 b3.5 b3.4 r1:5 g2:3 g1:5 g3:3 b1:5 b2:3 r2:5 r3:5",
    ),
    float_mode(0b00011, false, false, 10, [10, 10, 10], "r0:9 g0:9 b0:9 r1:9 g1:9 b1:9"),
    float_mode(
        0b00111,
        false,
        true,
        11,
        [9, 9, 9],
        "r0:9 g0:9 b0:9 r1:8 r0.10 g1:8 g0.10 b1:8 b0.10",
    ),
    float_mode(
        0b01011,
        false,
        true,
        12,
        [8, 8, 8],
        "r0:9 g0:9 b0:9 r1:7 r0:11-10 g1:7 g0:11-10 b1:7 b0:11-10",
    ),
    float_mode(
        0b01111,
        false,
        true,
        16,
        [4, 4, 4],
        "r0:9 g0:9 b0:9 r1:3 r0:15-10 g1:3 g0:15-10 b1:3 b0:15-10",
    ),
];
