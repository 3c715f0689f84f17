//! Tests the lowering of image accesses in the interpreter: shaders give the same results before and after it, for
//! every format, kind of image and device, in and out of bounds, for each value that the hardware may return out of
//! bounds.

use std::fmt::Write;

use crestline_device::{Device, Platform};
use crestline_ssa::interp::{Image, Options, Resources, run};
use crestline_ssa::ir::{InstKind, Shader, SurfaceFormat};
use crestline_ssa::passes::{self, LowerOptions};
use crestline_ssa::{text, verify};

/// The text form of a kind of image, and the size of the test's images of that kind.
const KINDS: &[(&str, [u32; 3])] = &[
    ("d1", [7, 1, 1]),
    ("d1 array", [5, 1, 3]),
    ("d2", [6, 5, 1]),
    ("d2 array", [3, 4, 3]),
    ("d3", [4, 3, 3]),
    ("cube", [2, 2, 6]),
    ("cube array", [2, 2, 12]),
    ("buffer", [9, 1, 1]),
];

/// Platforms that cover all variants of image access.
const PLATFORMS: &[Platform] =
    &[Platform::Ivb, Platform::Hsw, Platform::Bdw, Platform::Skl, Platform::Icl, Platform::Tgl];

fn storage_formats() -> impl Iterator<Item = SurfaceFormat> {
    SurfaceFormat::ALL.iter().copied().filter(|format| format.glsl_name().is_some())
}

fn coords(kind: &str) -> usize {
    match kind {
        "d1" | "buffer" => 1,
        "d2" | "d1 array" => 2,
        _ => 3,
    }
}

/// A shader in which 64 invocations read texels inside and around the image and store them to a buffer. If `store` is
/// true, they then write texels.
fn shader(kind: &str, format: SurfaceFormat, store: bool) -> Shader {
    let mut code = format!(
        "compute \"main\" {{
            local_size 64, 1, 1
            binding b0: image {kind} {format} set 0 binding 0 \"image\"
            binding b1: ssbo set 0 binding 1 \"out\"
            binding b2: ssbo set 0 binding 2 \"in\"
            %index: 32 = sysval local_invocation_index
            %four: 32 = const 4
            %c15: 32 = const 15
            %at: 32 = ishl %index, %four
            %where: 32x4 = load ssbo b2, %at, align 16
            %out: 32 = imul %at, %four
        "
    );
    let swizzle = &"xyz"[..coords(kind)];
    let _ = write!(
        code,
        "%texel: 32x4 = image_load b0, %where.{swizzle}
         store ssbo b1, %at, %texel, align 16
        "
    );
    if store {
        let _ = write!(
            code,
            "%kilo: 32 = const 1024
             %far: 32 = iadd %at, %kilo
             %data: 32x4 = load ssbo b2, %far, align 16
             barrier execution workgroup, memory workgroup, acquire, release, image
             image_store b0, %where.{swizzle}, %data
            "
        );
    }
    code.push_str("return }");
    text::parse(&code).unwrap_or_else(|error| panic!("{code}: {error}"))
}

/// A random number that depends only on the seed.
fn noise(seed: u32) -> u32 {
    fastrand::Rng::with_seed(seed.into()).u32(..)
}

