//! Compares fragment shaders with compute shaders of the same arithmetic: their compile time per code entry, and the
//! emulator's throughput.
//!
//! The gain of the second core needs an idle machine, because it compares elapsed times.

use std::fmt::Write;
use std::time::Duration;

use crestline::{Language, Options, Platform, Simd};
use crestline_benches::{is_test_run, milliseconds, shortest};
use crestline_device::{Device, SurfaceFormat};
use crestline_emu::{DrawState, Framebuffer, Kernel, Resources, SlotValues};
use crestline_filetests::corpus::compile_source;
use crestline_program::{Program, ResourceRef, Varying};

/// The sides of the picture in pixels.
const SIDE: u32 = 512;

/// The start and the end of a shader's text.
type Frame = [&'static str; 2];

/// A fragment shader.
const FRAGMENT: Frame = [
    "@fragment fn main(@builtin(position) place: vec4<f32>) -> @location(0) vec4<u32> {\n\
     let id = vec2<u32>(place.xy);\n",
    "return vec4<u32>(x0, x1, x2, x3);\n}\n",
];

/// A compute shader with one invocation for each pixel of the picture.
const COMPUTE: Frame = [
    "@group(0) @binding(0) var<storage, read_write> data: array<vec4<u32>>;\n\
     @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) place: vec3<u32>) {\n\
     let id = place.xy;\n",
    "data[id.x + id.y * 512u] = vec4<u32>(x0, x1, x2, x3);\n}\n",
];

/// Straight-line code of about `operations` arithmetic operations on values of the pixel. They depend on each other in
/// four chains, so that none is dead, constant or equal to another.
fn shader([start, end]: Frame, operations: usize) -> Vec<u32> {
    let mut text = String::from(start);
    for chain in 0..4 {
        writeln!(text, "var x{chain} = id.x * {}u + id.y;", 2 * chain + 3)
            .expect("writing to a string");
    }
    for i in 0..operations / 4 {
        let (a, b, c) = (i % 4, (i + 3) % 4, (i * 5 + 1) % 4);
        writeln!(text, "x{a} = ((x{a} + x{b}) ^ (x{c} >> {}u)) * 3u;", i % 31 + 1)
            .expect("writing to a string");
    }
    text.push_str(end);
    compile_source("fragment.wgsl", Language::Wgsl, &text).expect("the generator writes valid WGSL")
}

fn compile(spirv: &[u32], simd: Simd) -> Program {
    let mut options = Options::new(Platform::Skl).with_simd(simd);
    options.verify = false;
    crestline::compile_spirv(spirv, &options).expect("the shader compiles")
}

/// Prints the time of both kinds of shaders for each code entry.
fn compile_times() {
    println!(
        "| operations | width | compute | fragment, per entry | ratio | for ten times the operations |"
    );
    println!("| ---: | --- | ---: | ---: | ---: | ---: |");
    for (simd, name) in [(Simd::Simd8, "SIMD8"), (Simd::Simd16, "SIMD16"), (Simd::Auto, "auto")] {
        let mut before: Option<f64> = None;
        for operations in [600, 6_000, 60_000] {
            let time = |frame| {
                let spirv = shader(frame, operations);
                let entries = compile(&spirv, simd).metadata.dispatches.iter().count();
                milliseconds(shortest(5, || compile(&spirv, simd))) / entries as f64
            };
            let (compute, fragment) = (time(COMPUTE), time(FRAGMENT));
            let grown =
                before.map_or_else(String::new, |before| format!("{:.1} x", fragment / before));
            let ratio = fragment / compute;
            println!(
                "| {operations} | {name} | {compute:.1} ms | {fragment:.1} ms | {ratio:.2} | {grown} |"
            );
            before = Some(fragment);
        }
    }
    println!();
}

/// Millions of SIMD8 instructions per second.
fn rate(runs: usize, mut work: impl FnMut() -> u64) -> f64 {
    let mut instructions = 0;
    let time: Duration = shortest(runs, || instructions = work());
    instructions as f64 / time.as_secs_f64() / 1e6
}

fn load(spirv: &[u32], simd: Simd) -> Kernel {
    let program = compile(spirv, simd);
    let device = Device::new(program.metadata.platform);
    Kernel::load(&program.code, program.metadata, &device).expect("it loads")
}

/// Prints the emulator's throughput for both kinds of shaders, with one and with all host threads.
fn throughput() {
    println!("| operations | width | compute | fragment | ratio | gain of all cores |");
    println!("| ---: | --- | ---: | ---: | ---: | ---: |");
    let options = |host_threads| crestline_emu::Options { host_threads, ..Default::default() };
    for (simd, name) in [(Simd::Simd8, "SIMD8"), (Simd::Simd16, "SIMD16")] {
        for operations in [40, 400] {
            let compute = load(&shader(COMPUTE, operations), simd);
            let data = ResourceRef { set: 0, binding: 0, element: 0 };
            let mut resources = Resources::new();
            resources.set_buffer(data, &vec![0; 16 * (SIDE * SIDE) as usize]);
            let compute = rate(10, || {
                let report = compute.dispatch([SIDE / 64, SIDE, 1], &mut resources, &options(1));
                report.expect("the shader runs").simd8_instructions
            });
            let fragment = load(&shader(FRAGMENT, operations), simd);
            let corners = [[-1.0, -1.0], [3.0, -1.0], [-1.0, 3.0f32]];
            let strips = [corners
                .map(|[x, y]| [x, y, 0.5, 1.0].map(f32::to_bits))
                .map(|place| SlotValues::new().with(Varying::Position, place))
                .to_vec()];
            let (state, resources) = (DrawState::new([SIDE; 2]), Resources::new());
            let mut framebuffer = Framebuffer::new([SIDE; 2]).expect("a picture");
            let format = SurfaceFormat::R32G32B32A32_UINT;
            framebuffer.clear_colour(0, format, [0; 4]).expect("an attachment");
            let mut draw = |threads| {
                rate(10, || {
                    let options = options(threads);
                    let target = &mut framebuffer;
                    let report = fragment.draw(&state, &strips, target, &resources, &options, None);
                    report.expect("the shader draws").simd8_instructions
                })
            };
            let (one, all) = (draw(1), draw(0));
            println!(
                "| {operations} | {name} | {compute:.0} M/s | {one:.0} M/s | {:.2} | {:.2} |",
                one / compute,
                all / one
            );
        }
    }
}

fn main() {
    if is_test_run() {
        return;
    }
    compile_times();
    throughput();
}
