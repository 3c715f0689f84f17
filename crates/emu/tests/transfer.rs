//! Clears, copies, scaled copies and the generation of levels against lavapipe.

use crestline_device::{Filter, SurfaceFormat};
use crestline_emu::{ImageData, ImageDimension, ImageShape, Region, TransferError};
use crestline_judges::ask;
use crestline_judges::lavapipe::{Copied, Dimension, Image, Lavapipe, Part, Transfer};
use fastrand::Rng;

use SurfaceFormat::*;

/// Formats with the judge's names.
const FORMATS: &[(&str, SurfaceFormat)] = &[
    ("rgba8", R8G8B8A8_UNORM),
    ("rgba8_snorm", R8G8B8A8_SNORM),
    ("rg16", R16G16_UNORM),
    ("r8", R8_UNORM),
    ("rgb10_a2", R10G10B10A2_UNORM),
    ("rgba16f", R16G16B16A16_FLOAT),
    ("rgba32f", R32G32B32A32_FLOAT),
    ("r32f", R32_FLOAT),
    ("rgba8ui", R8G8B8A8_UINT),
    ("rg32ui", R32G32_UINT),
    ("r16ui", R16_UINT),
    ("rgba16i", R16G16B16A16_SINT),
    ("r32i", R32_SINT),
];

/// A random image: in two dimensions with layers, or in three.
struct Pair {
    name: &'static str,
    ours: ImageData,
    judged: Copied,
}

