//! Tests OpenGL's atomic counters, which lavapipe's Vulkan driver does not accept. Their results must be those of the
//! same shader with a storage buffer on lavapipe.

use crestline::{Options, Platform, Simd, compile_spirv};
use crestline_filetests::case::Case;
use crestline_filetests::corpus::{RunTest, compile_source};
use crestline_filetests::engine::{Emulator, Engine, Interpreter};
use crestline_frontend::Language;
use crestline_judges::ask;
use crestline_judges::lavapipe::Lavapipe;
use crestline_judges::spirv::SpirvTools;
use crestline_program::{ResourceRef, Surface};

const CASE: &str = "\
//! dispatch 4 1 1
//! buffer 0.0 = u32 100 0 1000 7 6 5 4 3 50 60 0xffff 0x100 5 77 4 11
//! buffer 0.1 = zero 20
";

fn test(spirv: Vec<u32>) -> RunTest {
    let case = Case::parse(CASE).expect("directives");
    RunTest { name: "counters".into(), source: CASE.into(), case, spirv }
}

fn counters(tools: &SpirvTools) -> RunTest {
    let spirv = tools.assemble(include_str!("counters/counters.spvasm"));
    test(spirv.unwrap_or_else(|error| panic!("{error}")))
}

#[test]
fn atomic_counters_do_what_the_same_atomics_on_a_buffer_do() {
    let Some(lavapipe) = ask(Lavapipe::open()) else { return };
    let Some(tools) = ask(SpirvTools::find()) else { return };
    let buffer = compile_source("buffer", Language::Glsl, include_str!("counters/buffer.comp"));
    let buffer = test(buffer.unwrap_or_else(|error| panic!("{error}")));
    let expected = buffer.expected(lavapipe).unwrap_or_else(|error| panic!("{error}"));
    let counters = counters(&tools);
    let mut failures = counters.failures(&Interpreter, &expected);
    for emulator in Emulator::all() {
        failures.extend(counters.failures(&emulator as &dyn Engine, &expected));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn the_metadata_says_that_a_binding_holds_counters() {
    let Some(tools) = ask(SpirvTools::find()) else { return };
    let options = Options::new(Platform::Skl).with_simd(Simd::Simd16);
    let program = compile_spirv(&counters(&tools).spirv, &options).expect("a program");
    let resource = ResourceRef { set: 0, binding: 0, element: 0 };
    let surfaces: Vec<&Surface> =
        program.metadata.binding_table.iter().map(|entry| &entry.surface).collect();
    assert!(surfaces.contains(&&Surface::AtomicCounters { resource }), "{surfaces:?}");
}
