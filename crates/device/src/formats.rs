//! Surface formats: codes, channels, and what each generation can do with them.
//!
//! [`FORMATS`] has one row for each uncompressed format with one texel per block that the sampler
//! or the typed data port accepts, for the compressed formats of Vulkan, and for `RAW`. Luminance, palette and
//! video formats are not listed: this project does not need their layout.

use crate::Gen;
use std::fmt;
use std::str::FromStr;

/// How the bits of a channel are interpreted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChannelKind {
    /// Unsigned normalized: 0..=1.
    Unorm,
    /// Signed normalized: -1..=1.
    Snorm,
    /// Floating point with a sign (16, 32 or 64 bits).
    Float,
    /// Floating point without a sign: five bits of exponent, the others are mantissa. Exception:
    /// the channels of `R9G9B9E5_SHAREDEXP` are only mantissas, with a common exponent in bits
    /// 31:27.
    UFloat,
    /// Unsigned integer.
    Uint,
    /// Signed integer, two's complement.
    Sint,
    /// Present in memory, but not accessible.
    Unused,
}

/// One channel of a texel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Channel {
    /// Interpretation.
    pub kind: ChannelKind,
    /// Width in bits.
    pub bits: u8,
    /// Lowest bit inside the texel.
    pub shift: u8,
}

/// The rules by which the sampler decodes a block of a compressed format (Khronos Data Format Specification).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Codec {
    /// Two colours, with one transparent code or none.
    Bc1,
    /// Like `Bc1`, without transparency.
    Bc1Opaque,
    /// A block of `Bc1` colours, and alphas of four bits.
    Bc2,
    /// A block of `Bc1` colours, and a `Bc4` block of alphas.
    Bc3,
    /// Unsigned reds.
    Bc4,
    /// Signed reds.
    Bc4Signed,
    /// Two `Bc4` blocks: red and green.
    Bc5,
    /// Two `Bc4Signed` blocks: red and green.
    Bc5Signed,
    /// Unsigned half floats.
    Bc6,
    /// Signed half floats.
    Bc6Signed,
    /// BPTC with eight bits per channel.
    Bc7,
    /// ETC2 without alpha.
    Etc2,
    /// ETC2 with one bit of alpha.
    Etc2PunchThrough,
    /// A block of `EacAlpha`, and a block of `Etc2` colours.
    Etc2Alpha,
    /// EAC with 11 bits: red.
    EacR11,
    /// EAC with 11 bits and a sign: red.
    EacSignedR11,
    /// Two `EacR11` blocks: red and green.
    EacRg11,
    /// Two `EacSignedR11` blocks: red and green.
    EacSignedRg11,
    /// ASTC, low dynamic range.
    Astc,
}

impl Codec {
    /// The number of channels, of red, green, blue and alpha in this order.
    const fn channels(self) -> usize {
        match self {
            Codec::Bc4 | Codec::Bc4Signed | Codec::EacR11 | Codec::EacSignedR11 => 1,
            Codec::Bc5 | Codec::Bc5Signed | Codec::EacRg11 | Codec::EacSignedRg11 => 2,
            Codec::Bc1Opaque | Codec::Bc6 | Codec::Bc6Signed | Codec::Etc2 => 3,
            _ => 4,
        }
    }
}

/// How a compressed format stores texels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Compression {
    /// The rules of decoding.
    pub codec: Codec,
    /// Width and height of a block in texels.
    pub block: [u32; 2],
}

/// The row of a format in the table.
#[derive(Clone, Copy, Debug)]
pub struct FormatInfo {
    /// The name in the manuals, such as `R8G8B8A8_UNORM`.
    pub name: &'static str,
    /// The value of the surface state's format field: nine bits, and bit 9 for ASTC.
    pub code: u16,
    /// Size of a texel, or of a block of a compressed format, in bits; 0 for `RAW`.
    pub bits: u16,
    /// Whether colour channels are sRGB encoded.
    pub srgb: bool,
    /// Red, green, blue, alpha; `None` if the format lacks the channel. Compressed formats have none here.
    pub channels: [Option<Channel>; 4],
    /// The blocks of a compressed format.
    pub compression: Option<Compression>,
    sampling: Option<Gen>,
    filtering: Option<Gen>,
    typed_write: Option<Gen>,
    typed_read: Option<Gen>,
    typed_atomics: Option<Gen>,
}

/// The channels of the table's column.
macro_rules! channels {
    ($codec:ident $width:literal $height:literal) => {
        [None; 4]
    };
    ($($channel:tt)+) => {
        [$(channel!($channel)),+]
    };
}

/// The compression of the table's column.
macro_rules! compression {
    ($codec:ident $width:literal $height:literal) => {
        Some(Compression { codec: Codec::$codec, block: [$width, $height] })
    };
    ($($channel:tt)+) => {
        None
    };
}

macro_rules! channel {
    ((_)) => {
        None
    };
    (($kind:ident $bits:literal $shift:literal)) => {
        Some(Channel { kind: kind::$kind, bits: $bits, shift: $shift })
    };
}

/// The abbreviations of channel kinds in the table.
#[allow(non_upper_case_globals)]
mod kind {
    use super::ChannelKind::{self, *};
    pub(super) const un: ChannelKind = Unorm;
    pub(super) const sn: ChannelKind = Snorm;
    pub(super) const sf: ChannelKind = Float;
    pub(super) const uf: ChannelKind = UFloat;
    pub(super) const ui: ChannelKind = Uint;
    pub(super) const si: ChannelKind = Sint;
    pub(super) const x: ChannelKind = Unused;
}

macro_rules! since {
    (never) => {
        None
    };
    ($generation:ident) => {
        Some(Gen::$generation)
    };
}

macro_rules! colorspace {
    (linear) => {
        false
    };
    (srgb) => {
        true
    };
}

