//! A walk over machine code with a model of an EU that runs one thread.
//!
//! The front end issues instructions in order. It waits until all registers that an instruction reads or writes are
//! available, is busy for the cycles of the issue, and then waits for the unit. Each instruction is simulated once, in the
//! order of the code, and counts as often as the loops around it run. (Source: section 2.1 of the performance model.)

use std::collections::BTreeMap;
use std::ops::Range;

use crestline_device::Device;
use crestline_isa::{Inst, ProgramError, decode_each};

use crate::cost::Cost;
use crate::flow::Flow;
use crate::reader::Reader;
use crate::registers::{Access, Latency, Slot};
use crate::sequences;
use crate::unit::PerUnit;

/// What the walk assumes about a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options<'a> {
    /// How often instructions run.
    pub trips: Trips<'a>,
    /// Channels of the thread; for [`Report::widened`], which otherwise counts all instructions as wide as they are.
    pub dispatch_width: Option<u8>,
    /// What counts as one instruction.
    pub counting: Counting,
}

/// What counts as one instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Counting {
    /// Each machine instruction.
    #[default]
    Machine,
    /// What Mesa 22.3's analysis counts: it sees the code before some instructions are replaced by sequences, and has a
    /// figure for the whole sequence. This is for comparisons with Mesa's own estimates of Mesa's code.
    Mesa,
}

/// How often instructions run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trips<'a> {
    /// Each loop runs `otherwise` times, except those whose number of trips is known, by the byte offset of the loop's
    /// first instruction.
    Loops {
        /// The known numbers.
        known: BTreeMap<usize, u64>,
        /// The assumed number.
        otherwise: u64,
    },
    /// The number of executions of each instruction, in the order of the code. Instructions beyond the end of the slice
    /// count as not executed.
    Measured(&'a [u64]),
}

impl Options<'_> {
    /// The number of trips of a loop that is assumed by default.
    pub const ASSUMED_TRIPS: u64 = 10;
}

impl Default for Options<'_> {
    fn default() -> Self {
        let trips = Trips::Loops { known: BTreeMap::new(), otherwise: Options::ASSUMED_TRIPS };
        Options { trips, dispatch_width: None, counting: Counting::Machine }
    }
}

/// What an instruction waited for before its issue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Only for the previous instruction to be issued.
    Order,
    /// For a register that this instruction (an index) writes or still reads.
    Register(usize),
    /// For a unit that this instruction (an index) occupied.
    Unit(usize),
}

/// The simulation of one instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Offset in the code, in bytes.
    pub offset: usize,
    /// The costs.
    pub cost: Cost,
    /// Cycles from the issue of the previous instruction to the issue of this one, waits included.
    pub cycles: u64,
    /// Of these, the cycles of waiting.
    pub wait: u64,
    /// What the instruction waited for longest.
    pub cause: Cause,
    /// How often the instruction runs.
    pub weight: u64,
}

/// A basic block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Indices of the instructions.
    pub insts: Range<usize>,
    /// Cycles of one run of the block.
    pub cycles: u64,
    /// Busy cycles of each unit in one run.
    pub busy: PerUnit<u64>,
    /// Cycles of the longest chain of dependent instructions in one run: the time that would remain with any number of
    /// units and front ends.
    pub chain: u64,
    /// How often the block runs: as often as its first instruction.
    pub weight: u64,
}

/// A loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// Indices of the instructions.
    pub insts: Range<usize>,
    /// Number of trips that the times contain; `None` if the executions are measured.
    pub trips: Option<u64>,
    /// Whether the number is assumed.
    pub assumed: bool,
}

