//! Samples images of every compressed format, and of the formats of depth and stencil, on the emulator and on lavapipe. Blocks are
//! random; sides are no multiples of a block's sides.
//!
//! lavapipe does not have ETC2, EAC and ASTC. The texels of these are those of the library `texture2ddecoder`, and what is sampled with
//! filters is not compared. Blocks of ASTC that break a rule are not either: the emulator has opaque magenta there.
//!
//! A shader fetches each texel of each level, fetches outside, and samples with linear filters and with borders. A chip without the
//! format must refuse the image by name.

use std::fmt::Write;

use crestline::Simd;
use crestline_device::{
    AddressMode, BorderColor, Codec, Device, Filter, Platform, Sampler, SurfaceFormat,
};
use crestline_filetests::case::Case;
use crestline_filetests::compare::Rule;
use crestline_filetests::corpus::{RunTest, compile_source};
use crestline_filetests::data::Random;
use crestline_filetests::engine::{Emulator, Engine, image_shape};
use crestline_frontend::Language;
use crestline_judges::ask;
use crestline_judges::lavapipe::{Buffer, BufferKind, Dimension, Image, Lavapipe, Texture};

/// Levels of the two-dimensional image.
const LEVELS: u32 = 3;

/// Invocations of a workgroup.
const LANES: u32 = 64;

/// Texels that are sampled with a filter.
const SAMPLED: u32 = 512;

/// Texels that are fetched outside of the image.
const OUTSIDE: u32 = 8;

/// The two-dimensional image, an array, and a cube.
fn images(format: &'static str) -> [Texture; 3] {
    let [width, height] = SurfaceFormat::from_sampled(format).expect("a format").block();
    // A side of a block may be one texel.
    let odd = |side: u32, blocks: u32| side * blocks - side / 2;
    let image = |dimension, size| Texture::new(Image { dimension, size, format });
    let flat = image(Dimension::D2, [odd(width, 20), odd(height, 15), 1]);
    let sampler = Sampler {
        filter: Filter::Linear,
        mip: Filter::Nearest,
        address: AddressMode::Border,
        border: BorderColor::OpaqueWhite,
        ..Sampler::default()
    };
    let side = odd(width.max(height), 2);
    [
        Texture { levels: LEVELS, sampler: Some(sampler), ..flat },
        image(Dimension::D2Array, [odd(width, 3), odd(height, 2), 3]),
        image(Dimension::Cube, [side, side, 6]),
    ]
}

/// The numbers of texels that the shader writes, part after part.
struct Parts {
    levels: [u32; LEVELS as usize],
    array: u32,
}

impl Parts {
    fn new(images: &[Texture; 3]) -> Parts {
        let [width, height, _] = images[0].image.size;
        let levels =
            std::array::from_fn(|level| (width >> level).max(1) * (height >> level).max(1));
        Parts { levels, array: images[1].image.size.iter().product() }
    }

    fn fetched(&self) -> u32 {
        self.levels.iter().sum::<u32>() + self.array
    }

    fn all(&self, filtered: bool) -> u32 {
        self.fetched() + OUTSIDE + if filtered { 2 * SAMPLED } else { 0 }
    }
}