macro_rules! formats {
    ($($name:ident, $code:literal, $bits:literal, $space:ident, [$($channel:tt)+],
       [$sample:ident, $filter:ident, $write:ident, $read:ident, $atomic:ident];)+) => {
        /// A surface format of the table, called by its name in the manuals.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(non_camel_case_types)]
        pub enum SurfaceFormat {
            $(
                #[doc = concat!("Format code ", stringify!($code), ".")]
                $name,
            )+
        }

        impl SurfaceFormat {
            /// Every format of the table, in order of its code.
            pub const ALL: &[SurfaceFormat] = &[$(SurfaceFormat::$name),+];
        }

        const FORMATS: &[FormatInfo] = &[$(FormatInfo {
            name: stringify!($name),
            code: $code,
            bits: $bits,
            srgb: colorspace!($space),
            channels: channels!($($channel)+),
            compression: compression!($($channel)+),
            sampling: since!($sample),
            filtering: since!($filter),
            typed_write: since!($write),
            typed_read: since!($read),
            typed_atomics: since!($atomic),
        }),+];
    };
}

// name, code, bits per texel or block, colour space, [red green blue alpha as (kind bits shift), or codec, width and
// height of a block],
// [first generation that supports: sampling, filtering, typed write, typed read, typed atomics].
formats! {
    R32G32B32A32_FLOAT,        0x000, 128, linear, [(sf 32 0) (sf 32 32) (sf 32 64) (sf 32 96)], [Gen4, Gen5, Gen7, Gen9, never];
    R32G32B32A32_SINT,         0x001, 128, linear, [(si 32 0) (si 32 32) (si 32 64) (si 32 96)], [Gen4, never, Gen7, Gen9, never];
    R32G32B32A32_UINT,         0x002, 128, linear, [(ui 32 0) (ui 32 32) (ui 32 64) (ui 32 96)], [Gen4, never, Gen7, Gen9, never];
    R32G32B32X32_FLOAT,        0x006, 128, linear, [(sf 32 0) (sf 32 32) (sf 32 64) (x 32 96)], [Gen4, Gen5, never, never, never];
    R32G32B32_FLOAT,           0x040, 96,  linear, [(sf 32 0) (sf 32 32) (sf 32 64) (_)], [Gen4, Gen5, never, never, never];
    R32G32B32_SINT,            0x041, 96,  linear, [(si 32 0) (si 32 32) (si 32 64) (_)], [Gen4, never, never, never, never];
    R32G32B32_UINT,            0x042, 96,  linear, [(ui 32 0) (ui 32 32) (ui 32 64) (_)], [Gen4, never, never, never, never];
    R16G16B16A16_UNORM,        0x080, 64,  linear, [(un 16 0) (un 16 16) (un 16 32) (un 16 48)], [Gen4, Gen4, Gen7, Gen11, never];
    R16G16B16A16_SNORM,        0x081, 64,  linear, [(sn 16 0) (sn 16 16) (sn 16 32) (sn 16 48)], [Gen4, Gen4, Gen7, Gen11, never];
    R16G16B16A16_SINT,         0x082, 64,  linear, [(si 16 0) (si 16 16) (si 16 32) (si 16 48)], [Gen4, never, Gen7, Gen9, never];
    R16G16B16A16_UINT,         0x083, 64,  linear, [(ui 16 0) (ui 16 16) (ui 16 32) (ui 16 48)], [Gen4, never, Gen7, Gen75, never];
    R16G16B16A16_FLOAT,        0x084, 64,  linear, [(sf 16 0) (sf 16 16) (sf 16 32) (sf 16 48)], [Gen4, Gen4, Gen7, Gen9, never];
    R32G32_FLOAT,              0x085, 64,  linear, [(sf 32 0) (sf 32 32) (_) (_)], [Gen4, Gen5, Gen7, Gen9, never];
    R32G32_SINT,               0x086, 64,  linear, [(si 32 0) (si 32 32) (_) (_)], [Gen4, never, Gen7, Gen9, never];
    R32G32_UINT,               0x087, 64,  linear, [(ui 32 0) (ui 32 32) (_) (_)], [Gen4, never, Gen7, Gen9, never];
    R32_FLOAT_X8X24_TYPELESS,  0x088, 64,  linear, [(sf 32 0) (x 8 32) (x 24 40) (_)], [Gen4, Gen5, never, never, never];
    X32_TYPELESS_G8X24_UINT,   0x089, 64,  linear, [(x 32 0) (ui 8 32) (x 24 40) (_)], [Gen4, never, never, never, never];
    R64_FLOAT,                 0x08d, 64,  linear, [(sf 64 0) (_) (_) (_)], [never, never, never, never, Gen9];
    R16G16B16X16_UNORM,        0x08e, 64,  linear, [(un 16 0) (un 16 16) (un 16 32) (x 16 48)], [Gen4, Gen4, never, never, never];
    R16G16B16X16_FLOAT,        0x08f, 64,  linear, [(sf 16 0) (sf 16 16) (sf 16 32) (x 16 48)], [Gen4, Gen4, never, never, never];
    R32G32_FLOAT_LD,           0x097, 64,  linear, [(sf 32 0) (sf 32 32) (_) (_)], [Gen4, Gen7, never, never, never];
    B8G8R8A8_UNORM,            0x0c0, 32,  linear, [(un 8 16) (un 8 8) (un 8 0) (un 8 24)], [Gen4, Gen4, Gen7, never, never];
    B8G8R8A8_UNORM_SRGB,       0x0c1, 32,  srgb,   [(un 8 16) (un 8 8) (un 8 0) (un 8 24)], [Gen4, Gen4, never, never, never];
    R10G10B10A2_UNORM,         0x0c2, 32,  linear, [(un 10 0) (un 10 10) (un 10 20) (un 2 30)], [Gen4, Gen4, Gen7, never, never];
    R10G10B10A2_UNORM_SRGB,    0x0c3, 32,  srgb,   [(un 10 0) (un 10 10) (un 10 20) (un 2 30)], [Gen4, Gen4, never, never, never];
    R10G10B10A2_UINT,          0x0c4, 32,  linear, [(ui 10 0) (ui 10 10) (ui 10 20) (ui 2 30)], [Gen4, never, Gen7, never, never];
    R10G10B10_SNORM_A2_UNORM,  0x0c5, 32,  linear, [(sn 10 0) (sn 10 10) (sn 10 20) (un 2 30)], [Gen4, Gen4, never, never, never];
    R8G8B8A8_UNORM,            0x0c7, 32,  linear, [(un 8 0) (un 8 8) (un 8 16) (un 8 24)], [Gen4, Gen4, Gen7, Gen11, never];
    R8G8B8A8_UNORM_SRGB,       0x0c8, 32,  srgb,   [(un 8 0) (un 8 8) (un 8 16) (un 8 24)], [Gen4, Gen4, never, never, never];
    R8G8B8A8_SNORM,            0x0c9, 32,  linear, [(sn 8 0) (sn 8 8) (sn 8 16) (sn 8 24)], [Gen4, Gen4, Gen7, Gen11, never];
    R8G8B8A8_SINT,             0x0ca, 32,  linear, [(si 8 0) (si 8 8) (si 8 16) (si 8 24)], [Gen4, never, Gen7, Gen9, never];
    R8G8B8A8_UINT,             0x0cb, 32,  linear, [(ui 8 0) (ui 8 8) (ui 8 16) (ui 8 24)], [Gen4, never, Gen7, Gen75, never];
    R16G16_UNORM,              0x0cc, 32,  linear, [(un 16 0) (un 16 16) (_) (_)], [Gen4, Gen4, Gen7, Gen11, never];
    R16G16_SNORM,              0x0cd, 32,  linear, [(sn 16 0) (sn 16 16) (_) (_)], [Gen4, Gen4, Gen7, Gen11, never];
    R16G16_SINT,               0x0ce, 32,  linear, [(si 16 0) (si 16 16) (_) (_)], [Gen4, never, Gen7, Gen9, never];
    R16G16_UINT,               0x0cf, 32,  linear, [(ui 16 0) (ui 16 16) (_) (_)], [Gen4, never, Gen7, Gen75, never];
    R16G16_FLOAT,              0x0d0, 32,  linear, [(sf 16 0) (sf 16 16) (_) (_)], [Gen4, Gen4, Gen7, Gen9, never];
    B10G10R10A2_UNORM,         0x0d1, 32,  linear, [(un 10 20) (un 10 10) (un 10 0) (un 2 30)], [Gen4, Gen4, Gen7, never, never];
    B10G10R10A2_UNORM_SRGB,    0x0d2, 32,  srgb,   [(un 10 20) (un 10 10) (un 10 0) (un 2 30)], [Gen4, Gen4, never, never, never];
    R11G11B10_FLOAT,           0x0d3, 32,  linear, [(uf 11 0) (uf 11 11) (uf 10 22) (_)], [Gen4, Gen4, Gen7, never, never];
    R10G10B10_FLOAT_A2_UNORM,  0x0d5, 32,  linear, [(uf 10 0) (uf 10 10) (uf 10 20) (un 2 30)], [Gen12, Gen12, never, never, never];
    R32_SINT,                  0x0d6, 32,  linear, [(si 32 0) (_) (_) (_)], [Gen4, never, Gen7, Gen7, Gen7];
    R32_UINT,                  0x0d7, 32,  linear, [(ui 32 0) (_) (_) (_)], [Gen4, never, Gen7, Gen7, Gen7];
    R32_FLOAT,                 0x0d8, 32,  linear, [(sf 32 0) (_) (_) (_)], [Gen4, Gen5, Gen7, Gen7, Gen11];
    R24_UNORM_X8_TYPELESS,     0x0d9, 32,  linear, [(un 24 0) (x 8 24) (_) (_)], [Gen4, Gen5, never, never, never];
    X24_TYPELESS_G8_UINT,      0x0da, 32,  linear, [(x 24 0) (ui 8 24) (_) (_)], [Gen4, never, never, never, never];
    A32_FLOAT,                 0x0e5, 32,  linear, [(_) (_) (_) (sf 32 0)], [Gen4, Gen5, never, never, never];
    B8G8R8X8_UNORM,            0x0e9, 32,  linear, [(un 8 16) (un 8 8) (un 8 0) (x 8 24)], [Gen4, Gen4, never, never, never];
    B8G8R8X8_UNORM_SRGB,       0x0ea, 32,  srgb,   [(un 8 16) (un 8 8) (un 8 0) (x 8 24)], [Gen4, Gen4, never, never, never];
    R8G8B8X8_UNORM,            0x0eb, 32,  linear, [(un 8 0) (un 8 8) (un 8 16) (x 8 24)], [Gen4, Gen4, never, never, never];
    R8G8B8X8_UNORM_SRGB,       0x0ec, 32,  srgb,   [(un 8 0) (un 8 8) (un 8 16) (x 8 24)], [Gen4, Gen4, never, never, never];
    R9G9B9E5_SHAREDEXP,        0x0ed, 32,  linear, [(uf 9 0) (uf 9 9) (uf 9 18) (_)], [Gen4, Gen4, never, never, never];
    B10G10R10X2_UNORM,         0x0ee, 32,  linear, [(un 10 20) (un 10 10) (un 10 0) (x 2 30)], [Gen4, Gen4, never, never, never];
    B5G6R5_UNORM,              0x100, 16,  linear, [(un 5 11) (un 6 5) (un 5 0) (_)], [Gen4, Gen4, Gen7, never, never];
    B5G6R5_UNORM_SRGB,         0x101, 16,  srgb,   [(un 5 11) (un 6 5) (un 5 0) (_)], [Gen4, Gen4, never, never, never];
    B5G5R5A1_UNORM,            0x102, 16,  linear, [(un 5 10) (un 5 5) (un 5 0) (un 1 15)], [Gen4, Gen4, Gen7, never, never];
    B5G5R5A1_UNORM_SRGB,       0x103, 16,  srgb,   [(un 5 10) (un 5 5) (un 5 0) (un 1 15)], [Gen4, Gen4, never, never, never];
    B4G4R4A4_UNORM,            0x104, 16,  linear, [(un 4 8) (un 4 4) (un 4 0) (un 4 12)], [Gen4, Gen4, Gen7, never, never];
    B4G4R4A4_UNORM_SRGB,       0x105, 16,  srgb,   [(un 4 8) (un 4 4) (un 4 0) (un 4 12)], [Gen4, Gen4, never, never, never];
    R8G8_UNORM,                0x106, 16,  linear, [(un 8 0) (un 8 8) (_) (_)], [Gen4, Gen4, Gen7, Gen11, never];
    R8G8_SNORM,                0x107, 16,  linear, [(sn 8 0) (sn 8 8) (_) (_)], [Gen4, Gen4, Gen7, Gen11, never];
    R8G8_SINT,                 0x108, 16,  linear, [(si 8 0) (si 8 8) (_) (_)], [Gen4, never, Gen7, Gen9, never];
    R8G8_UINT,                 0x109, 16,  linear, [(ui 8 0) (ui 8 8) (_) (_)], [Gen4, never, Gen7, Gen75, never];
    R16_UNORM,                 0x10a, 16,  linear, [(un 16 0) (_) (_) (_)], [Gen4, Gen4, Gen7, Gen11, never];
    R16_SNORM,                 0x10b, 16,  linear, [(sn 16 0) (_) (_) (_)], [Gen4, Gen4, Gen7, Gen11, never];
    R16_SINT,                  0x10c, 16,  linear, [(si 16 0) (_) (_) (_)], [Gen4, never, Gen7, Gen9, Gen12];
    R16_UINT,                  0x10d, 16,  linear, [(ui 16 0) (_) (_) (_)], [Gen4, never, Gen7, Gen75, Gen12];
    R16_FLOAT,                 0x10e, 16,  linear, [(sf 16 0) (_) (_) (_)], [Gen4, Gen4, Gen7, Gen9, Gen12];
    A16_UNORM,                 0x113, 16,  linear, [(_) (_) (_) (un 16 0)], [Gen4, Gen4, never, never, never];
    A16_FLOAT,                 0x117, 16,  linear, [(_) (_) (_) (sf 16 0)], [Gen4, Gen4, never, never, never];
    R5G5_SNORM_B6_UNORM,       0x119, 16,  linear, [(sn 5 0) (sn 5 5) (un 6 10) (_)], [Gen4, Gen4, never, never, never];
    B5G5R5X1_UNORM,            0x11a, 16,  linear, [(un 5 10) (un 5 5) (un 5 0) (x 1 15)], [never, never, Gen7, never, never];
    A1B5G5R5_UNORM,            0x124, 16,  linear, [(un 5 11) (un 5 6) (un 5 1) (un 1 0)], [Gen12, Gen12, never, never, never];
    A4B4G4R4_UNORM,            0x125, 16,  linear, [(un 4 12) (un 4 8) (un 4 4) (un 4 0)], [Gen8, Gen8, never, never, never];
    R8_UNORM,                  0x140, 8,   linear, [(un 8 0) (_) (_) (_)], [Gen4, Gen4, Gen7, Gen11, never];
    R8_SNORM,                  0x141, 8,   linear, [(sn 8 0) (_) (_) (_)], [Gen4, Gen4, Gen7, Gen11, never];
    R8_SINT,                   0x142, 8,   linear, [(si 8 0) (_) (_) (_)], [Gen4, never, Gen7, Gen9, never];
    R8_UINT,                   0x143, 8,   linear, [(ui 8 0) (_) (_) (_)], [Gen4, never, Gen7, Gen75, never];
    A8_UNORM,                  0x144, 8,   linear, [(_) (_) (_) (un 8 0)], [Gen4, Gen4, Gen7, Gen11, never];
    DXT1_RGB_SRGB,             0x180, 64,  srgb,   [Bc1Opaque 4 4], [Gen45, Gen45, never, never, never];
    R1_UNORM,                  0x181, 1,   linear, [(un 1 0) (_) (_) (_)], [Gen4, Gen4, never, never, never];
    BC1_UNORM,                 0x186, 64,  linear, [Bc1 4 4], [Gen4, Gen4, never, never, never];
    BC2_UNORM,                 0x187, 128, linear, [Bc2 4 4], [Gen4, Gen4, never, never, never];
    BC3_UNORM,                 0x188, 128, linear, [Bc3 4 4], [Gen4, Gen4, never, never, never];
    BC4_UNORM,                 0x189, 64,  linear, [Bc4 4 4], [Gen4, Gen4, never, never, never];
    BC5_UNORM,                 0x18a, 128, linear, [Bc5 4 4], [Gen4, Gen4, never, never, never];
    BC1_UNORM_SRGB,            0x18b, 64,  srgb,   [Bc1 4 4], [Gen4, Gen4, never, never, never];
    BC2_UNORM_SRGB,            0x18c, 128, srgb,   [Bc2 4 4], [Gen4, Gen4, never, never, never];
    BC3_UNORM_SRGB,            0x18d, 128, srgb,   [Bc3 4 4], [Gen4, Gen4, never, never, never];
    DXT1_RGB,                  0x191, 64,  linear, [Bc1Opaque 4 4], [Gen4, Gen4, never, never, never];
    R8G8B8_UNORM,              0x193, 24,  linear, [(un 8 0) (un 8 8) (un 8 16) (_)], [Gen75, Gen75, never, never, never];
    R8G8B8_SNORM,              0x194, 24,  linear, [(sn 8 0) (sn 8 8) (sn 8 16) (_)], [Gen75, Gen75, never, never, never];
    BC4_SNORM,                 0x199, 64,  linear, [Bc4Signed 4 4], [Gen4, Gen4, never, never, never];
    BC5_SNORM,                 0x19a, 128, linear, [Bc5Signed 4 4], [Gen4, Gen4, never, never, never];
    R16G16B16_FLOAT,           0x19b, 48,  linear, [(sf 16 0) (sf 16 16) (sf 16 32) (_)], [Gen5, Gen5, never, never, never];
    R16G16B16_UNORM,           0x19c, 48,  linear, [(un 16 0) (un 16 16) (un 16 32) (_)], [Gen75, Gen75, never, never, never];
    R16G16B16_SNORM,           0x19d, 48,  linear, [(sn 16 0) (sn 16 16) (sn 16 32) (_)], [Gen75, Gen75, never, never, never];
    BC6H_SF16,                 0x1a1, 128, linear, [Bc6Signed 4 4], [Gen7, Gen7, never, never, never];
    BC7_UNORM,                 0x1a2, 128, linear, [Bc7 4 4], [Gen7, Gen7, never, never, never];
    BC7_UNORM_SRGB,            0x1a3, 128, srgb,   [Bc7 4 4], [Gen7, Gen7, never, never, never];
    BC6H_UF16,                 0x1a4, 128, linear, [Bc6 4 4], [Gen7, Gen7, never, never, never];
    R8G8B8_UNORM_SRGB,         0x1a8, 24,  srgb,   [(un 8 0) (un 8 8) (un 8 16) (_)], [Gen8, Gen8, never, never, never];
    ETC2_RGB8,                 0x1aa, 64,  linear, [Etc2 4 4], [Gen8, Gen8, never, never, never];
    EAC_R11,                   0x1ab, 64,  linear, [EacR11 4 4], [Gen8, Gen8, never, never, never];
    EAC_RG11,                  0x1ac, 128, linear, [EacRg11 4 4], [Gen8, Gen8, never, never, never];
    EAC_SIGNED_R11,            0x1ad, 64,  linear, [EacSignedR11 4 4], [Gen8, Gen8, never, never, never];
    EAC_SIGNED_RG11,           0x1ae, 128, linear, [EacSignedRg11 4 4], [Gen8, Gen8, never, never, never];
    ETC2_SRGB8,                0x1af, 64,  srgb,   [Etc2 4 4], [Gen8, Gen8, never, never, never];
    R16G16B16_UINT,            0x1b0, 48,  linear, [(ui 16 0) (ui 16 16) (ui 16 32) (_)], [Gen9, never, never, never, never];
    R16G16B16_SINT,            0x1b1, 48,  linear, [(si 16 0) (si 16 16) (si 16 32) (_)], [Gen9, never, never, never, never];
    ETC2_RGB8_PTA,             0x1c0, 64,  linear, [Etc2PunchThrough 4 4], [Gen8, Gen8, never, never, never];
    ETC2_SRGB8_PTA,            0x1c1, 64,  srgb,   [Etc2PunchThrough 4 4], [Gen8, Gen8, never, never, never];
    ETC2_EAC_RGBA8,            0x1c2, 128, linear, [Etc2Alpha 4 4], [Gen8, Gen8, never, never, never];
    ETC2_EAC_SRGB8_A8,         0x1c3, 128, srgb,   [Etc2Alpha 4 4], [Gen8, Gen8, never, never, never];
    R8G8B8_UINT,               0x1c8, 24,  linear, [(ui 8 0) (ui 8 8) (ui 8 16) (_)], [Gen9, never, never, never, never];
    R8G8B8_SINT,               0x1c9, 24,  linear, [(si 8 0) (si 8 8) (si 8 16) (_)], [Gen9, never, never, never, never];
    RAW,                       0x1ff, 0,   linear,[(_) (_) (_) (_)], [never, never, never, never, never];
    ASTC_LDR_2D_4X4_U8SRGB,    0x200, 128, srgb,   [Astc 4 4], [Gen9, Gen9, never, never, never];
    ASTC_LDR_2D_5X4_U8SRGB,    0x208, 128, srgb,   [Astc 5 4], [Gen9, Gen9, never, never, never];
    ASTC_LDR_2D_5X5_U8SRGB,    0x209, 128, srgb,   [Astc 5 5], [Gen9, Gen9, never, never, never];
    ASTC_LDR_2D_6X5_U8SRGB,    0x211, 128, srgb,   [Astc 6 5], [Gen9, Gen9, never, never, never];
    ASTC_LDR_2D_6X6_U8SRGB,    0x212, 128, srgb,   [Astc 6 6], [Gen9, Gen9, never, never, never];
    ASTC_LDR_2D_8X5_U8SRGB,    0x221, 128, srgb,   [Astc 8 5], [Gen9, Gen9, never, never, never];
    ASTC_LDR_2D_8X6_U8SRGB,    0x222, 128, srgb,   [Astc 8 6], [Gen9, Gen9, never, never, never];
    ASTC_LDR_2D_8X8_U8SRGB,    0x224, 128, srgb,   [Astc 8 8], [Gen9, Gen9, never, never, never];
    ASTC_LDR_2D_10X5_U8SRGB,   0x231, 128, srgb,   [Astc 10 5], [Gen9, Gen9, never, never, never];
    ASTC_LDR_2D_10X6_U8SRGB,   0x232, 128, srgb,   [Astc 10 6], [Gen9, Gen9, never, never, never];
    ASTC_LDR_2D_10X8_U8SRGB,   0x234, 128, srgb,   [Astc 10 8], [Gen9, Gen9, never, never, never];
    ASTC_LDR_2D_10X10_U8SRGB,  0x236, 128, srgb,   [Astc 10 10], [Gen9, Gen9, never, never, never];
    ASTC_LDR_2D_12X10_U8SRGB,  0x23e, 128, srgb,   [Astc 12 10], [Gen9, Gen9, never, never, never];
    ASTC_LDR_2D_12X12_U8SRGB,  0x23f, 128, srgb,   [Astc 12 12], [Gen9, Gen9, never, never, never];
    ASTC_LDR_2D_4X4_FLT16,     0x240, 128, linear, [Astc 4 4], [Gen9, Gen9, never, never, never];
    ASTC_LDR_2D_5X4_FLT16,     0x248, 128, linear, [Astc 5 4], [Gen9, Gen9, never, never, never];
    ASTC_LDR_2D_5X5_FLT16,     0x249, 128, linear, [Astc 5 5], [Gen9, Gen9, never, never, never];
    ASTC_LDR_2D_6X5_FLT16,     0x251, 128, linear, [Astc 6 5], [Gen9, Gen9, never, never, never];
    ASTC_LDR_2D_6X6_FLT16,     0x252, 128, linear, [Astc 6 6], [Gen9, Gen9, never, never, never];
    ASTC_LDR_2D_8X5_FLT16,     0x261, 128, linear, [Astc 8 5], [Gen9, Gen9, never, never, never];
    ASTC_LDR_2D_8X6_FLT16,     0x262, 128, linear, [Astc 8 6], [Gen9, Gen9, never, never, never];
    ASTC_LDR_2D_8X8_FLT16,     0x264, 128, linear, [Astc 8 8], [Gen9, Gen9, never, never, never];
    ASTC_LDR_2D_10X5_FLT16,    0x271, 128, linear, [Astc 10 5], [Gen9, Gen9, never, never, never];
    ASTC_LDR_2D_10X6_FLT16,    0x272, 128, linear, [Astc 10 6], [Gen9, Gen9, never, never, never];
    ASTC_LDR_2D_10X8_FLT16,    0x274, 128, linear, [Astc 10 8], [Gen9, Gen9, never, never, never];
    ASTC_LDR_2D_10X10_FLT16,   0x276, 128, linear, [Astc 10 10], [Gen9, Gen9, never, never, never];
    ASTC_LDR_2D_12X10_FLT16,   0x27e, 128, linear, [Astc 12 10], [Gen9, Gen9, never, never, never];
    ASTC_LDR_2D_12X12_FLT16,   0x27f, 128, linear, [Astc 12 12], [Gen9, Gen9, never, never, never];
}