/// The estimated times of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Cycles from the first to the last instruction of one thread.
    pub cycles: u64,
    /// Busy cycles of each unit.
    pub busy: PerUnit<u64>,
    /// Executed instructions and messages of each unit.
    pub counts: PerUnit<u64>,
    /// A lower bound of the busy cycles at twice the SIMD width: instructions for the thread's channels, all or some of
    /// them, take twice as long; others (addresses, headers, uniform values) take as long as now.
    pub widened: PerUnit<u64>,
    /// Cycles of the longest chains of dependent instructions, summed over the blocks.
    pub chain: u64,
    /// One step for each instruction.
    pub steps: Vec<Step>,
    /// The blocks, in order of the code.
    pub blocks: Vec<Block>,
    /// The loops, in order of their first instructions.
    pub loops: Vec<Loop>,
}

impl Report {
    /// The critical path: the indices of the instructions each of which delayed the next one, first to last. It ends with
    /// the last instruction.
    pub fn critical_path(&self) -> Vec<usize> {
        let mut path = Vec::new();
        let mut at = self.steps.len().checked_sub(1);
        while let Some(index) = at {
            path.push(index);
            at = match self.steps[index].cause {
                Cause::Order => index.checked_sub(1),
                Cause::Register(before) | Cause::Unit(before) => Some(before),
            };
        }
        path.reverse();
        path
    }

    /// Whether the times depend on an assumed number of trips.
    pub fn is_assumed(&self) -> bool {
        self.loops.iter().any(|found| found.assumed)
    }
}

/// When a resource is available.
#[derive(Clone, Copy, Debug)]
struct Ready {
    /// The cycle.
    at: u64,
    /// The instruction that occupies it until then.
    by: usize,
}

/// The state of the EU.
struct Machine {
    front: u64,
    /// When what was written to each slot is available.
    slots: [Option<Ready>; Slot::COUNT],
    /// When messages have read each slot as payload.
    payloads: [Option<Ready>; Slot::COUNT],
    /// Whether reads wait for messages that still read the same slot, as in Mesa's analysis.
    reads_wait: bool,
    units: PerUnit<Option<Ready>>,
}

/// The latest of a number of waits.
struct Wait {
    until: u64,
    cause: Cause,
}

impl Wait {
    fn add(&mut self, ready: Option<Ready>, cause: impl Fn(usize) -> Cause) {
        if let Some(ready) = ready
            && ready.at > self.until
        {
            (self.until, self.cause) = (ready.at, cause(ready.by));
        }
    }
}

impl Machine {
    /// Issues instruction `index`. Returns the cycles of waiting and the cause.
    fn issue(
        &mut self,
        index: usize,
        cost: &Cost,
        touched: &[(Slot, Access)],
        checks: bool,
    ) -> Wait {
        let before = self.front;
        let mut wait = Wait { until: before, cause: Cause::Order };
        for &(slot, access) in touched {
            if checks || access != Access::Write {
                wait.add(self.slots[slot.index()], Cause::Register);
                if access == Access::Write || self.reads_wait || slot.is_token() {
                    wait.add(self.payloads[slot.index()], Cause::Register);
                }
            }
        }
        let start = wait.until;
        let issued = start + u64::from(cost.issue);
        let mut front = issued;
        if let Some(unit) = cost.unit {
            let mut for_unit = Wait { until: issued, cause: wait.cause };
            for_unit.add(self.units[unit], Cause::Unit);
            // The longer of the two waits is the cause.
            if for_unit.until - issued > start - before {
                wait.cause = for_unit.cause;
            }
            front = for_unit.until;
            self.units[unit] = Some(Ready { at: front + u64::from(cost.busy), by: index });
        }
        for &(slot, access) in touched {
            let after = match (access, slot.latency()) {
                (Access::Read, _) => continue,
                (Access::Payload, _) => cost.read,
                (Access::Write, Latency::Result) => cost.result,
                (Access::Write, Latency::Accumulator) => cost.accumulator,
                (Access::Write, Latency::Flag) => cost.flag,
            };
            let at = front + u64::from(after);
            let slots = match access {
                Access::Payload => &mut self.payloads,
                Access::Read | Access::Write => &mut self.slots,
            };
            if slots[slot.index()].is_none_or(|ready| ready.at <= at) {
                slots[slot.index()] = Some(Ready { at, by: index });
            }
        }
        self.front = front;
        wait.until = (start - before) + (front - issued);
        wait
    }
}

