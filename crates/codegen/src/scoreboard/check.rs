//! An independent check that the instructions of a program with a software scoreboard wait for everything that they
//! must. It checks the result of [`lower_scoreboard`](super::lower_scoreboard).
//!
//! The checker follows the thread on all paths. For each instruction that may be in flight, it tracks which bytes the
//! instruction has yet to read and write, the smallest number of in-order instructions since then, and its token. A
//! wait removes instructions from this set. An instruction that then accesses bytes of one that remains is an error.
//! The bytes come from the model of the allocation checker, and the paths from the flow instructions themselves; no
//! code is shared with the pass.

use std::collections::BTreeMap;
use std::ops::Range;

use crestline_isa::{ArfKind, Opcode, SwsbPipe, SyncFn, TokenMode};

use crate::ir::{Effect, File, Flag, Function, GRF_BYTES, Inst, Op, Operand};
use crate::regalloc::check::model;
use crate::target::{MAX_REGISTERS, Scoreboard, Target};

/// An instruction that does not wait for a result or read on which it depends.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("block {block}, instruction {index}: {what}: {inst}")]
pub struct ScoreboardError {
    /// Index of the block.
    pub block: usize,
    /// Index in the block.
    pub index: usize,
    /// What is wrong.
    pub what: String,
    /// The instruction as printed.
    pub inst: String,
}

// Byte numbers of registers that are not general ones.
const FLAGS: u32 = MAX_REGISTERS * GRF_BYTES;
const ACCUMULATORS: Range<u32> = FLAGS + 8..FLAGS + 9;
const ADDRESSES: Range<u32> = FLAGS + 9..FLAGS + 10;
const OTHERS: Range<u32> = FLAGS + 10..FLAGS + 11;

/// The bytes that an instruction accesses.
#[derive(Default)]
struct Footprint {
    reads: Vec<Range<u32>>,
    writes: Vec<Range<u32>>,
    state: bool,
}

impl Footprint {
    /// The accesses of an instruction, from the model of the allocation checker.
    fn of(inst: &Inst) -> Result<Footprint, &'static str> {
        let mut all = Footprint::default();
        if matches!(inst.op, Op::Do | Op::Undef | Op::Sync(_)) {
            return Ok(all);
        }
        for (index, src) in inst.srcs.iter().enumerate() {
            all.reads.extend(places(src, &model::reads(inst, index)?));
            all.reads.extend(address(src));
            all.state |= src.is_arf(ArfKind::State);
        }
        all.writes.extend(places(&inst.dst, &model::writes(inst)?));
        all.reads.extend(address(&inst.dst));
        all.state |= inst.dst.is_arf(ArfKind::State);
        if let Flag::Fixed(sub) = inst.flag {
            let start = FLAGS + 2 * u32::from(sub) + u32::from(inst.group) / 8;
            let channels = u32::from(inst.group % 8) + u32::from(inst.exec_size);
            let flag = start..start + channels.div_ceil(8);
            if inst.reads_flag() {
                all.reads.push(flag.clone());
            }
            if inst.writes_flag() {
                all.writes.push(flag);
            }
        }
        let ends = inst.message.as_ref().is_some_and(|message| message.eot);
        if inst.reads_accumulator() {
            all.reads.push(ACCUMULATORS);
        }
        if inst.writes_accumulator() || ends {
            all.writes.push(ACCUMULATORS);
        }
        Ok(all)
    }
}

/// The byte numbers of an operand's ranges, which are counted from its start.
fn places(operand: &Operand, runs: &[Range<u32>]) -> Vec<Range<u32>> {
    let moved = |base: u32| {
        let start = base + operand.offset;
        runs.iter().map(move |run| start + run.start..start + run.end)
    };
    match operand.file {
        File::Grf => moved(0).collect(),
        File::Indirect { .. } => std::iter::once(0..FLAGS).collect(),
        File::Arf(ArfKind::Flag) => moved(FLAGS).collect(),
        File::Arf(ArfKind::Null) | File::Null | File::Imm(_) => Vec::new(),
        File::Arf(ArfKind::Accumulator) => vec![ACCUMULATORS],
        File::Arf(ArfKind::Address) => vec![ADDRESSES],
        File::Arf(_) => vec![OTHERS],
        File::Vgrf(_) | File::Uniform => Vec::new(),
    }
}

/// The address register, if an operand is indirect.
fn address(operand: &Operand) -> Option<Range<u32>> {
    matches!(operand.file, File::Indirect { .. }).then_some(ADDRESSES)
}