/// The image formats of GLSL and SPIR-V, with their names in GLSL.
const GLSL: &[(&str, SurfaceFormat)] = &[
    ("rgba32f", SurfaceFormat::R32G32B32A32_FLOAT),
    ("rgba16f", SurfaceFormat::R16G16B16A16_FLOAT),
    ("rg32f", SurfaceFormat::R32G32_FLOAT),
    ("rg16f", SurfaceFormat::R16G16_FLOAT),
    ("r11f_g11f_b10f", SurfaceFormat::R11G11B10_FLOAT),
    ("r32f", SurfaceFormat::R32_FLOAT),
    ("r16f", SurfaceFormat::R16_FLOAT),
    ("rgba16", SurfaceFormat::R16G16B16A16_UNORM),
    ("rgb10_a2", SurfaceFormat::R10G10B10A2_UNORM),
    ("rgba8", SurfaceFormat::R8G8B8A8_UNORM),
    ("rg16", SurfaceFormat::R16G16_UNORM),
    ("rg8", SurfaceFormat::R8G8_UNORM),
    ("r16", SurfaceFormat::R16_UNORM),
    ("r8", SurfaceFormat::R8_UNORM),
    ("rgba16_snorm", SurfaceFormat::R16G16B16A16_SNORM),
    ("rgba8_snorm", SurfaceFormat::R8G8B8A8_SNORM),
    ("rg16_snorm", SurfaceFormat::R16G16_SNORM),
    ("rg8_snorm", SurfaceFormat::R8G8_SNORM),
    ("r16_snorm", SurfaceFormat::R16_SNORM),
    ("r8_snorm", SurfaceFormat::R8_SNORM),
    ("rgba32i", SurfaceFormat::R32G32B32A32_SINT),
    ("rgba16i", SurfaceFormat::R16G16B16A16_SINT),
    ("rgba8i", SurfaceFormat::R8G8B8A8_SINT),
    ("rg32i", SurfaceFormat::R32G32_SINT),
    ("rg16i", SurfaceFormat::R16G16_SINT),
    ("rg8i", SurfaceFormat::R8G8_SINT),
    ("r32i", SurfaceFormat::R32_SINT),
    ("r16i", SurfaceFormat::R16_SINT),
    ("r8i", SurfaceFormat::R8_SINT),
    ("rgba32ui", SurfaceFormat::R32G32B32A32_UINT),
    ("rgba16ui", SurfaceFormat::R16G16B16A16_UINT),
    ("rgb10_a2ui", SurfaceFormat::R10G10B10A2_UINT),
    ("rgba8ui", SurfaceFormat::R8G8B8A8_UINT),
    ("rg32ui", SurfaceFormat::R32G32_UINT),
    ("rg16ui", SurfaceFormat::R16G16_UINT),
    ("rg8ui", SurfaceFormat::R8G8_UINT),
    ("r32ui", SurfaceFormat::R32_UINT),
    ("r16ui", SurfaceFormat::R16_UINT),
    ("r8ui", SurfaceFormat::R8_UINT),
];

