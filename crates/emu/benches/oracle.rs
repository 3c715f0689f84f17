//! Measures the speed of the emulator on machine code of the oracle pack, in SIMD8 instructions per second, with all
//! checks on.
//!
//! `cargo bench -p crestline-emu` runs every listed case for about a second on one host thread, then with many more
//! workgroups on one core and on all cores. An argument selects the cases whose names start with it. A case is
//! dispatched repeatedly, so the figures include the cost of a dispatch.
//!
//! The figure for one core uses this thread's CPU time. The figure for all cores, and the speed-up, use elapsed time,
//! so they need an idle machine.
//!
//! Fragment shaders of the pack draw two triangles that cover a picture. Their figures include the fixed functions.

use crestline_device::{Device, SurfaceFormat};
use crestline_emu::{DrawState, Framebuffer, Kernel, Options, Resources, SlotValues};
use crestline_judges::oracle::{Compiler, Oracle};
use crestline_program::Varying;
use std::time::{Duration, Instant};

const CASES: &[(&str, &str)] = &[
    ("sha256", "skl"),
    ("sha256", "skl.simd8"),
    ("mandel", "skl"),
    ("mandel", "skl.simd8"),
    ("matmul_tiled", "skl"),
    ("int_mix", "skl.simd8"),
    ("saxpy", "skl.simd8"),
];

/// Fragment shaders without resources.
const FRAGMENTS: &[(&str, &str)] =
    &[("interp", "skl.simd16"), ("interp", "skl.simd8"), ("mrt", "skl.simd16")];

/// The sides of the picture in pixels.
const PICTURE: [u32; 2] = [512, 512];

const TIME: Duration = Duration::from_millis(1500);

/// Factor by which the workgroups are multiplied to measure host threads.
const MANY: u32 = 64;

/// CPU time of this thread in seconds, if the system (Linux) provides it. Other processes do not affect it.
fn cpu_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: f64 = text.split_whitespace().next()?.parse().ok()?;
    Some(nanoseconds / 1e9)
}

/// The result of a measurement.
struct Measure {
    simd8_instructions: u64,
    wall_seconds: f64,
    /// CPU time of the calling thread.
    cpu_seconds: Option<f64>,
}

impl Measure {
    /// Millions of SIMD8 instructions per second.
    fn rate(&self, seconds: f64) -> f64 {
        self.simd8_instructions as f64 / seconds / 1e6
    }
}

/// Repeats `work`, which returns a number of SIMD8 instructions.
fn measure(mut work: impl FnMut() -> u64) -> Measure {
    let start = Instant::now();
    let cpu = cpu_seconds();
    let mut simd8_instructions = 0;
    while start.elapsed() < TIME {
        simd8_instructions += work();
    }
    Measure {
        simd8_instructions,
        wall_seconds: start.elapsed().as_secs_f64(),
        cpu_seconds: cpu.zip(cpu_seconds()).map(|(before, after)| after - before),
    }
}

fn main() {
    // `cargo test` runs benchmarks too, with `--test`. There is nothing to check.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let Some(oracle) = crestline_judges::ask(Oracle::find()) else { return };
    let cases = oracle.cases(Compiler::Mesa).expect("the pack is readable");
    println!("{:<28} {:>14} {:>14} {:>9}", "case", "one core M/s", "all cores M/s", "speed-up");
    let only = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    for (name, variant) in CASES {
        let label = format!("{name}/{variant}");
        if only.as_ref().is_some_and(|only| !label.starts_with(only)) {
            continue;
        }
        let case = cases.iter().find(|case| case.name == *name).expect("the case exists");
        let program = case.variant(variant).expect("the variant is readable");
        let device = Device::new(program.metadata.platform);
        let kernel = Kernel::load(&program.code, program.metadata, &device).expect("it loads");
        let mut resources = Resources::new();
        for resource in &case.resources {
            resources.set_buffer(resource.resource, &resource.contents);
        }
        resources.set_push_constants(&case.push_constants);
        let mut dispatch = |grid, host_threads| {
            let options = Options { host_threads, ..Options::default() };
            measure(|| {
                let report = kernel.dispatch(grid, &mut resources, &options);
                report.expect("the case runs").simd8_instructions
            })
        };
        let one = dispatch(case.grid, 1);
        // Workgroups with another z do the same work on the same words.
        let [x, y, z] = case.grid;
        let [single, all] = [1, 0].map(|host_threads| {
            let many = dispatch([x, y, z * MANY], host_threads);
            many.rate(many.wall_seconds)
        });
        row(&label, &one, single, all);
    }
    let cases = oracle.fragment_cases().expect("the pack is readable");
    for (name, variant) in FRAGMENTS {
        let label = format!("{name}/{variant}");
        if only.as_ref().is_some_and(|only| !label.starts_with(only)) {
            continue;
        }
        let case = cases.iter().find(|case| case.name == *name).expect("the case exists");
        let program = case.variant(variant).expect("the variant is readable");
        let device = Device::new(program.metadata.platform);
        let kernel = Kernel::load(&program.code, program.metadata, &device).expect("it loads");
        let corners =
            [[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0f32]];
        let vertex = |[x, y]: [f32; 2]| {
            let start =
                SlotValues::new().with(Varying::Position, [x, y, 0.5, 1.0].map(f32::to_bits));
            case.inputs.iter().fold(start, |vertex, (location, _)| {
                let value = [x, y, 0.25, 1.0].map(f32::to_bits);
                vertex.with(Varying::Location { location: *location }, value)
            })
        };
        let strips = [corners.map(vertex).to_vec()];
        let mut framebuffer = Framebuffer::new(PICTURE).expect("a picture");
        for target in 0..case.colour_targets {
            let format = SurfaceFormat::R8G8B8A8_UNORM;
            framebuffer.clear_colour(target, format, [0; 4]).expect("an attachment");
        }
        let (state, resources) = (DrawState::new(PICTURE), Resources::new());
        let mut draw = |host_threads| {
            let options = Options { host_threads, ..Options::default() };
            measure(|| {
                let report =
                    kernel.draw(&state, &strips, &mut framebuffer, &resources, &options, None);
                report.expect("the case draws").simd8_instructions
            })
        };
        let (one, all) = (draw(1), draw(0));
        row(&label, &one, one.rate(one.wall_seconds), all.rate(all.wall_seconds));
    }
}

/// Prints the figures of a case: on one core, and by elapsed time on one and on all cores.
fn row(label: &str, one: &Measure, single: f64, all: f64) {
    println!(
        "{:<28} {:>14.1} {:>14.1} {:>9.2}",
        label,
        one.rate(one.cpu_seconds.unwrap_or(one.wall_seconds)),
        all,
        all / single
    );
}