fn overlap(a: &[Range<u32>], b: &[Range<u32>]) -> bool {
    a.iter().any(|a| b.iter().any(|b| a.start < b.end && b.start < a.end))
}

/// An instruction in flight: what it may still have to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Flight {
    /// For an in-order instruction, the number of in-order instructions since, itself included; for others, the
    /// token.
    since: Result<u32, u8>,
    reads: bool,
    writes: bool,
}

/// Instructions in flight, by block and index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Flights {
    all: BTreeMap<(usize, usize), Flight>,
    /// Whether the instruction before accesses the state register.
    state: bool,
}

/// A number of instructions beyond the reach of any wait, at which counting stops.
const FAR: u32 = 100;

struct Checker<'a> {
    function: &'a Function,
    footprints: Vec<Vec<Footprint>>,
    several_pipes: bool,
}

/// Checks that every instruction of a program on physical registers waits for everything that it must. Propagates the
/// instructions in flight along all paths until nothing changes.
///
/// # Errors
/// The first instruction that does not wait although it must. On a target with a hardware scoreboard there is no
/// error.
pub fn check(function: &Function, target: &Target) -> Result<(), ScoreboardError> {
    let Scoreboard::Software { several_pipes } = target.scoreboard else { return Ok(()) };
    let mut footprints = Vec::new();
    for (block, b) in function.blocks.iter().enumerate() {
        let mut list = Vec::new();
        for (index, inst) in b.insts.iter().enumerate() {
            let failed = |what: &str| fail(function, block, index, what.into());
            list.push(Footprint::of(inst).map_err(failed)?);
        }
        footprints.push(list);
    }
    let checker = Checker { function, footprints, several_pipes };
    let ways = ways(function);
    let mut starts: Vec<Option<Flights>> = vec![None; function.blocks.len()];
    let mut open = vec![0];
    if let Some(entry) = starts.first_mut() {
        *entry = Some(Flights::default());
    } else {
        return Ok(());
    }
    while let Some(block) = open.pop() {
        let Some(mut flights) = starts[block].clone() else { continue };
        for index in 0..function.blocks[block].insts.len() {
            checker.step(&mut flights, block, index)?;
        }
        for &to in &ways[block] {
            let more = match &mut starts[to] {
                Some(start) => join(start, &flights),
                none => {
                    *none = Some(flights.clone());
                    true
                }
            };
            if more {
                open.push(to);
            }
        }
    }
    Ok(())
}

fn fail(function: &Function, block: usize, index: usize, what: String) -> ScoreboardError {
    let inst = function.blocks[block].insts[index].to_string();
    ScoreboardError { block, index, what, inst }
}

/// Adds the instructions that may be in flight on another path; returns whether anything changed.
fn join(start: &mut Flights, other: &Flights) -> bool {
    let before = start.clone();
    start.state |= other.state;
    for (place, flight) in &other.all {
        let known = start.all.entry(*place).or_insert(*flight);
        known.reads |= flight.reads;
        known.writes |= flight.writes;
        if let (Ok(known), Ok(since)) = (&mut known.since, flight.since) {
            *known = since.min(*known);
        }
    }
    *start != before
}

/// For each block, the blocks to which the thread can go from it, according to the flow instructions (PRM, "if",
/// "else", "break").
fn ways(function: &Function) -> Vec<Vec<usize>> {
    let count = function.blocks.len();
    let mut ways: Vec<Vec<usize>> = (0..count)
        .map(|block| if block + 1 < count { vec![block + 1] } else { Vec::new() })
        .collect();
    // Blocks where channels may be waiting: the thread goes there when no channel is enabled.
    let mut waiting = Vec::new();
    let (mut ifs, mut loops): (Vec<Vec<usize>>, Vec<usize>) = (Vec::new(), Vec::new());
    for (block, b) in function.blocks.iter().enumerate() {
        match b.insts.first().map(|inst| inst.op) {
            Some(Op::Do) => loops.push(block),
            Some(Op::Hw(Opcode::EndIf)) => {
                for from in ifs.pop().unwrap_or_default() {
                    ways[from].push(block);
                }
                waiting.push(block);
            }
            Some(Op::HaltTarget | Op::Hw(Opcode::While)) => waiting.push(block),
            _ => {}
        }
        match b.insts.last().map(|inst| inst.op) {
            Some(Op::Hw(Opcode::If)) => ifs.push(vec![block]),
            Some(Op::Hw(Opcode::Else)) => {
                if let Some(open) = ifs.last_mut() {
                    for from in std::mem::replace(open, vec![block]) {
                        ways[from].push(block + 1);
                    }
                }
                waiting.push(block + 1);
            }
            Some(Op::Hw(Opcode::While)) => {
                ways[block].extend(loops.pop());
                waiting.push(block + 1);
            }
            _ => {}
        }
    }
    for (block, b) in function.blocks.iter().enumerate() {
        let last = b.insts.last().map(|inst| inst.op);
        if let Some(Op::Hw(Opcode::Break | Opcode::Cont | Opcode::Halt)) = last {
            ways[block].extend(waiting.iter().filter(|to| **to > block && **to < count));
        }
    }
    ways
}