/// Formats of sampled images that have no GLSL name, because storage images cannot have them, with the names that the
/// command line gives them. The sampler returns depth in the red channel. `d24s8` has the depth in the low 24 bits of a
/// texel; its eight bits of stencil are not sampled, and `s8` is a stencil aspect of its own.
const SAMPLED: &[(&str, SurfaceFormat)] = &[
    ("d16", SurfaceFormat::R16_UNORM),
    ("d32f", SurfaceFormat::R32_FLOAT),
    ("d24s8", SurfaceFormat::R24_UNORM_X8_TYPELESS),
    ("s8", SurfaceFormat::R8_UINT),
    ("srgb8_a8", SurfaceFormat::R8G8B8A8_UNORM_SRGB),
    ("bgra8", SurfaceFormat::B8G8R8A8_UNORM),
    ("sbgr8_a8", SurfaceFormat::B8G8R8A8_UNORM_SRGB),
    ("bc1", SurfaceFormat::BC1_UNORM),
    ("bc1_srgb", SurfaceFormat::BC1_UNORM_SRGB),
    ("bc1_rgb", SurfaceFormat::DXT1_RGB),
    ("bc1_rgb_srgb", SurfaceFormat::DXT1_RGB_SRGB),
    ("bc2", SurfaceFormat::BC2_UNORM),
    ("bc2_srgb", SurfaceFormat::BC2_UNORM_SRGB),
    ("bc3", SurfaceFormat::BC3_UNORM),
    ("bc3_srgb", SurfaceFormat::BC3_UNORM_SRGB),
    ("bc4", SurfaceFormat::BC4_UNORM),
    ("bc4_snorm", SurfaceFormat::BC4_SNORM),
    ("bc5", SurfaceFormat::BC5_UNORM),
    ("bc5_snorm", SurfaceFormat::BC5_SNORM),
    ("bc6h_ufloat", SurfaceFormat::BC6H_UF16),
    ("bc6h_sfloat", SurfaceFormat::BC6H_SF16),
    ("bc7", SurfaceFormat::BC7_UNORM),
    ("bc7_srgb", SurfaceFormat::BC7_UNORM_SRGB),
    ("etc2_rgb8", SurfaceFormat::ETC2_RGB8),
    ("etc2_rgb8_srgb", SurfaceFormat::ETC2_SRGB8),
    ("etc2_rgb8a1", SurfaceFormat::ETC2_RGB8_PTA),
    ("etc2_rgb8a1_srgb", SurfaceFormat::ETC2_SRGB8_PTA),
    ("etc2_rgba8", SurfaceFormat::ETC2_EAC_RGBA8),
    ("etc2_rgba8_srgb", SurfaceFormat::ETC2_EAC_SRGB8_A8),
    ("eac_r11", SurfaceFormat::EAC_R11),
    ("eac_r11_snorm", SurfaceFormat::EAC_SIGNED_R11),
    ("eac_rg11", SurfaceFormat::EAC_RG11),
    ("eac_rg11_snorm", SurfaceFormat::EAC_SIGNED_RG11),
    ("astc_4x4", SurfaceFormat::ASTC_LDR_2D_4X4_FLT16),
    ("astc_4x4_srgb", SurfaceFormat::ASTC_LDR_2D_4X4_U8SRGB),
    ("astc_5x4", SurfaceFormat::ASTC_LDR_2D_5X4_FLT16),
    ("astc_5x4_srgb", SurfaceFormat::ASTC_LDR_2D_5X4_U8SRGB),
    ("astc_5x5", SurfaceFormat::ASTC_LDR_2D_5X5_FLT16),
    ("astc_5x5_srgb", SurfaceFormat::ASTC_LDR_2D_5X5_U8SRGB),
    ("astc_6x5", SurfaceFormat::ASTC_LDR_2D_6X5_FLT16),
    ("astc_6x5_srgb", SurfaceFormat::ASTC_LDR_2D_6X5_U8SRGB),
    ("astc_6x6", SurfaceFormat::ASTC_LDR_2D_6X6_FLT16),
    ("astc_6x6_srgb", SurfaceFormat::ASTC_LDR_2D_6X6_U8SRGB),
    ("astc_8x5", SurfaceFormat::ASTC_LDR_2D_8X5_FLT16),
    ("astc_8x5_srgb", SurfaceFormat::ASTC_LDR_2D_8X5_U8SRGB),
    ("astc_8x6", SurfaceFormat::ASTC_LDR_2D_8X6_FLT16),
    ("astc_8x6_srgb", SurfaceFormat::ASTC_LDR_2D_8X6_U8SRGB),
    ("astc_8x8", SurfaceFormat::ASTC_LDR_2D_8X8_FLT16),
    ("astc_8x8_srgb", SurfaceFormat::ASTC_LDR_2D_8X8_U8SRGB),
    ("astc_10x5", SurfaceFormat::ASTC_LDR_2D_10X5_FLT16),
    ("astc_10x5_srgb", SurfaceFormat::ASTC_LDR_2D_10X5_U8SRGB),
    ("astc_10x6", SurfaceFormat::ASTC_LDR_2D_10X6_FLT16),
    ("astc_10x6_srgb", SurfaceFormat::ASTC_LDR_2D_10X6_U8SRGB),
    ("astc_10x8", SurfaceFormat::ASTC_LDR_2D_10X8_FLT16),
    ("astc_10x8_srgb", SurfaceFormat::ASTC_LDR_2D_10X8_U8SRGB),
    ("astc_10x10", SurfaceFormat::ASTC_LDR_2D_10X10_FLT16),
    ("astc_10x10_srgb", SurfaceFormat::ASTC_LDR_2D_10X10_U8SRGB),
    ("astc_12x10", SurfaceFormat::ASTC_LDR_2D_12X10_FLT16),
    ("astc_12x10_srgb", SurfaceFormat::ASTC_LDR_2D_12X10_U8SRGB),
    ("astc_12x12", SurfaceFormat::ASTC_LDR_2D_12X12_FLT16),
    ("astc_12x12_srgb", SurfaceFormat::ASTC_LDR_2D_12X12_U8SRGB),
];

