//! Whatever the list of passes does, a shader computes what it did: on the interpreter's cases and on random shaders,
//! compared after every pass that changed something.

mod random;

use std::collections::BTreeMap;

use crestline_ssa::interp::{self, BufferKey, Resources};
use crestline_ssa::ir::{AluOp, Shader};
use crestline_ssa::passes::{LowerOptions, Options, SystemValues, optimize};
use crestline_ssa::verify::verify;

const GRID: [u32; 3] = [2, 1, 1];

fn options(subgroup_size: u32) -> Options {
    let lacks = [
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
        dwords: true,
        system_values,
        lacks: lacks.into(),
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

/// Optimises `shader`, running it before and after each pass.
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
    });
    let mut seen = false;
    optimize(&mut shader.clone(), options, &mut |name, after| {
        // Running the whole list again may find a little, but must not go wrong.
        seen = true;
        verify(after).unwrap_or_else(|e| panic!("again, after {name}: {e}\n{after}"));
        assert!(run(after, resources) == expected, "{name} again:\n{shader}\nbecame\n{after}");
    });
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
fn fuel_stops_optional_passes_only() {
    let (shader, resources) = random::shader(7);
    let expected = run(&shader, &resources);
    for fuel in [0, 1, 5, 20, 60] {
        let mut shader = shader.clone();
        let options = Options { fuel: Some(fuel), ..options(8) };
        let mut optional = 0;
        optimize(&mut shader, &options, &mut |name, _| {
            optional += u64::from(name.starts_with("opt_"));
        });
        assert!(optional <= fuel);
        assert!(run(&shader, &resources) == expected, "fuel {fuel}\n{shader}");
    }
}
