//! Tests every image format, kind of image and access, in and out of bounds, on every chip: a generated shader per
//! format loads texels of eight kinds of images, stores others, and stores to images that it never reads.
//!
//! The expected results are those of the interpreter, which has its own model of the formats, for the shader before any
//! lowering. lavapipe confirms them for the accesses that Vulkan defines. The emulator's results must be the same bit
//! by bit (except for the last bit of normalized numbers), in every memory layout, with both documented values for
//! alpha out of bounds, and both if typed writes clamp integers and if they do not.
//!
//! The same shaders also run as vertex shaders, in SIMD4x2 threads.
//!
//! Another test leaves out one step of an access in the compiler. The comparison must then fail, for each step.
//!
//! `CRESTLINE_IMAGES=all` runs every format. Without it, one format of each texel size runs, chosen by a fixed seed.

mod cases;
mod difference;
mod elements;
mod unbound;

use std::collections::BTreeMap;

use crestline::{Program, Simd};
use crestline_device::{Device, Platform};
use crestline_emu::{Layout, Tiling};
use crestline_filetests::corpus::{self, RunTest};
use crestline_filetests::data::Random;
use crestline_filetests::engine::{Emulator, Engine, Interpreter};
use crestline_filetests::messages;
use crestline_judges::ask;
use crestline_judges::gen4asm::Gen4Asm;
use crestline_judges::iga::Iga;
use crestline_judges::lavapipe::{
    Capture, Captured, DrawJob, JobError, Lavapipe, Topology, VertexStage,
};
use crestline_ssa::passes::ImageStep;

use cases::{Stage, formats, surface};
use difference::{Tolerance, difference};

/// The seed that chooses the formats of a run without `CRESTLINE_IMAGES=all`.
const SEED: u64 = 4;

const PLATFORMS: [Platform; 4] = [Platform::Ivb, Platform::Hsw, Platform::Bdw, Platform::Skl];

/// The chips and widths at which shaders of a stage run. A thread of a vertex shader has two vertices.
fn emulators(stage: Stage) -> Vec<Emulator> {
    let all = |platforms: &[Platform], widths: &[Simd]| {
        let of = |&platform| widths.iter().map(move |&simd| Emulator::new(platform, simd));
        platforms.iter().flat_map(of).collect()
    };
    match stage {
        Stage::Compute => all(&PLATFORMS, &[Simd::Simd8, Simd::Simd16]),
        Stage::Vertex => all(&[Platform::Ivb, Platform::Hsw], &[Simd::Simd4x2]),
    }
}

/// Runs a test on lavapipe; the buffers and images afterwards.
fn judges(lavapipe: &Lavapipe, test: &RunTest, stage: Stage) -> Result<Vec<Vec<u8>>, JobError> {
    match stage {
        Stage::Compute => test.expected(lavapipe),
        Stage::Vertex => {
            let drawn = lavapipe.draw(&DrawJob {
                views: 0,
                feedback: 0,
                draws: 1,
                stages: vec![(VertexStage::Vertex, &test.spirv)],
                attributes: Vec::new(),
                topology: Topology::Points,
                vertices: test.case.groups[0],
                instances: 1,
                first_vertex: 0,
                first_instance: 0,
                push: Vec::new(),
                buffers: test.case.buffers.clone(),
                addresses: Vec::new(),
                captures: vec![vec![Capture { what: Captured::Position, bytes: 16 }]],
            })?;
            Ok(drawn.buffers)
        }
    }
}

/// A layout for images, a different one for each number.
fn layout(number: usize, platform: Platform) -> Option<Layout> {
    let swizzled = Device::new(platform).may_swizzle_bit6();
    match number % 4 {
        0 => None,
        1 => Some(Layout { tiling: Tiling::Linear, margin: [1, 3], ..Layout::default() }),
        2 => Some(Layout { tiling: Tiling::X, swizzled, margin: [1, 1], across: 0 }),
        _ => Some(Layout { tiling: Tiling::Y, swizzled, margin: [2, 1], across: 1 }),
    }
}

/// Whether the shader converts the texels of images that it reads and writes, so that nothing is left for the
/// hardware to clamp.
fn is_converted(format: &str, platform: Platform) -> bool {
    Device::new(platform).image_surface_format(surface(format)) != surface(format)
}

/// The formats of a run: all, or one of each size.
fn chosen() -> Vec<&'static str> {
    let all = formats();
    if std::env::var("CRESTLINE_IMAGES").as_deref() == Ok("all") {
        return all;
    }
    let random = &mut Random::new(SEED);
    let of_size = |bytes| -> Vec<_> {
        all.iter().copied().filter(|format| surface(format).bytes() == bytes).collect()
    };
    [1, 2, 4, 8, 16].map(|bytes| *random.pick(&of_size(bytes))).to_vec()
}

/// What external judges find wrong with a program's messages; `None` also if the judge is not installed.
fn judged(platform: Platform, code: &[u8]) -> Option<String> {
    let judged = if platform == Platform::Ivb {
        messages::judged_by_gen4disasm(&ask(Gen4Asm::find())?, code)
    } else {
        messages::judged_by_iga(&ask(Iga::find())?, platform, code)
    };
    match judged {
        Ok(0) => Some("no message was judged".into()),
        Ok(_) => None,
        Err(error) => Some(error),
    }
}