impl FormatInfo {
    /// Whether red, green, blue and alpha are accessible.
    pub fn accessible(&self) -> [bool; 4] {
        match self.compression {
            Some(compression) => [0, 1, 2, 3].map(|i| i < compression.codec.channels()),
            None => self.channels.map(|c| c.is_some_and(|c| c.kind != ChannelKind::Unused)),
        }
    }
}

impl SurfaceFormat {
    /// The surface format of an image format of GLSL, such as `rgba8` or `r32ui`.
    pub fn from_glsl(name: &str) -> Option<SurfaceFormat> {
        GLSL.iter().find(|(glsl, _)| *glsl == name).map(|(_, format)| *format)
    }

    /// The name in GLSL; `None` if storage images cannot have the format.
    pub fn glsl_name(self) -> Option<&'static str> {
        GLSL.iter().find(|(_, format)| *format == self).map(|(glsl, _)| *glsl)
    }

    /// The surface format of an image that is only sampled: by its name in GLSL, or a name such as `d16`, `bc7_srgb` or
    /// `astc_6x6`.
    pub fn from_sampled(name: &str) -> Option<SurfaceFormat> {
        let other = || SAMPLED.iter().find(|row| row.0 == name).map(|row| row.1);
        SurfaceFormat::from_glsl(name).or_else(other)
    }

    /// The names of the formats of images that can only be sampled.
    pub fn sampled_names() -> impl Iterator<Item = &'static str> {
        SAMPLED.iter().map(|row| row.0)
    }

    /// The row of this format.
    pub const fn info(self) -> &'static FormatInfo {
        &FORMATS[self as usize]
    }

    /// The name in the manuals.
    pub const fn name(self) -> &'static str {
        self.info().name
    }

    /// The format with a code in the surface state; `None` if the table does not list it.
    pub fn from_code(code: u16) -> Option<SurfaceFormat> {
        SurfaceFormat::ALL.iter().copied().find(|format| format.info().code == code)
    }

    /// Width and height in texels of the unit that [`bytes`](Self::bytes) is the size of: 1 and 1, or the block of a
    /// compressed format.
    pub const fn block(self) -> [u32; 2] {
        match self.info().compression {
            Some(compression) => compression.block,
            None => [1, 1],
        }
    }

    /// Size in bytes of a texel, or of a block of a compressed format; 1 for `RAW`, whose addresses are in bytes.
    pub const fn bytes(self) -> u32 {
        let bits = self.info().bits as u32;
        if bits == 0 { 1 } else { bits / 8 }
    }

    /// Whether a generation supports an operation on the format.
    pub(crate) fn can(self, operation: Operation, generation: Gen) -> bool {
        let info = self.info();
        let since = match operation {
            Operation::Sample => info.sampling,
            Operation::Filter => info.filtering,
            Operation::TypedWrite => info.typed_write,
            Operation::TypedRead => info.typed_read,
            Operation::TypedAtomic => info.typed_atomics,
        };
        since.is_some_and(|first| generation >= first)
    }
}

