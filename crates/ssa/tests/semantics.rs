//! Tests that the list of passes does not change what a shader computes: on the interpreter's cases and on random
//! shaders, compared after every pass that changed something.

mod random;

use std::collections::BTreeMap;

use crestline_ssa::interp::{self, BufferKey, Resources};
use crestline_ssa::ir::{AluOp, Fuel, Shader};
use crestline_ssa::passes::{self, LowerOptions, Options, SystemValues, optimize};
use crestline_ssa::text::parse;
use crestline_ssa::verify::verify;

const GRID: [u32; 3] = [2, 1, 1];

fn options(subgroup_size: u32) -> Options {
    let unsupported_ops = [
        AluOp::FSign,
        AluOp::ISign,
        AluOp::IMod,
        AluOp::UMod,
        AluOp::UBitfieldExtract,
        AluOp::IBitfieldExtract,
        AluOp::BitfieldInsert,
        AluOp::UAddCarry,
        AluOp::USubBorrow,
    ];
    let system_values =
        SystemValues { subgroup_size: Some(subgroup_size), ..SystemValues::default() };
    let lower = LowerOptions {
        scalarize: true,
        subgroups: true,
        dwords: true,
        system_values,
        unsupported_ops: unsupported_ops.into(),
        ..LowerOptions::default()
    };
    Options { lower, ..Options::default() }
}

fn run(shader: &Shader, resources: &Resources) -> BTreeMap<BufferKey, Vec<u8>> {
    let options =
        interp::Options { subgroup_size: 8, budget: 1 << 24, ..interp::Options::default() };
    let mut resources = resources.clone();
    let report = interp::run(shader, &mut resources, GRID, &options)
        .unwrap_or_else(|e| panic!("{e}\n{shader}"));
    assert_eq!(report.out_of_bounds_count, 0, "{shader}");
    resources.buffers
}

/// Optimises `shader`. Runs it at the start and after each pass, and compares the results.
fn check(shader: &Shader, resources: &Resources, options: &Options) {
    let expected = run(shader, resources);
    let mut before = shader.clone();
    let mut shader = shader.clone();
    optimize(&mut shader, options, &mut |name, after| {
        verify(after).unwrap_or_else(|e| panic!("after {name}: {e}\n{before}\nbecame\n{after}"));
        let found = run(after, resources);
        assert!(
            found == expected,
            "{name} changed what the shader does:\n{before}\nbecame\n{after}"
        );
        before = after.clone();
    })
    .unwrap();
    let mut seen = false;
    optimize(&mut shader.clone(), options, &mut |name, after| {
        // A second run of the whole list may still change something, but must not change the results.
        seen = true;
        verify(after).unwrap_or_else(|e| panic!("again, after {name}: {e}\n{after}"));
        assert!(run(after, resources) == expected, "{name} again:\n{shader}\nbecame\n{after}");
    })
    .unwrap();
}

#[test]
fn random_shaders_keep_their_meaning() {
    let (first, count) = match std::env::var("CRESTLINE_SEEDS") {
        Ok(range) => {
            let (first, count) = range.split_once('+').expect("FIRST+COUNT");
            (first.parse().unwrap(), count.parse().unwrap())
        }
        Err(_) => (0, 150),
    };
    for seed in first..first + count {
        let (shader, resources) = random::shader(seed);
        check(&shader, &resources, &options(8));
    }
}

#[test]
fn each_pass_may_be_switched_off() {
    for pass in crestline_ssa::passes::all_passes().filter(|p| p.name.starts_with("opt_")) {
        let mut options = options(8);
        options.disabled.insert(pass.name.to_owned());
        for seed in 1000..1004 {
            let (shader, resources) = random::shader(seed);
            check(&shader, &resources, &options);
        }
    }
}

#[test]
fn fuel_stops_optional_passes_after_any_change() {
    for seed in 7..12 {
        let (shader, resources) = random::shader(seed);
        let expected = run(&shader, &resources);
        let optimized = |fuel: Fuel| {
            let mut shader = shader.clone();
            let options = Options { fuel, ..options(8) };
            let mut passes = 0;
            let left = optimize(&mut shader, &options, &mut |name, _| {
                passes += u64::from(name.starts_with("opt_"));
            })
            .unwrap();
            (shader, left, passes)
        };
        let (whole, left, passes) = optimized(Fuel::new(u64::MAX));
        let total = left.used();
        assert!(total > 2 * passes && left.last_change().is_none(), "{total} changes, {passes}");
        let (unlimited, left, _) = optimized(Fuel::default());
        assert_eq!(left, Fuel::default());
        assert_eq!(unlimited.to_string(), whole.to_string(), "counting changes nothing else");
        let step = (total / 40).max(1);
        for fuel in (0..total).step_by(step as usize).chain([1, 2, total - 1, total]) {
            let (shader, left, passes) = optimized(Fuel::new(fuel));
            verify(&shader).unwrap_or_else(|e| panic!("fuel {fuel}: {e}\n{shader}"));
            assert_eq!((left.used(), left.is_empty()), (fuel, true));
            assert!(passes <= fuel && left.last_change().is_some() == (fuel > 0));
            assert!(run(&shader, &resources) == expected, "fuel {fuel}\n{shader}");
        }
    }
}

/// With little fuel, a pass makes as many changes as the fuel allows.
#[test]
fn a_unit_of_fuel_is_one_change() {
    let mut text =
        "compute \"t\" {\nlocal_size 1, 1, 1\nbinding b0: ssbo set 0 binding 0 \"out\"\n"
            .to_owned();
    text += "%0: 32 = const 1\n%1: 32 = sysval local_invocation_index\n";
    const COUNT: usize = 10;
    for at in 0..COUNT {
        let n = 2 + 4 * at;
        // A sum to fold, an expression equal to those of other iterations, an unused product, and a copy.
        text += &format!("%{n}: 32 = iadd %0, %0\n%{}: 32 = iadd %1, %{n}\n", n + 1);
        text += &format!("%{}: 32 = imul %1, %{}\n%{}: 32 = mov %1\n", n + 2, n + 1, n + 3);
        text += &format!("store ssbo b0, %{}, %{n}, align 4\n", n + 3);
    }
    let shader = parse(&(text + "return\n}")).expect("parses");
    type Run = fn(&mut Shader) -> bool;
    let passes: [(&str, Run, usize); 4] = [
        ("opt_constant_folding", passes::opt_constant_folding, COUNT),
        // Equal expressions: in each iteration but the first, four instructions are equal to those of the first.
        ("opt_cse", passes::opt_cse, 4 * (COUNT - 1)),
        ("opt_dce", passes::opt_dce, 2 * COUNT),
        ("opt_copy_propagation", passes::opt_copy_propagation, COUNT),
    ];
    for (name, pass, most) in passes {
        let mut before = shader.to_string();
        for fuel in 1..=most as u64 + 2 {
            let mut after = shader.clone();
            after.func.fuel = Fuel::new(fuel);
            assert!(pass(&mut after), "{name}");
            assert_eq!(after.func.fuel.used(), fuel.min(most as u64), "{name}");
            after.func.fuel = Fuel::default();
            verify(&after).unwrap_or_else(|e| panic!("{name}, fuel {fuel}: {e}\n{after}"));
            let now = after.to_string();
            assert_eq!(now == before, fuel > most as u64, "{name}, fuel {fuel}\n{now}");
            before = now;
        }
    }
}