/// The shader. Its last part samples with filters.
fn shader(prefix: &str, parts: &Parts, filtered: bool) -> String {
    let mut code = format!(
        "#version 450\nlayout(local_size_x = {LANES}) in;\n\
         layout(set = 0, binding = 0) uniform {prefix}sampler2D flat_image;\n\
         layout(set = 0, binding = 1) uniform {prefix}sampler2DArray array;\n\
         layout(set = 0, binding = 2) uniform {prefix}samplerCube cube;\n\
         layout(set = 0, binding = 3) readonly buffer Where {{ vec4 where[]; }};\n\
         layout(set = 0, binding = 4) buffer Found {{ {prefix}vec4 found[]; }};\n\
         void main() {{\n    uint i = gl_GlobalInvocationID.x, first = 0u;\n"
    );
    let mut part = |count: u32, value: &str| {
        let _ = writeln!(
            code,
            "    if (i >= first && i < first + {count}u) {{ int n = int(i - first); {value} }}\n    first += {count}u;"
        );
    };
    for (level, &count) in parts.levels.iter().enumerate() {
        part(
            count,
            &format!(
                "int w = textureSize(flat_image, {level}).x; found[i] = texelFetch(flat_image, ivec2(n % w, n / w), {level});"
            ),
        );
    }
    part(
        parts.array,
        "ivec3 s = textureSize(array, 0); found[i] = texelFetch(array, ivec3(n % s.x, n / s.x % s.y, n / s.x / s.y), 0);",
    );
    part(
        OUTSIDE,
        "ivec2 s = textureSize(flat_image, 0); found[i] = texelFetch(flat_image, ivec2(n % 2 == 0 ? -1 - n : s.x + n, n / 2), n == 7 ? 9 : 0);",
    );
    if filtered {
        part(SAMPLED, "found[i] = textureLod(flat_image, where[n].xy, where[n].w);");
        part(SAMPLED, "found[i] = textureLod(cube, where[n].xyz, 0.0);");
    }
    code.push_str("}\n");
    code
}

/// The contents of an image: random blocks, many of them of the rarer modes of their format.
fn blocks(image: &Texture, random: &mut Random) -> Vec<u8> {
    let shape = image_shape(&image.image);
    let bytes = crestline_emu::ImageShape { levels: image.levels, ..shape }.bytes() as usize;
    let mut contents: Vec<u8> = (0..bytes).map(|_| random.next() as u8).collect();
    let codec = shape.format.info().compression.map(|compression| compression.codec);
    for block in contents.chunks_mut(shape.format.bytes() as usize) {
        match codec {
            // The mode is the number of zeros.
            Some(Codec::Bc7) => {
                let mode = random.next() % 9;
                block[0] = (u32::from(block[0]) << mode) as u8 | (1u32 << mode) as u8;
            }
            // Most random blocks break a rule; fewer of those with one part, and few bits of weights.
            Some(Codec::Astc) if !random.next().is_multiple_of(4) => {
                block[1] &= !0x18 | (random.next() as u8 & random.next() as u8);
                block[0] &= !0x40;
            }
            Some(Codec::Astc) if random.next().is_multiple_of(8) => {
                block[..8].copy_from_slice(&[0xfc, 0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]);
            }
            _ => {}
        }
    }
    contents
}

fn bytes(words: impl IntoIterator<Item = [u32; 4]>) -> Vec<u8> {
    words.into_iter().flatten().flat_map(u32::to_le_bytes).collect()
}

fn test(format: &'static str) -> (RunTest, Parts) {
    let is_integer = format == "s8";
    let images = images(format);
    let parts = Parts::new(&images);
    let source = shader(if is_integer { "u" } else { "" }, &parts, !is_integer);
    let spirv = compile_source("compressed.comp", Language::Glsl, &source)
        .unwrap_or_else(|error| panic!("{error}\n{source}"));
    let random = &mut Random::new(format.bytes().map(u64::from).sum());
    let count = parts.all(!is_integer);
    let head = format!("//! dispatch {} 1 1", count.div_ceil(LANES));
    let mut case = Case::parse(&head).expect("a directive");
    let mut add = |binding, kind, contents| {
        case.buffers.push(Buffer { set: 0, binding, element: 0, kind, contents });
        case.rules.push(Rule::exact());
    };
    let linear = images[0].sampler;
    for (binding, image) in (0..).zip(images) {
        let contents = blocks(&image, random);
        let sampler = linear.map(|sampler| match (is_integer, image.image.dimension) {
            (true, _) => Sampler { filter: Filter::Nearest, ..sampler },
            (_, Dimension::Cube) => Sampler { address: AddressMode::Clamp, ..sampler },
            _ => sampler,
        });
        add(binding, BufferKind::Texture(Texture { sampler, ..image }), contents);
    }
    let mut unit = || (random.unit() * 1.6 - 0.3) as f32;
    let mut places = Vec::new();
    for i in 0..SAMPLED {
        let level = (i % LEVELS) as f32;
        // The third coordinate is one of a cube only.
        places.push([unit(), unit(), unit() - 0.5, level].map(f32::to_bits));
    }
    add(3, BufferKind::Storage, bytes(places));
    add(4, BufferKind::Storage, vec![0; 16 * count as usize]);
    (RunTest { name: format.to_owned(), source, case, spirv }, parts)
}

