//! Tests atomics that only some generations have: minimum and maximum of floats (messages from gen9 on, loops before), and
//! 64-bit numbers in buffers (from gen8 on). Their results must be those of lavapipe. Where 64-bit numbers have no
//! messages, the compiler must return an error that says what is missing.

use crestline::{Options, Platform, Simd, Stage, TARGETS, compile_spirv};
use crestline_filetests::corpus::{self, compile_source};
use crestline_filetests::engine::{Emulator, Failure, Interpreter};
use crestline_filetests::transplant::{Transplant, fragment_failures, transplant};
use crestline_frontend::Language;
use crestline_judges::ask;
use crestline_judges::lavapipe::Lavapipe;

fn test(name: &str) -> corpus::RunTest {
    let folder = crestline_filetests::repository().join("crates/filetests/tests/atomics");
    corpus::load(&folder.join(name)).unwrap_or_else(|error| panic!("{error}"))
}

/// Runs a test in the interpreter, and at every SIMD width on the chips that have its atomics.
fn agrees(name: &str, platforms: &[Platform]) {
    let Some(lavapipe) = ask(Lavapipe::open()) else { return };
    let mut test = test(name);
    let expected = test.expected(lavapipe).unwrap_or_else(|error| panic!("{error}"));
    // The interpreter skips accesses outside of a buffer. Code on the chips must not even attempt them.
    test.case.in_bounds = false;
    let mut failures = test.failures(&Interpreter, &expected);
    test.case.in_bounds = true;
    for &platform in platforms {
        for simd in [Simd::Simd8, Simd::Simd16, Simd::Simd32] {
            failures.extend(test.failures(&Emulator::new(platform, simd), &expected));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Runs a test as a fragment shader at every SIMD width on the chips that have its atomics.
fn agrees_in_fragments(name: &str, platforms: &[Platform]) {
    let Some(lavapipe) = ask(Lavapipe::open()) else { return };
    let test = test(name);
    let found = transplant(&test, Stage::Fragment).unwrap_or_else(|error| panic!("{error}"));
    let Some(Transplant::Fragment { words, rows }) = found else {
        panic!("{name} is no fragment shader")
    };
    let widths = [Simd::Simd8, Simd::Simd16, Simd::Simd32];
    let modes: Vec<_> =
        platforms.iter().flat_map(|&platform| widths.map(|simd| (platform, simd))).collect();
    let failures = fragment_failures(&test, (&words, rows), lavapipe, &modes);
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Compiles a test for chips without its atomics. The compiler must return an error that says so.
fn refused(name: &str, platforms: &[Platform], what: &str) {
    let test = test(name);
    for &platform in platforms {
        match Emulator::new(platform, Simd::Simd8).compile(&test) {
            Err(Failure::Wrong(error)) => assert!(error.contains(what), "{platform}: {error}"),
            other => panic!("{platform}: expected an error, found {other:?}"),
        }
    }
}

#[test]
fn least_and_greatest_of_floats_are_what_lavapipe_says() {
    const CHIPS: &[Platform] = &[Platform::Ivb, Platform::Hsw, Platform::Bdw, Platform::Skl];
    agrees("float.comp", CHIPS);
    agrees("pointer_float.comp", CHIPS);
}

#[test]
fn atomics_of_64_bits_are_what_lavapipe_says() {
    agrees("double.comp", &[Platform::Bdw, Platform::Chv, Platform::Skl, Platform::Bxt]);
    agrees("int64.comp", &[Platform::Bdw, Platform::Chv, Platform::Skl, Platform::Bxt]);
    let what = "64-bit atomics on storage buffers";
    agrees("int64_plain.comp", &[Platform::Bdw, Platform::Skl]);
    agrees_in_fragments("int64_plain.comp", &[Platform::Bdw, Platform::Skl]);
    refused("int64.comp", &[Platform::Ivb, Platform::Hsw], what);
    refused("double.comp", &[Platform::Ivb, Platform::Hsw], what);
    agrees("pointer_int64.comp", &[Platform::Bdw, Platform::Chv, Platform::Skl, Platform::Bxt]);
    refused("pointer_int64.comp", &[Platform::Ivb, Platform::Hsw], "64-bit atomics");
}

#[test]
fn shared_memory_has_no_atomics_of_64_bits() {
    let source = "#version 450
        #extension GL_EXT_shader_atomic_int64 : require
        #extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
        layout(set = 0, binding = 0) buffer Found { uint64_t found; };
        shared uint64_t most;
        void main() { found = atomicMax(most, 1ul); }";
    let words = compile_source("shared.comp", Language::Glsl, source).expect("it is valid");
    for &platform in TARGETS {
        let error = compile_spirv(&words, &Options::new(platform)).expect_err("none has them");
        assert!(
            error.to_string().contains("64-bit atomics on shared memory"),
            "{platform}: {error}"
        );
    }
}