#[test]
fn messages_of_image_atomics_and_fences_are_what_the_judges_say() {
    let path = crestline_filetests::repository().join("tests/run/image_atomic.comp");
    let test = corpus::load(&path).unwrap_or_else(|error| panic!("{error}"));
    let mut failures = Vec::new();
    for platform in PLATFORMS {
        for simd in [Simd::Simd8, Simd::Simd16] {
            let emulator = Emulator::new(platform, simd);
            let program = emulator.compile(&test).unwrap_or_else(|error| panic!("{error}"));
            let wrong = judged(platform, &program.code);
            failures.extend(wrong.map(|what| format!("{}: {what}", emulator.name())));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Whether a program that lacks a step gives a wrong result or a diagnostic in any memory layout.
fn is_noticed(
    format: &str,
    program: &Program,
    mut emulator: Emulator,
    cases: &[(RunTest, Vec<Vec<u8>>)],
) -> bool {
    let device = Device::new(emulator.platform);
    cases.iter().any(|(test, expected)| {
        let strays = device.untyped_access_needs_raw_surface()
            && emulator.execute(program, &unbound::with_other_images(test)).is_err();
        strays
            || (0..8).any(|number| {
                emulator.alpha_one = number % 2 == 1;
                emulator.wrap_integers = number % 4 > 1 && is_converted(format, emulator.platform);
                emulator.layout = layout(number / 2, emulator.platform);
                let wrapped = emulator.wrap_integers;
                let tolerance = Tolerance { codes: 1, vulkan: false, wrapped };
                match emulator.execute(program, test) {
                    Ok(found) => difference(format, test, &found, expected, tolerance).is_some(),
                    Err(_) => true,
                }
            })
    })
}

#[test]
fn every_step_of_the_lowering_is_needed() {
    for stage in [Stage::Compute, Stage::Vertex] {
        every_step(stage);
    }
}

fn every_step(stage: Stage) {
    let mut failures = Vec::new();
    let mut needed = BTreeMap::new();
    // The steps are part of the mid-end, which runs before the width is chosen: one width is enough.
    let emulators = emulators(stage).into_iter().filter(|emulator| emulator.simd != Simd::Simd16);
    for (format, whole) in chosen().into_iter().flat_map(|f| emulators.clone().map(move |e| (f, e)))
    {
        let cases = [true, false].map(|wild| {
            let test = cases::test(format, wild, Stage::Compute);
            let expected = Interpreter.run(&test).unwrap_or_else(|e| panic!("{format}: {e}"));
            (cases::test(format, wild, stage), expected)
        });
        let compiled = |emulator: Emulator| {
            emulator.compile(&cases[0].0).unwrap_or_else(|e| panic!("{format}: {e}"))
        };
        let code = compiled(whole).code;
        for step in ImageStep::ALL {
            let emulator = Emulator { without: Some(step), ..whole };
            let program = compiled(emulator);
            // The format does not need this step on this chip.
            if program.code == code {
                continue;
            }
            *needed.entry(format!("{step:?}")).or_insert(0) += 1;
            if !is_noticed(format, &program, emulator, &cases) {
                failures.push(format!("{format} on {}: {step:?} is not missed", emulator.name()));
            }
        }
    }
    let total: i32 = needed.values().sum();
    println!("{stage:?}: steps left out {total} times, for so many formats and chips: {needed:?}");
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn images_of_every_format_are_read_and_written_right() {
    every_format(Stage::Compute);
}

#[test]
fn images_of_every_format_are_read_and_written_right_by_vertices() {
    every_format(Stage::Vertex);
}

fn every_format(stage: Stage) {
    let lavapipe = ask(Lavapipe::open());
    let mut failures = Vec::new();
    for (number, format) in chosen().into_iter().enumerate() {
        for wild in [false, true] {
            // The results in each stage must be those that the interpreter computes for compute shaders.
            let test = cases::test(format, wild, Stage::Compute);
            let expected = Interpreter.run(&test).unwrap_or_else(|e| panic!("{format}: {e}"));
            let test = cases::test(format, wild, stage);
            if let Some(lavapipe) = lavapipe.filter(|_| !wild) {
                let theirs = judges(lavapipe, &test, stage);
                let theirs = theirs.unwrap_or_else(|e| panic!("{}: {e}", test.name));
                let tolerance = Tolerance { codes: 1, vulkan: true, wrapped: false };
                if let Some(what) = difference(format, &test, &expected, &theirs, tolerance) {
                    failures.push(format!("{} by lavapipe: {what}", test.name));
                }
            }
            for (i, emulator) in emulators(stage).into_iter().enumerate() {
                failures.extend(wrongs(format, &test, &expected, emulator, wild, number + i));
            }
        }
    }
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}

/// The failures of a test on a chip, in memory layouts from number `first` on, one line each.
fn wrongs(
    format: &str,
    test: &RunTest,
    expected: &[Vec<u8>],
    mut emulator: Emulator,
    wild: bool,
    first: usize,
) -> Vec<String> {
    let name = format!("{} on {}", test.name, emulator.name());
    let program = match emulator.compile(test) {
        Ok(program) => program,
        Err(error) => return vec![format!("{name}: {error}")],
    };
    let mut wrongs = Vec::new();
    if !wild {
        let wrong = judged(emulator.platform, &program.code);
        wrongs.extend(wrong.map(|what| format!("{name}: {what}")));
    }
    for alpha_one in [false, true] {
        emulator.alpha_one = alpha_one;
        let wrapped = alpha_one != wild && is_converted(format, emulator.platform);
        emulator.wrap_integers = wrapped;
        let number = first + usize::from(wild) + 2 * usize::from(alpha_one);
        emulator.layout = layout(number, emulator.platform);
        // The hardware's own conversions, in images that are only written, may round up.
        let tolerance = Tolerance { codes: 1, vulkan: false, wrapped };
        let wrong = match emulator.execute(&program, test) {
            Ok(found) => difference(format, test, &found, expected, tolerance),
            Err(error) => Some(error),
        };
        let layout = emulator.layout;
        wrongs.extend(wrong.map(|what| format!("{name}, alpha {alpha_one}, {layout:?}: {what}")));
    }
    wrongs
}