/// The greatest difference of fetched texels and of filtered texels.
fn tolerances(format: &str) -> [f32; 2] {
    match SurfaceFormat::from_sampled(format).and_then(|format| format.info().compression) {
        // Half floats, up to 65504.
        Some(c) if matches!(c.codec, Codec::Bc6 | Codec::Bc6Signed) => [0.0, 70.0],
        // `texture2ddecoder` has eight bits, and no part of the steps of a block whose multiplier is zero.
        Some(c) if matches!(c.codec, Codec::EacR11 | Codec::EacRg11) => [2.6 / 255.0, 0.0],
        Some(c) if matches!(c.codec, Codec::EacSignedR11 | Codec::EacSignedRg11) => {
            [2.6 / 127.0, 0.0]
        }
        Some(c) if matches!(c.codec, Codec::Etc2 | Codec::Etc2PunchThrough | Codec::Etc2Alpha) => {
            [1e-6, 0.0]
        }
        // lavapipe stores decoded texels in eight bits and rounds down; of S3TC also the two given colours.
        Some(c) if matches!(c.codec, Codec::Bc4Signed | Codec::Bc5Signed) => {
            [2.01 / 127.0, 5.0 / 127.0]
        }
        Some(c) if !matches!(c.codec, Codec::Bc7 | Codec::Astc) => [2.01 / 255.0, 5.0 / 255.0],
        // lavapipe filters colours of eight bits with weights of eight bits.
        Some(_) => [1.01 / 255.0, 4.0 / 255.0],
        None => [1e-6, 1e-3],
    }
}

/// Whether lavapipe does not have the format.
fn is_foreign(codec: Codec) -> bool {
    use Codec::{EacR11, EacRg11, EacSignedR11, EacSignedRg11, Etc2, Etc2Alpha, Etc2PunchThrough};
    matches!(
        codec,
        Codec::Astc
            | Etc2
            | Etc2Alpha
            | Etc2PunchThrough
            | EacR11
            | EacRg11
            | EacSignedR11
            | EacSignedRg11
    )
}

fn linear(value: f32) -> f32 {
    if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}

/// The colour of blocks of ASTC that break a rule.
const ERROR: [f32; 4] = [1.0, 0.0, 1.0, 1.0];

