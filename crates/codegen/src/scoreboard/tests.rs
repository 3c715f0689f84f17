//! Tests of the pass and its checker: random programs pass, and a missing wait or token is an error.

use crestline_device::Platform;
use crestline_isa::{MathFn, Swsb, SwsbToken, TokenMode, Type};

use super::check::check;
use super::lower_scoreboard;
use crate::ir::{Function, Inst, Op, Operand};
use crate::regalloc::tests::{numbers, random};
use crate::regalloc::{Options, allocate};
use crate::target::Target;

fn target() -> Target {
    Target::of(Platform::Tgl)
}

/// An allocated program of random straight-line and nested code, with extended math, which executes out of order, and
/// with messages for spilled registers.
fn program(seed: u64) -> Function {
    let values = [5, 20, 60, 120][(seed % 4) as usize];
    let width = [8, 16][(seed % 2) as usize];
    let options = Options { may_spill: true, check: true, ..Default::default() };
    let allocated = allocate(&random(seed, width, values, 120), &target(), options);
    let mut function = allocated.expect("the program can be allocated").function;
    let mut next = numbers(seed);
    for block in &mut function.blocks {
        let mut insts = Vec::new();
        for inst in std::mem::take(&mut block.insts) {
            let flow = inst.op.is_flow() || inst.op.starts_block() || inst.op == Op::Do;
            if !flow && next(4) == 0 {
                let [dst, src] = [(); 2].map(|()| Operand::grf(next(120) as u32, Type::F));
                insts.push(Inst::new(Op::Math(MathFn::Inv), 8, dst, &[src]));
            }
            insts.push(inst);
        }
        block.insts = insts;
    }
    function
}

fn lowered(seed: u64) -> Function {
    let mut function = program(seed);
    lower_scoreboard(&mut function, &target()).expect("every wait can be written");
    function
}

#[test]
fn random_programs_wait_for_all_that_they_must() {
    for seed in 0..80 {
        let function = lowered(seed);
        check(&function, &target()).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    }
}

#[test]
fn a_program_without_waits_is_refused() {
    for seed in 0..20 {
        check(&program(seed), &target()).expect_err("nothing takes a token or waits");
    }
}

/// Damages each wait and each token of random programs, one at a time.
#[test]
fn a_damaged_wait_is_refused() {
    let (mut faults, mut refused) = (0, 0);
    for seed in 0..12 {
        let function = lowered(seed);
        let mut next = numbers(seed);
        for block in 0..function.blocks.len() {
            for index in 0..function.blocks[block].insts.len() {
                let swsb = function.blocks[block].insts[index].swsb;
                let mut damaged = Vec::new();
                if swsb.distance > 0 {
                    damaged.push(Swsb { distance: 0, ..swsb });
                    damaged.push(Swsb { distance: swsb.distance + 1, ..swsb });
                }
                if let Some(token) = swsb.token {
                    damaged.push(Swsb { token: None, ..swsb });
                    if token.mode == TokenMode::Dst {
                        let id = (token.id + 1 + next(15) as u8) % 16;
                        let other = SwsbToken { id, ..token };
                        damaged.push(Swsb { token: Some(other), ..swsb });
                    }
                }
                for swsb in damaged {
                    let mut function = function.clone();
                    function.blocks[block].insts[index].swsb = swsb;
                    faults += 1;
                    refused += usize::from(check(&function, &target()).is_err());
                }
            }
        }
    }
    assert!(faults > 1000, "{faults}");
    assert!(refused * 100 >= faults * 95, "{refused} of {faults}");
}

#[test]
fn waits_and_tokens_have_a_text() {
    for seed in 0..8 {
        let text = lowered(seed).to_string();
        let read = crate::ir::parse(&text).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        assert_eq!(read.to_string(), text, "seed {seed}");
        assert!(text.contains(".dst") && text.contains('@'), "seed {seed}");
    }
}