/// The longest chains of dependent instructions in a block.
struct Chains {
    slots: [u64; Slot::COUNT],
    longest: u64,
}

impl Chains {
    fn new() -> Chains {
        Chains { slots: [0; Slot::COUNT], longest: 0 }
    }

    fn add(&mut self, cost: &Cost, touched: &[(Slot, Access)]) {
        // A write waits for earlier writes only by the limits of the scoreboard, so it does not lengthen a chain.
        let reads = touched.iter().filter(|(_, access)| *access != Access::Write);
        let start = reads.map(|(slot, _)| self.slots[slot.index()]).max().unwrap_or(0);
        let issued = start + u64::from(cost.issue);
        self.longest = self.longest.max(issued);
        for &(slot, access) in touched {
            if access == Access::Write {
                let after = match slot.latency() {
                    Latency::Result => cost.result,
                    Latency::Accumulator => cost.accumulator,
                    Latency::Flag => cost.flag,
                };
                self.slots[slot.index()] = issued + u64::from(after);
            }
        }
    }
}

/// Estimates the time of a program. `code` has the instructions with their byte offsets, in order of the code.
///
/// Offsets that are not ascending, and branch targets that are no instruction, are accepted; such a branch has no target.
pub fn walk<'i>(
    code: impl IntoIterator<Item = (usize, &'i Inst)>,
    device: &Device,
    options: &Options<'_>,
) -> Report {
    let (offsets, insts): (Vec<usize>, Vec<&Inst>) = code.into_iter().unzip();
    let flow = Flow::new(&insts, &offsets);
    let mut weights = weights(&flow, &offsets, &options.trips);
    for block in flow.blocks.iter().zip(&flow.dead).filter(|(_, dead)| **dead) {
        weights[block.0.clone()].fill(0);
    }
    let mut machine = Machine {
        front: 0,
        slots: [None; Slot::COUNT],
        payloads: [None; Slot::COUNT],
        reads_wait: options.counting == Counting::Mesa,
        units: PerUnit::default(),
    };
    let mut report = Report {
        cycles: 0,
        busy: PerUnit::default(),
        counts: PerUnit::default(),
        widened: PerUnit::default(),
        chain: 0,
        steps: Vec::with_capacity(insts.len()),
        blocks: Vec::with_capacity(flow.blocks.len()),
        loops: loops(&flow, &offsets, &options.trips),
    };
    let halved = match options.counting {
        Counting::Machine => 0..0,
        Counting::Mesa => sequences::halved(&insts, &flow, device),
    };
    let mut half_cycles = 0u128;
    let mut reader = Reader::new(&insts, device, options.counting);
    for range in flow.blocks {
        let mut chains = Chains::new();
        let mut block = Block {
            insts: range.clone(),
            cycles: 0,
            busy: PerUnit::default(),
            chain: 0,
            weight: weights.get(range.start).copied().unwrap_or(0),
        };
        for index in range {
            let (inst, weight) = (insts[index], weights[index]);
            let cost = match weight {
                0 => reader.skip(),
                _ => reader.next(&insts[index..block.insts.end]),
            };
            let before = machine.front;
            let wait = machine.issue(index, &cost, &reader.touched, !inst.no_dd_check);
            chains.add(&cost, &reader.touched);
            let cycles = machine.front - before;
            block.cycles += cycles;
            let halves = if halved.contains(&index) { 1 } else { 2 };
            half_cycles += u128::from(cycles.saturating_mul(weight)) * halves;
            if let Some(unit) = cost.unit {
                let busy = u64::from(cost.busy);
                block.busy[unit] += busy;
                let work = busy.saturating_mul(weight);
                report.busy[unit] = report.busy[unit].saturating_add(work);
                report.counts[unit] = report.counts[unit].saturating_add(weight);
                let grows = !inst.no_mask
                    || options.dispatch_width.is_none_or(|width| inst.exec_size >= width);
                let widened = if grows { work.saturating_mul(2) } else { work };
                report.widened[unit] = report.widened[unit].saturating_add(widened);
            }
            let (wait, cause) = (wait.until, wait.cause);
            report.steps.push(Step { offset: offsets[index], cost, cycles, wait, cause, weight });
        }
        block.chain = chains.longest;
        report.chain = report.chain.saturating_add(block.chain.saturating_mul(block.weight));
        report.blocks.push(block);
    }
    report.cycles = u64::try_from(half_cycles / 2).unwrap_or(u64::MAX);
    report
}