/// The texels of a block by `texture2ddecoder`, each red, green, blue and alpha; [`ERROR`] for an empty block.
fn decoded(codec: Codec, [width, height]: [usize; 2], block: &[u8]) -> Vec<[f32; 4]> {
    if block.is_empty() {
        return vec![ERROR; width * height];
    }
    let mut texels = vec![0; width * height];
    // The alphas of a block of ETC2 follow the same rules as numbers of eleven bits, without their lower three bits.
    let alphas = |block: &[u8], flip: u8, texels: &mut [u32]| {
        let mut whole = [0; 16];
        whole[..8].copy_from_slice(block);
        whole[0] ^= flip;
        texture2ddecoder::decode_etc2_rgba8_block(&whole, texels);
    };
    let alpha_of = |texel: u32| (texel >> 24) as f32;
    let parts = block.chunks(8);
    let unsigned = matches!(codec, Codec::EacR11 | Codec::EacRg11);
    if unsigned || matches!(codec, Codec::EacSignedR11 | Codec::EacSignedRg11) {
        let mut result = vec![[0.0, 0.0, 0.0, 1.0]; texels.len()];
        for (channel, part) in parts.enumerate() {
            alphas(part, if unsigned { 0 } else { 0x80 }, &mut texels);
            for (result, &texel) in result.iter_mut().zip(&texels) {
                let alpha = alpha_of(texel);
                result[channel] = if unsigned { alpha / 255.0 } else { (alpha - 128.0) / 127.0 };
            }
        }
        return result;
    }
    match codec {
        Codec::Etc2 => texture2ddecoder::decode_etc2_rgb_block(block, &mut texels),
        Codec::Etc2PunchThrough => texture2ddecoder::decode_etc2_rgba1_block(block, &mut texels),
        Codec::Etc2Alpha => texture2ddecoder::decode_etc2_rgba8_block(block, &mut texels),
        _ => texture2ddecoder::decode_astc_block(block, width, height, &mut texels),
    }
    let channels = |texel: u32| [16, 8, 0, 24].map(|low| (texel >> low & 255) as f32 / 255.0);
    // Transparent texels are black in the specification.
    let hole = |texel: u32| codec == Codec::Etc2PunchThrough && texel >> 24 == 0;
    texels.into_iter().map(|texel| channels(if hole(texel) { 0 } else { texel })).collect()
}

/// The fetched texels of a test by `texture2ddecoder`, as the shader writes them. `found` are the emulator's. The library may end with
/// a panic for blocks that break a rule, so it does not see those that are `ERROR` in the emulator.
fn decoded_texels(format: SurfaceFormat, test: &RunTest, codec: Codec, found: &[u8]) -> Vec<u8> {
    let [columns, rows] = format.block().map(|side| side as usize);
    let error: Vec<u8> = ERROR.into_iter().flat_map(f32::to_le_bytes).collect();
    let mut found = found.chunks(16);
    let mut expected = Vec::new();
    for buffer in &test.case.buffers[..2] {
        let BufferKind::Texture(texture) = buffer.kind else { continue };
        let mut blocks = buffer.contents.chunks(format.bytes() as usize);
        let [width, height, layers] = texture.image.size.map(|side| side as usize);
        for level in 0..texture.levels {
            let [width, height] = [width, height].map(|side| (side >> level).max(1));
            let across = width.div_ceil(columns);
            let place = |i: usize| i / width / rows * across + i % width / columns;
            for _ in 0..layers {
                let count = across * height.div_ceil(rows);
                let mut level: Vec<&[u8]> = blocks.by_ref().take(count).collect();
                for (i, texel) in found.by_ref().take(width * height).enumerate() {
                    if codec == Codec::Astc && texel == error {
                        level[place(i)] = &[];
                    }
                }
                let level: Vec<_> =
                    level.iter().map(|block| decoded(codec, [columns, rows], block)).collect();
                for i in 0..width * height {
                    let inside = i / width % rows * columns + i % width % columns;
                    let mut texel = level[place(i)][inside];
                    if format.info().srgb {
                        texel[..3].iter_mut().for_each(|value| *value = linear(*value));
                    }
                    expected.extend(texel.into_iter().flat_map(f32::to_le_bytes));
                }
            }
        }
    }
    expected
}