/// An operation on surfaces that a [`Device`](crate::Device) supports for some formats only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Read through the sampler without filtering.
    Sample,
    /// Filter linearly in the sampler.
    Filter,
    /// Typed surface write of the data port.
    TypedWrite,
    /// Typed surface read of the data port.
    TypedRead,
    /// Typed atomic operation of the data port.
    TypedAtomic,
}

impl fmt::Debug for SurfaceFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for SurfaceFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The error for a name that is not a surface format of the table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown surface format `{name}`: expected a name such as R8G8B8A8_UNORM or RAW")]
pub struct UnknownFormat {
    /// The name as given.
    pub name: String,
}

impl FromStr for SurfaceFormat {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        SurfaceFormat::ALL
            .iter()
            .copied()
            .find(|format| format.name() == name)
            .ok_or_else(|| UnknownFormat { name: name.to_owned() })
    }
}

impl serde::Serialize for SurfaceFormat {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> serde::Deserialize<'de> for SurfaceFormat {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        name.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted_and_names_parse_back() {
        for pair in FORMATS.windows(2) {
            assert!(pair[0].code < pair[1].code, "{} {}", pair[0].name, pair[1].name);
        }
        for &format in SurfaceFormat::ALL {
            assert_eq!(format.name().parse(), Ok(format));
            assert_eq!(SurfaceFormat::from_code(format.info().code), Some(format));
        }
        assert!("R8G8B8A8".parse::<SurfaceFormat>().is_err());
    }

    #[test]
    fn glsl_names_are_told_apart_and_can_be_written() {
        for (name, format) in GLSL {
            assert_eq!(SurfaceFormat::from_glsl(name), Some(*format));
            assert_eq!(format.glsl_name(), Some(*name));
            assert!(format.can(Operation::TypedWrite, Gen::Gen7), "{name}");
        }
        assert_eq!(SurfaceFormat::from_glsl("rgba7"), None);
    }

    #[test]
    fn every_compressed_format_has_one_name() {
        for &format in SurfaceFormat::ALL {
            let names = SAMPLED.iter().filter(|row| row.1 == format).count();
            let compressed = format.info().compression.is_some();
            assert!(!compressed || names == 1, "{format}");
        }
        for name in SurfaceFormat::sampled_names() {
            let format = SurfaceFormat::from_sampled(name).unwrap();
            assert!(SurfaceFormat::from_glsl(name).is_none(), "{name}");
            assert!(format.can(Operation::Sample, Gen::Gen9), "{name}");
        }
        assert_eq!(SurfaceFormat::BC1_UNORM.bytes(), 8);
        assert_eq!(SurfaceFormat::ASTC_LDR_2D_6X5_FLT16.block(), [6, 5]);
    }

    #[test]
    fn channels_fill_the_texel_without_overlap() {
        for &format in SurfaceFormat::ALL {
            let info = format.info();
            let mut used = 0u128;
            for channel in info.channels.into_iter().flatten() {
                let mask = ((1u128 << channel.bits) - 1) << channel.shift;
                assert_eq!(used & mask, 0, "{format}");
                used |= mask;
            }
            // The five bits above the channels are the common exponent.
            let exponent = format == SurfaceFormat::R9G9B9E5_SHAREDEXP;
            let uncompressed = info.compression.is_none();
            if format != SurfaceFormat::RAW && !exponent && uncompressed {
                let texel = u128::MAX >> (128 - u32::from(info.bits));
                assert_eq!(used, texel, "{format}");
            }
        }
    }

    #[test]
    fn typed_access_follows_the_generations() {
        let rgba8 = SurfaceFormat::R8G8B8A8_UNORM;
        assert!(rgba8.can(Operation::TypedWrite, Gen::Gen7));
        assert!(!rgba8.can(Operation::TypedRead, Gen::Gen8));
        assert!(SurfaceFormat::R32_UINT.can(Operation::TypedRead, Gen::Gen7));
        assert!(!SurfaceFormat::R32G32B32A32_UINT.can(Operation::TypedRead, Gen::Gen8));
        assert!(SurfaceFormat::R32G32B32A32_UINT.can(Operation::TypedRead, Gen::Gen9));
    }
}
