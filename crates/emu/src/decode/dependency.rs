//! Dependency control (`NoDDClr`, `NoDDChk`): groups of instructions that write parts of one register.
//!
//! An instruction that writes a register sets the register's dependency in the scoreboard. An instruction that uses the
//! register waits until the dependency is cleared. `NoDDClr` leaves the dependency set, and `NoDDChk` does not wait for
//! it. So in a group all writes but the last have `NoDDClr`, and all but the first have `NoDDChk` (PRM volume 4,
//! "Destination Dependency Control"). A write with `NoDDChk` outside a group is a race with earlier writes. An
//! instruction that waits for a dependency that no instruction clears hangs.
//!
//! The emulator executes in order, so neither error changes its results. It therefore checks groups when it loads a
//! program, within basic blocks, and reports an error when the instruction executes.

use crate::Problem;
use crate::plan::{Action, Plan, Prelude};
use crate::plan::{Destination, DestinationKind, Source, SourceKind};
use crestline_isa::Inst;
use std::collections::BTreeSet;

/// General registers, one bit each.
type Registers = u128;

/// Sets [`Plan::hazard`] in the instructions that break a rule.
pub(super) fn check<'a>(instructions: impl Iterator<Item = &'a Inst>, ops: &mut [Plan]) {
    let leaders = leaders(ops);
    // Registers whose dependency is still set because of `NoDDClr`.
    let mut open: Registers = 0;
    for (index, inst) in instructions.enumerate() {
        if leaders.contains(&index) {
            open = 0;
        }
        let plan = &mut ops[index];
        let (read, written) = (reads(plan), writes(plan));
        let unprotected = if inst.no_dd_check { written & !open } else { 0 };
        let endless = open & if inst.no_dd_check { read } else { read | written };
        let problem = match (first(unprotected), first(endless)) {
            (Some(register), _) => Some(Problem::UncheckedWrite { register }),
            (None, Some(register)) => Some(Problem::UnfinishedGroup { register }),
            (None, None) => None,
        };
        if let Some(problem) = problem {
            plan.hazard = Some(Box::new(problem));
            plan.prelude.add(Prelude::HAZARD);
        }
        if inst.no_dd_clear {
            open |= written;
        } else {
            open &= !written;
        }
    }
}

fn first(registers: Registers) -> Option<u8> {
    (registers != 0).then(|| registers.trailing_zeros() as u8)
}

/// The first instructions of basic blocks: targets of branches, and instructions after branches.
fn leaders(ops: &[Plan]) -> BTreeSet<usize> {
    let mut leaders = BTreeSet::new();
    for (here, plan) in ops.iter().enumerate() {
        if let Action::Branch(branch) = &plan.action {
            leaders.extend([branch.jip, branch.uip, here + 1]);
            leaders.extend(branch.wait_points(here));
        }
    }
    leaders
}

/// The general registers that contain any of the `bytes` bytes from `offset`.
fn range(offset: usize, bytes: usize) -> Registers {
    let registers = offset / 32..(offset + bytes).div_ceil(32).min(128);
    registers.fold(0, |set, register| set | 1 << register)
}

fn parts(plan: &Plan) -> &[Plan] {
    match &plan.action {
        Action::Halves(halves) => &halves[..],
        _ => std::slice::from_ref(plan),
    }
}

/// The general registers that a plan reads, except those of indirect operands.
fn reads(plan: &Plan) -> Registers {
    let send = match &plan.action {
        Action::Send(send) => {
            send.payloads().into_iter().fold(0, |set, (start, bytes)| set | range(start, bytes))
        }
        _ => 0,
    };
    let sources = parts(plan).iter().flat_map(|part| part.sources.iter().map(move |s| (part, s)));
    sources.fold(send, |set, (part, source)| set | source_registers(source, part.full))
}

/// The general registers that a plan writes, except those of indirect operands.
fn writes(plan: &Plan) -> Registers {
    let response = match &plan.action {
        Action::Send(send) => send.response_bytes().map_or(0, |(start, bytes)| range(start, bytes)),
        _ => 0,
    };
    parts(plan)
        .iter()
        .fold(response, |set, part| set | destination_registers(&part.destination, part.full))
}

/// The general registers that a source reads; none if it is indirect.
fn source_registers(source: &Source, channels: u32) -> Registers {
    let (lanes, size) = (channels.count_ones() as usize, source.ty.size() as usize);
    match &source.kind {
        SourceKind::Packed(offset) => range((*offset).into(), lanes * size),
        SourceKind::Scalar(offset) => range((*offset).into(), size),
        SourceKind::Strided(offsets) => {
            offsets[..lanes].iter().fold(0, |set, offset| set | range((*offset).into(), size))
        }
        SourceKind::Halves(halves) => {
            let count = lanes.div_ceil(8).min(2);
            halves[..count].iter().fold(0, |set, offset| set | range((*offset).into(), 32))
        }
        SourceKind::None
        | SourceKind::Immediate(_)
        | SourceKind::Vector(_)
        | SourceKind::Indirect(_) => 0,
    }
}

/// The general registers that a destination writes; none if it is indirect.
fn destination_registers(destination: &Destination, channels: u32) -> Registers {
    let (lanes, size) = (channels.count_ones() as usize, destination.ty.size() as usize);
    match &destination.kind {
        DestinationKind::Packed(offset) => range((*offset).into(), lanes * size),
        DestinationKind::Strided(offsets) | DestinationKind::Pairs(offsets) => {
            offsets[..lanes].iter().fold(0, |set, offset| set | range((*offset).into(), size))
        }
        DestinationKind::Null | DestinationKind::Indirect(_) => 0,
    }
}
