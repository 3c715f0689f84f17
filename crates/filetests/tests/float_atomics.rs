//! Atomics of floats, where the generation has them: gen9's least and greatest must leave what
//! lavapipe leaves; on older chips, and for sums on all, an error names what is missing.

use crestline::{Options, Platform, Simd, TARGETS, compile_spirv};
use crestline_filetests::corpus::{self, compile_source};
use crestline_filetests::engine::{Emulator, Failure, Interpreter};
use crestline_frontend::Language;
use crestline_judges::ask;
use crestline_judges::lavapipe::Lavapipe;

fn test() -> corpus::RunTest {
    let path = crestline_filetests::repository().join("crates/filetests/tests/atomics/float.comp");
    corpus::load(&path).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn least_and_greatest_of_floats_are_what_lavapipe_says() {
    let Some(lavapipe) = ask(Lavapipe::open()) else { return };
    let test = test();
    let expected = test.expected(lavapipe).unwrap_or_else(|error| panic!("{error}"));
    let mut failures = test.failures(&Interpreter, &expected);
    for simd in [Simd::Simd8, Simd::Simd16, Simd::Simd32] {
        failures.extend(test.failures(&Emulator::new(Platform::Skl, simd), &expected));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn chips_without_them_say_so() {
    let test = test();
    for platform in [Platform::Ivb, Platform::Hsw, Platform::Bdw] {
        match Emulator::new(platform, Simd::Simd8).compile(&test) {
            Err(Failure::Wrong(error)) => assert!(error.contains("atomic"), "{platform}: {error}"),
            other => panic!("{platform}: expected an error, found {other:?}"),
        }
    }
}

#[test]
fn sums_are_refused_by_name_on_every_chip() {
    let source = "#version 450
        #extension GL_EXT_shader_atomic_float : require
        layout(set = 0, binding = 0) buffer Cells { float sum; };
        void main() { atomicAdd(sum, 1.0); }";
    let words = compile_source("sum.comp", Language::Glsl, source).expect("it is valid");
    for &platform in TARGETS {
        let error = compile_spirv(&words, &Options::new(platform)).expect_err("nothing adds");
        assert!(error.to_string().contains("AtomicFloat32AddEXT"), "{platform}: {error}");
    }
}
