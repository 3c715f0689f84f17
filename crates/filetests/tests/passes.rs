//! Runs each pass of the mid-end on each run test, with all lowerings on. After each pass the shader must be valid and
//! compute the same results. The same must hold when the whole list of passes runs a second time. Of the back end, it compares
//! the programs with and without scheduling before register allocation.

use crestline::compile_spirv;
use crestline_device::{Device, Platform};
use crestline_filetests::corpus::{self, RunTest};
use crestline_filetests::engine;
use crestline_ssa::ir::{AluOp, Shader};
use crestline_ssa::passes::{Doubles, LowerOptions, Options, SystemValues, optimize};
use crestline_ssa::verify::verify;

/// Options with which every lowering pass has an effect.
fn options() -> Options {
    use AluOp::*;
    let unsupported_ops = [
        FDiv,
        FCeil,
        FFract,
        FLdexp,
        FLrp,
        FPow,
        FSat,
        FSign,
        FSub,
        IAbs,
        IMod,
        ISign,
        UMod,
        UAddCarry,
        USubBorrow,
        BitfieldInsert,
        IBitfieldExtract,
        UBitfieldExtract,
    ];
    // The interpreter's subgroups have 16 invocations, too.
    let system_values = SystemValues { subgroup_size: Some(16), ..SystemValues::default() };
    let lower = LowerOptions {
        scalarize: true,
        subgroups: true,
        dwords: true,
        small_in_dwords: false,
        half_floats: false,
        int64_sums: false,
        addresses_32: false,
        system_values,
        unsupported_ops: unsupported_ops.into(),
        most_samples: Some(16),
        images: Some(Device::new(Platform::Hsw)),
        tess_domain: None,
        quad_levels: false,
        without: None,
        doubles: Some(Doubles { fused: false }),
    };
    // Rounding a product and a sum once is right, but where they cancel it differs by more than the cases allow.
    Options {
        lower,
        disabled: ["opt_fuse_ffma".to_owned()].into(),
        optimize_everywhere: true,
        ..Options::default()
    }
}

/// Options for registers that contain vectors of dwords or doubles.
fn options_of_vectors() -> Options {
    let mut options = options();
    options.lower.scalarize = false;
    options.lower.dwords = false;
    options.lower.small_in_dwords = true;
    options.lower.doubles = None;
    options
}

/// Runs the list of passes twice. Returns a message for the first pass after which the shader is invalid or its results
/// differ.
fn failures(test: &RunTest, options: &Options) -> Vec<String> {
    let mut shader = engine::shader(test).unwrap_or_else(|e| panic!("{}: {e}", test.name));
    let expected = match engine::interpret(&shader, test) {
        Ok(expected) => expected,
        Err(error) => return vec![format!("{}: before any pass: {error}", test.name)],
    };
    let wrong = |shader: &Shader| -> Option<String> {
        if let Err(error) = verify(shader) {
            return Some(error.to_string());
        }
        match engine::interpret(shader, test) {
            Ok(found) => {
                let differences = test.differences(&found, &expected);
                (!differences.is_empty()).then(|| differences.join("; "))
            }
            Err(error) => Some(error),
        }
    };
    let mut failures = Vec::new();
    for run in ["first", "second"] {
        optimize(&mut shader, options, &mut |name, shader| {
            // Only the first wrong pass is reported; errors after it follow from it.
            if failures.is_empty()
                && let Some(wrong) = wrong(shader)
            {
                failures.push(format!("{}: {run} run, after {name}: {wrong}", test.name));
            }
        })
        .unwrap();
    }
    failures
}

#[test]
fn every_pass_leaves_valid_code_that_computes_the_same() {
    let tests = corpus::run_tests().unwrap_or_else(|error| panic!("{error}"));
    let half = tests.len() / 2;
    let options = options();
    let run = |tests: &[RunTest]| {
        tests.iter().flat_map(|test| failures(test, &options)).collect::<Vec<_>>()
    };
    let failures = std::thread::scope(|scope| {
        let first = scope.spawn(|| run(&tests[..half]));
        let mut all = run(&tests[half..]);
        all.extend(first.join().expect("the other half does not panic"));
        all
    });
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}

/// Checks the passes with other options on those run tests whose names start with one of `names`.
fn check(names: &[&str], options: &Options) {
    let tests = corpus::run_tests().unwrap_or_else(|error| panic!("{error}"));
    let tests = tests.iter().filter(|test| names.iter().any(|name| test.name.starts_with(name)));
    let failures: Vec<String> = tests.flat_map(|test| failures(test, options)).collect();
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn small_values_in_dwords_are_what_they_were() {
    let names = ["float16", "float64_convert", "int8_int16", "memory_sizes", "pack"];
    check(&names, &options_of_vectors());
}

#[test]
fn sums_of_64_bits_are_what_they_were() {
    let mut options = options();
    options.lower.int64_sums = true;
    check(&["int64", "pointer", "clock", "extensions", "memory_sizes", "float64"], &options);
}

/// A program has the scheduled order only if it is not worse than the order before: more scratch messages, or the same number and
/// more estimated cycles.
#[test]
fn programs_have_the_better_order() {
    let tests = corpus::run_tests().unwrap_or_else(|error| panic!("{error}"));
    let (mut compared, mut less, mut worse) = (0, 0, Vec::new());
    for (number, test) in tests.iter().enumerate() {
        // Each test on one chip, at all widths. The next test is compiled for the next chip.
        let engines = engine::Emulator::all();
        for emulator in engines.chunks(3).nth(number % 4).unwrap_or_default() {
            let options = emulator.options(test);
            let mut plain = options.clone();
            plain.disabled.insert("opt_schedule_early".to_owned());
            let cost = |options| {
                let program = compile_spirv(&test.spirv, options).ok()?;
                let counted = program.statistics()?;
                Some((counted.spills + counted.fills, counted.estimated_cycles))
            };
            // Which widths a chip can run does not matter here.
            let Some((chosen, plain)) = cost(&options).zip(cost(&plain)) else { continue };
            compared += 1;
            less += u32::from(chosen < plain);
            if chosen > plain {
                worse.push(format!(
                    "{} on {:?} at {:?}: {chosen:?}, unscheduled {plain:?}",
                    test.name, emulator.platform, emulator.simd
                ));
            }
        }
    }
    assert!(worse.is_empty(), "{}", worse.join("\n"));
    assert!(compared > 200 && less > compared / 4, "{less} of {compared} programs gain");
}