/// Estimates the time of machine code from byte `start` on.
///
/// # Errors
/// At the first instruction that does not decode.
pub fn walk_code(
    code: &[u8],
    start: usize,
    device: &Device,
    options: &Options<'_>,
) -> Result<Report, ProgramError> {
    let decoded: Vec<(usize, Inst)> = decode_each(code, start, device.generation())
        .map(|(range, inst)| Ok((range.start, inst?)))
        .collect::<Result<_, ProgramError>>()?;
    Ok(walk(decoded.iter().map(|(offset, inst)| (*offset, inst)), device, options))
}

/// How often each instruction runs.
fn weights(flow: &Flow, offsets: &[usize], trips: &Trips<'_>) -> Vec<u64> {
    match trips {
        Trips::Measured(counts) => {
            (0..offsets.len()).map(|index| counts.get(index).copied().unwrap_or(0)).collect()
        }
        Trips::Loops { .. } => {
            // Code can have as many loops around an instruction as it has instructions. So this is one pass over the code
            // that keeps the trips of the loops around the current instruction.
            let mut changes: Vec<(usize, bool, u64)> = Vec::new();
            for Loop { insts, trips, .. } in loops(flow, offsets, trips) {
                let trips = trips.unwrap_or(1);
                changes.extend([(insts.start, true, trips), (insts.end, false, trips)]);
            }
            changes.sort_unstable();
            let mut changes = changes.into_iter().peekable();
            let mut around: BTreeMap<u64, u32> = BTreeMap::new();
            let mut weight = 1;
            let weights = (0..offsets.len()).map(|index| {
                let mut changed = false;
                while let Some((_, starts, trips)) = changes.next_if(|change| change.0 == index) {
                    let count = around.entry(trips).or_default();
                    *count = if starts { *count + 1 } else { count.saturating_sub(1) };
                    if *count == 0 {
                        around.remove(&trips);
                    }
                    changed = true;
                }
                if changed {
                    weight = product(&around);
                }
                weight
            });
            weights.collect()
        }
    }
}

/// The product of numbers that each occur a number of times; saturates. Takes at most 64 steps, because each further
/// number of at least 2 doubles the product.
fn product(factors: &BTreeMap<u64, u32>) -> u64 {
    if factors.contains_key(&0) {
        return 0;
    }
    let mut product = 1u64;
    for (&factor, &count) in factors.range(2..) {
        product = product.saturating_mul(factor.saturating_pow(count));
        if product == u64::MAX {
            break;
        }
    }
    product
}

/// The loops with their numbers of trips.
fn loops(flow: &Flow, offsets: &[usize], trips: &Trips<'_>) -> Vec<Loop> {
    let of = |found: &crate::flow::CodeLoop| {
        let insts = found.body.clone();
        match trips {
            Trips::Measured(_) => Loop { insts, trips: None, assumed: false },
            Trips::Loops { known, otherwise } => {
                let known = known.get(&offsets[insts.start]).copied();
                let known = if found.repeats { known } else { Some(1) };
                Loop { insts, trips: Some(known.unwrap_or(*otherwise)), assumed: known.is_none() }
            }
        }
    };
    flow.loops.iter().map(of).collect()
}