impl Checker<'_> {
    /// Checks one instruction: removes what it waits for, compares its accesses with those of the instructions still
    /// in flight, and adds it to them.
    fn step(
        &self,
        flights: &mut Flights,
        block: usize,
        index: usize,
    ) -> Result<(), ScoreboardError> {
        let inst = &self.function.blocks[block].insts[index];
        let now = &self.footprints[block][index];
        let failed = |what: String| Err(fail(self.function, block, index, what));
        if matches!(inst.op, Op::Do | Op::Undef) {
            return Ok(());
        }
        self.wait(flights, inst).or_else(|what| failed(what.into()))?;
        let ends = inst.message.as_ref().is_some_and(|message| message.eot);
        let orders = |message: &crate::ir::Message| message.effect == Effect::Barrier;
        let fences = !ends && inst.message.as_deref().is_some_and(orders);
        for (&(b, i), flight) in &flights.all {
            let before = &self.footprints[b][i];
            let reads = flight.writes && overlap(&before.writes, &now.reads);
            let overwrites = flight.writes && overlap(&before.writes, &now.writes)
                || flight.reads && overlap(&before.reads, &now.writes);
            let unordered = flight.since.is_err();
            let lost = ends && unordered && flight.writes && !before.writes.is_empty();
            let state = (now.state || flights.state) && !unordered;
            if reads || overwrites || lost || fences && unordered || state {
                let other = &self.function.blocks[b].insts[i];
                return failed(format!("does not wait for instruction {i} of block {b}, {other}"));
            }
        }
        flights.state = now.state;
        let takes = matches!(inst.op, Op::Send | Op::Math(_)) && !ends;
        let set = inst.swsb.token.filter(|token| token.mode == TokenMode::Set);
        let since = match (takes, set) {
            (true, Some(token)) => {
                if flights.all.values().any(|flight| flight.since == Err(token.id)) {
                    return failed("takes a token that has an owner".into());
                }
                Err(token.id)
            }
            (true, None) => return failed("takes no token".into()),
            (false, Some(_)) => return failed("cannot take a token".into()),
            (false, None) if ends || inst.op.is_flow() => return Ok(()),
            (false, None) => match inst.op {
                Op::Sync(_) | Op::Hw(Opcode::Nop | Opcode::Wait) => return Ok(()),
                _ => Ok(1),
            },
        };
        if since.is_ok() {
            for flight in flights.all.values_mut() {
                flight.since = flight.since.map(|since| FAR.min(since + 1));
            }
        }
        flights.all.insert((block, index), Flight { since, reads: true, writes: true });
        Ok(())
    }

    /// Removes the instructions that `inst` waits for.
    fn wait(&self, flights: &mut Flights, inst: &Inst) -> Result<(), &'static str> {
        let swsb = inst.swsb;
        let mut distance = u32::from(swsb.distance);
        if distance > 0 && self.several_pipes {
            // The checker does not track pipes, so it accepts only waits for the last instruction of all pipes.
            let all = swsb.pipe == SwsbPipe::All || inst.op == Op::Send && swsb.token.is_some();
            if distance > 1 || !all {
                return Err("waits in one of several pipes");
            }
            distance = 1;
        }
        if distance > 0 {
            flights.all.retain(|_, flight| {
                flight.since.is_ok_and(|since| since < distance) || flight.since.is_err()
            });
        }
        let (mut read, mut written): (u32, u32) = (0, 0);
        match swsb.token {
            Some(token) if token.mode == TokenMode::Src => read = 1 << token.id,
            Some(token) if token.mode == TokenMode::Dst => written = 1 << token.id,
            _ => {}
        }
        match inst.op {
            Op::Sync(SyncFn::AllRd) => read = u32::MAX,
            Op::Sync(SyncFn::AllWr) => written = u32::MAX,
            _ => {}
        }
        let named = |flight: &Flight, mask: u32| flight.since.is_err_and(|id| mask >> id & 1 == 1);
        flights.all.retain(|_, flight| !named(flight, written));
        for flight in flights.all.values_mut().filter(|flight| named(flight, read)) {
            flight.reads = false;
        }
        Ok(())
    }
}