fn image(
    random: &mut Rng,
    (name, format): (&'static str, SurfaceFormat),
    volume: bool,
    levels: u32,
) -> Pair {
    let size = [
        random.u32(4..20),
        random.u32(4..12),
        if volume { random.u32(4..9) } else { random.u32(1..4) },
    ];
    let (dimension, judged) = match volume {
        true => (ImageDimension::D3, Dimension::D3),
        false => (ImageDimension::D2Array, Dimension::D2Array),
    };
    let [width, height, depth] = size;
    let shape = ImageShape { dimension, format, width, height, depth, levels, samples: 1 };
    let channels = format.info().channels.iter().flatten().count();
    let mut bytes = Vec::new();
    while bytes.len() < shape.bytes() as usize {
        if name.ends_with("32f") {
            bytes.extend(random.f32().to_le_bytes());
        } else if name.ends_with("16f") {
            // Halves from 0.5 to 1.
            bytes.extend((0x3800 + random.u16(0..0x400)).to_le_bytes());
        } else {
            // The smallest code of signed formats has no inverse.
            bytes.push(random.u8(..).max(if name.contains("snorm") { 1 } else { 0 }));
        }
    }
    if name.contains("snorm") {
        bytes.iter_mut().filter(|byte| **byte == 0x80).for_each(|byte| *byte = 0x81);
    }
    assert!(channels > 0);
    let judged = Copied {
        image: Image { dimension: judged, size, format: name },
        levels,
        contents: bytes.clone(),
    };
    Pair { name, ours: ImageData::new(shape, bytes).unwrap(), judged }
}

/// The value of a half that is finite and not negative.
fn half(bits: u16) -> f32 {
    let (exponent, fraction) = (i32::from(bits >> 10), f32::from(bits & 1023));
    match exponent {
        0 => fraction * 2f32.powi(-24),
        _ => (1024.0 + fraction) * 2f32.powi(exponent - 25),
    }
}

/// The numbers in the channels of texels.
fn channels(format: SurfaceFormat, texels: &[u8]) -> Vec<f64> {
    let mut values = Vec::new();
    for texel in texels.chunks(format.bytes() as usize) {
        let mut bytes = [0; 16];
        bytes[..texel.len()].copy_from_slice(texel);
        let bits = u128::from_le_bytes(bytes);
        for channel in format.info().channels.into_iter().flatten() {
            let raw = (bits >> channel.shift) as u64 & (u64::MAX >> (64 - channel.bits));
            let signed = (raw << (64 - channel.bits)).cast_signed() >> (64 - channel.bits);
            use crestline_device::ChannelKind as Kind;
            values.push(match (channel.kind, channel.bits) {
                (Kind::Float, 16) => f64::from(half(raw as u16)),
                (Kind::Float, 32) => f64::from(f32::from_bits(raw as u32)),
                (Kind::Snorm | Kind::Sint, _) => signed as f64,
                _ => raw as f64,
            });
        }
    }
    values
}

/// Checks that texels are the same, up to one code or 2/255 where they were filtered.
fn same(pair: &Pair, expected: &[u8], filtered: bool, what: &str) {
    let format = pair.ours.shape().format;
    if !filtered {
        assert!(pair.ours.bytes() == expected, "{what}");
        return;
    }
    let all = channels(format, pair.ours.bytes()).into_iter().zip(channels(format, expected));
    for (found, expected) in all {
        let most = if pair.name.ends_with('f') { 2.0 / 255.0 } else { 1.0 };
        assert!((found - expected).abs() <= most, "{what}: {found}, expected {expected}");
    }
}

/// Corners of a random box of at most `most` texels along each coordinate, whose third coordinates are as given.
fn part(random: &mut Rng, size: [u32; 3], most: [u32; 3]) -> [[u32; 3]; 2] {
    let mut corners = [[0; 3]; 2];
    for axis in 0..3 {
        let length = random.u32(1..=size[axis].min(most[axis]));
        let first = random.u32(0..=size[axis] - length);
        (corners[0][axis], corners[1][axis]) = (first, first + length);
    }
    corners
}

fn region(level: u32, [low, high]: [[u32; 3]; 2]) -> Region {
    Region { level, origin: low, size: std::array::from_fn(|axis| high[axis] - low[axis]) }
}

fn size_of(pair: &Pair, level: u32) -> [u32; 3] {
    pair.ours.level(level).unwrap().size
}

#[test]
fn clears_and_copies_are_those_of_lavapipe() {
    let Some(judge) = ask(Lavapipe::open()) else { return };
    let mut random = Rng::with_seed(40);
    for round in 0..130 {
        let format = FORMATS[round % FORMATS.len()];
        let volume = random.bool();
        let mut from = image(&mut random, format, volume, 2);
        let mut to = image(&mut random, format, volume, 2);
        // Codes that all formats can store.
        let colour = match format.0 {
            name if name.ends_with("ui") => [200, 7, 130, 3],
            name if name.ends_with('i') => [-100i32, 77, -1, 5].map(i32::cast_unsigned),
            _ => [0.2f32, 1.0, 0.0, 0.6].map(f32::to_bits),
        };
        let cleared = random.u32(0..2);
        let levels = [random.u32(0..2), random.u32(0..2)];
        let source = part(&mut random, size_of(&from, levels[0]), size_of(&to, levels[1]));
        let size = region(0, source).size;
        let origin: [u32; 3] =
            std::array::from_fn(|axis| random.u32(0..=size_of(&to, levels[1])[axis] - size[axis]));
        let target = [origin, std::array::from_fn(|axis| origin[axis] + size[axis])];
        let operations = [
            Transfer::Clear { image: 0, level: cleared, colour },
            Transfer::Copy {
                images: [0, 1],
                parts: [
                    Part { level: levels[0], corners: source },
                    Part { level: levels[1], corners: target },
                ],
            },
        ];
        let expected =
            judge.transfer(&[from.judged.clone(), to.judged.clone()], &operations).unwrap();
        let whole = from.ours.level(cleared).unwrap();
        from.ours.clear(&whole, colour).unwrap();
        to.ours.copy(levels[1], origin, &from.ours, &region(levels[0], source)).unwrap();
        let what = format!("round {round}, {}", format.0);
        same(&from, &expected[0], true, &what);
        same(&to, &expected[1], true, &what);
    }
}

#[test]
fn scaled_copies_are_those_of_lavapipe() {
    let Some(judge) = ask(Lavapipe::open()) else { return };
    let mut random = Rng::with_seed(41);
    for round in 0..200 {
        let format = FORMATS[round % FORMATS.len()];
        let is_integer = format.0.ends_with('i');
        let others: Vec<_> = (FORMATS.iter())
            .filter(|other| other.0.ends_with('i') == is_integer)
            .filter(|other| other.0.ends_with("ui") == format.0.ends_with("ui"))
            // A conversion of negative numbers to formats without them is not defined.
            .filter(|other| other.0.contains("snorm") == format.0.contains("snorm"))
            .collect();
        let other = match is_integer {
            true => format,
            false => *others[random.usize(0..others.len())],
        };
        let from = image(&mut random, format, false, 2);
        let mut to = image(&mut random, other, false, 2);
        let filter = if is_integer || random.bool() { Filter::Nearest } else { Filter::Linear };
        let levels = [random.u32(0..2), random.u32(0..2)];
        let one = [u32::MAX, u32::MAX, 1];
        let source = match filter {
            // A linear filter reads across the edges of a part, so this part is the whole level.
            Filter::Linear => {
                let [width, height, layers] = size_of(&from, levels[0]);
                let layer = random.u32(0..layers);
                [[0, 0, layer], [width, height, layer + 1]]
            }
            Filter::Nearest => part(&mut random, size_of(&from, levels[0]), one),
        };
        let target = part(&mut random, size_of(&to, levels[1]), one);
        let mirrored = [random.bool(), random.bool(), false];
        let mut turned = source;
        for axis in 0..2 {
            if mirrored[axis] {
                (turned[0][axis], turned[1][axis]) = (source[1][axis], source[0][axis]);
            }
        }
        let operation = Transfer::Blit {
            images: [0, 1],
            parts: [
                Part { level: levels[0], corners: turned },
                Part { level: levels[1], corners: target },
            ],
            filter,
        };
        let expected = judge.transfer(&[from.judged, to.judged.clone()], &[operation]).unwrap();
        let (target, source) = (region(levels[1], target), region(levels[0], source));
        let on_edge = (0..2).any(|axis| {
            // A position exactly between two texels may be rounded to either.
            let (from, to) = (u64::from(source.size[axis]), u64::from(target.size[axis]));
            (0..to).any(|at| ((2 * at + 1) * from).is_multiple_of(2 * to))
        });
        if filter == Filter::Nearest && on_edge {
            continue;
        }
        to.ours.blit(&target, &from.ours, &source, mirrored, filter).unwrap();
        same(&to, &expected[1], true, &format!("round {round}, {} to {}", format.0, other.0));
    }
}

#[test]
fn levels_are_generated_as_lavapipe_scales_them() {
    let Some(judge) = ask(Lavapipe::open()) else { return };
    let mut random = Rng::with_seed(42);
    for (round, format) in FORMATS.iter().take(8).enumerate() {
        let mut pair = image(&mut random, *format, false, 3);
        let sizes: Vec<[u32; 3]> = (0..3).map(|level| size_of(&pair, level)).collect();
        let whole = |level: usize| Part { level: level as u32, corners: [[0; 3], sizes[level]] };
        let operations = [1, 2].map(|level| Transfer::Blit {
            images: [0, 0],
            parts: [whole(level - 1), whole(level)],
            filter: Filter::Linear,
        });
        let expected = judge.transfer(&[pair.judged.clone()], &operations).unwrap();
        pair.ours.generate_levels().unwrap();
        same(&pair, &expected[0], true, &format!("round {round}, {}", format.0));
    }
}

#[test]
fn parts_outside_of_an_image_are_errors() {
    let mut random = Rng::with_seed(43);
    let mut pair = image(&mut random, FORMATS[0], false, 2);
    let whole = size_of(&pair, 1);
    let beyond = Region { level: 1, origin: [1, 0, 0], size: whole };
    let outside = TransferError::Outside { level: 1, origin: [1, 0, 0], size: whole, whole };
    assert_eq!(pair.ours.clear(&beyond, [0; 4]), Err(outside.clone()));
    let source = pair.ours.clone();
    assert_eq!(pair.ours.copy(0, [0; 3], &source, &beyond), Err(outside));
    assert!(pair.ours.level(2).is_err());
    let huge = Region { level: 0, origin: [u32::MAX; 3], size: [u32::MAX; 3] };
    assert!(pair.ours.clear(&huge, [0; 4]).is_err());
    let other = image(&mut random, ("rgba8ui", R8G8B8A8_UINT), false, 1);
    let one = Region { level: 0, origin: [0; 3], size: [1; 3] };
    let formats = pair.ours.blit(&one, &other.ours, &one, [false; 3], Filter::Nearest);
    assert!(matches!(formats, Err(TransferError::Formats { .. })), "{formats:?}");
    let given = TransferError::Contents { expected: source.bytes().len() as u64, given: 3 };
    assert_eq!(ImageData::new(*source.shape(), vec![0; 3]), Err(given));
}