/// The differences of results, the first few of them.
fn differences(
    format: &str,
    parts: &Parts,
    found: &[u8],
    expected: &[u8],
    srgb: bool,
) -> Option<String> {
    let words = |bytes: &[u8]| -> Vec<[u32; 4]> {
        let word = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().expect("four bytes"));
        bytes
            .chunks(16)
            .map(|texel| std::array::from_fn(|i| word(&texel[4 * i..4 * i + 4])))
            .collect()
    };
    let (found, expected) = (words(found), words(expected));
    let [fetched, filtered] = tolerances(format);
    let is_astc = format.starts_with("astc");
    let mut skipped = 0;
    let mut wrong = Vec::new();
    for (i, (found, expected)) in found.iter().zip(&expected).enumerate() {
        let outside = (parts.fetched()..parts.fetched() + OUTSIDE).contains(&(i as u32));
        let tolerance = if i < parts.fetched() as usize { fetched } else { filtered };
        let tolerance = if srgb { 3.0 * tolerance } else { tolerance };
        // Vulkan leaves alpha outside of an image open.
        let channels = if outside { 3 } else { 4 };
        if is_astc && *expected == ERROR.map(f32::to_bits) {
            skipped += 1;
            continue;
        }
        let differs = (0..channels).any(|c| {
            let [a, b] = [found[c], expected[c]].map(f32::from_bits);
            found[c] != expected[c]
                && (format == "s8" || (a - b).abs().max(0.0) > tolerance || (a - b).is_nan())
        });
        if differs {
            let show = |texel: &[u32; 4]| match format {
                "s8" => format!("{texel:?}"),
                _ => format!("{:?}", texel.map(f32::from_bits)),
            };
            wrong.push(format!("texel {i}: {}, expected {}", show(found), show(expected)));
        }
    }
    let (count, all) = (wrong.len(), expected.len());
    if 25 * (all - skipped) < all {
        wrong.push(format!("only {} of {all} texels are compared", all - skipped));
    }
    wrong.truncate(6);
    (!wrong.is_empty()).then(|| format!("{count} of {all} differ\n{}", wrong.join("\n")))
}

#[test]
fn compressed_images_are_sampled_as_lavapipe_samples_them() {
    let Some(lavapipe) = ask(Lavapipe::open()) else { return };
    let only = std::env::var("CRESTLINE_IMAGES").unwrap_or_default();
    let mut failures = Vec::new();
    for name in SurfaceFormat::sampled_names() {
        let format = SurfaceFormat::from_sampled(name).expect("a format");
        let info = format.info();
        let is_tested = info.compression.is_some() || matches!(name, "d24s8" | "s8");
        if !is_tested || !only.is_empty() && only != "all" && only != name {
            continue;
        }
        let (test, parts) = test(name);
        let codec = info.compression.map(|compression| compression.codec);
        let foreign = codec.filter(|&codec| is_foreign(codec));
        let judged = foreign.is_none().then(|| {
            let all = test.expected(lavapipe);
            all.unwrap_or_else(|error| panic!("{name}: {error}")).swap_remove(4)
        });
        let verdict = |found: &[u8]| {
            let decoded = foreign.map(|codec| decoded_texels(format, &test, codec, found));
            let expected = decoded.as_ref().or(judged.as_ref())?;
            differences(name, &parts, found, expected, info.srgb)
        };
        for (platform, simd) in [
            (Platform::Ivb, Simd::Simd8),
            (Platform::Hsw, Simd::Simd16),
            (Platform::Bdw, Simd::Simd8),
            (Platform::Skl, Simd::Simd16),
        ] {
            let emulator = Emulator::new(platform, simd);
            let place = format!("{name} on {}", emulator.name());
            let program = emulator.compile(&test).unwrap_or_else(|e| panic!("{place}: {e}"));
            let found = emulator.execute(&program, &test);
            let wrong = match (Device::new(platform).can_sample(format), found) {
                (true, Ok(found)) => verdict(&found[4]),
                (true, Err(error)) => Some(error),
                (false, Ok(_)) => Some("the chip does not have the format".to_owned()),
                (false, Err(error)) => {
                    let named = error.contains(format.name()) && error.contains("has no sampled");
                    (!named).then_some(error)
                }
            };
            failures.extend(wrong.map(|wrong| format!("{place}: {wrong}")));
        }
    }
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}