/// The contents of the input buffer: coordinates for each invocation, then the data that each stores.
fn inputs(size: [u32; 3], seed: u32) -> Vec<u8> {
    const FLOATS: [f32; 8] = [0.0, 1.0, -1.0, 0.3, -0.7, 2.5, -1e6, f32::NAN];
    let mut words = Vec::new();
    for lane in 0..64 {
        for (axis, &size) in size.iter().enumerate() {
            // Mostly coordinates inside the image; some one step outside at either end, and some far away.
            words.push(match noise(seed + lane * 7 + axis as u32) % 11 {
                0 => u32::MAX,
                1 => size,
                2 => i32::MIN.cast_unsigned(),
                n => (n + lane) % size.max(1),
            });
        }
        words.push(0);
    }
    for lane in 0..256 {
        let n = noise(seed ^ lane << 8);
        words.push(match n % 4 {
            0 => n,
            1 => n % 300,
            _ => FLOATS[(n / 8) as usize % 8].to_bits(),
        });
    }
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn resources(format: SurfaceFormat, size: [u32; 3], seed: u32) -> Resources {
    let mut image = Image::new(format, size);
    for (i, byte) in image.bytes.iter_mut().enumerate() {
        *byte = noise(seed ^ i as u32) as u8;
    }
    let mut resources = Resources::default();
    resources.bind_image(0, 0, image);
    resources.bind(0, 1, vec![0; 1024]);
    resources.bind(0, 2, inputs(size, seed));
    resources
}

/// Whether two components are equal. Floats may differ by rounding.
fn same(format: SurfaceFormat, a: u32, b: u32) -> bool {
    let (x, y) = (f32::from_bits(a), f32::from_bits(b));
    let float = !format.name().ends_with("INT");
    a == b || float && (x.is_nan() && y.is_nan() || (x - y).abs() <= x.abs() * f32::EPSILON)
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

#[test]
fn lowering_keeps_what_image_accesses_do() {
    for &(kind, size) in KINDS {
        for format in storage_formats() {
            for store in [false, true] {
                let original = shader(kind, format, store);
                let seed = noise(u32::from(format.info().code)) ^ size[0];
                let mut expected = resources(format, size, seed);
                run(&original, &mut expected, [1; 3], &Options::default()).expect("it runs");
                for &platform in PLATFORMS {
                    let what = format!("{kind} {format} store {store} on {platform}");
                    let mut lowered = original.clone();
                    lower(&mut lowered, platform);
                    for alpha_one in [false, true] {
                        let options = Options { alpha_one, ..Options::default() };
                        let mut found = resources(format, size, seed);
                        run(&lowered, &mut found, [1; 3], &options)
                            .unwrap_or_else(|error| panic!("{what}: {error}"));
                        let read = |r: &Resources| words(r.buffer(0, 1).expect("the output"));
                        for (i, (a, b)) in read(&expected).into_iter().zip(read(&found)).enumerate()
                        {
                            assert!(
                                same(format, a, b),
                                "{what}: component {} of {}: {a:#x} became {b:#x}\n{lowered}",
                                i % 4,
                                i / 4
                            );
                        }
                        let bytes = |r: &Resources| r.image(0, 0).expect("the image").bytes.clone();
                        assert_eq!(bytes(&expected), bytes(&found), "{what}\n{lowered}");
                    }
                }
            }
        }
    }
}

fn lower(shader: &mut Shader, platform: Platform) {
    let options = passes::Options {
        lower: LowerOptions { images: Some(Device::new(platform)), ..LowerOptions::default() },
        ..passes::Options::default()
    };
    passes::optimize(shader, &options, &mut |name, shader| {
        verify::verify(shader).unwrap_or_else(|error| panic!("after {name}: {error}\n{shader}"));
    })
    .unwrap();
    let mut left = 0;
    let mut regions = vec![shader.func.body()];
    while let Some(region) = regions.pop() {
        for &inst in &shader.func.region(region).insts {
            let kind = &shader.func.inst(inst).kind;
            regions.extend(kind.regions());
            left += u32::from(matches!(
                kind,
                InstKind::ImageSize(_)
                    | InstKind::ImageLoad { form: crestline_ssa::ir::ImageForm::Shader, .. }
                    | InstKind::ImageStore { form: crestline_ssa::ir::ImageForm::Shader, .. }
                    | InstKind::ImageAtomic { form: crestline_ssa::ir::ImageForm::Shader, .. }
            ));
        }
    }
    assert_eq!(left, 0, "everything is lowered\n{shader}");
}

#[test]
fn atomics_and_sizes_are_lowered() {
    let code = "compute \"main\" {
        local_size 8, 1, 1
        binding b0: image cube array R32_UINT set 0 binding 0 \"image\"
        binding b1: ssbo set 0 binding 1 \"out\"
        %index: 32 = sysval local_invocation_index
        %zero: 32 = const 0
        %four: 32 = const 4
        %one: 32 = const 1
        %layer: 32 = ishl %index, %one
        %coord: 32x3 = vec3 %one, %zero, %layer
        %old: 32 = image_atomic iadd b0, %coord, %index
        %back: 32 = image_atomic compare_exchange b0, %coord, %four, %index
        %size: 32x3 = image_size b0
        %all: 32x4 = vec4 %size.x, %size.z, %old, %back
        %at: 32 = ishl %index, %four
        store ssbo b1, %at, %all, align 16
        return
    }";
    let original = text::parse(code).expect("it parses");
    assert_eq!(text::parse(&original.to_string()).expect("it parses again"), original);
    let bound = || resources(SurfaceFormat::R32_UINT, [2, 2, 12], 5);
    let mut expected = bound();
    run(&original, &mut expected, [1; 3], &Options::default()).expect("it runs");
    let sizes = &words(expected.buffer(0, 1).expect("the output"))[..2];
    assert_eq!(sizes, [2, 2], "width, and two cubes");
    for &platform in PLATFORMS {
        let mut lowered = original.clone();
        lower(&mut lowered, platform);
        let mut found = bound();
        run(&lowered, &mut found, [1; 3], &Options::default()).expect("it runs");
        assert_eq!(found, expected, "{platform}\n{lowered}");
    }
}
