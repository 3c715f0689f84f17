//! `lower_scoreboard`: sets the software scoreboard field (SWSB) of each instruction. From gen12 on, the hardware
//! does not track registers in flight, so each instruction must state what it waits for.
//!
//! Arithmetic instructions finish in program order. An instruction can wait for the one `d` instructions back: `@d`.
//! Messages and extended math finish in any order. Each of them sets one of sixteen tokens, `$n`; it *owns* the
//! token. Later instructions wait until the owner has read its sources (`$n.src`) or written its destination
//! (`$n.dst`). Waits that do not fit in an instruction's own field go to `sync.nop` instructions before it. For
//! example:
//!
//! ```text
//! send g10, g4       {$0}
//! add  g20, g21, g22
//! mov  g30, g20      {@1}       reads the result of the add
//! mul  g31, g10, g11 {$0.dst}   reads the response of the send
//! ```
//!
//! The pass is a forward data flow analysis. For each register, the state has the smallest distance (number of
//! in-order instructions) since its last read and write, over all paths on which the thread can arrive. For each
//! token, it has the registers that its owner may still have to read or write. An instruction waits for all earlier
//! instructions that write a register which it reads, or that read or write a register which it writes, even where
//! the hardware might keep the order by itself. Only instructions that certainly go to the in-order pipe count in
//! distances. A distance that is too small is safe: it waits for a later instruction, and earlier ones are then done
//! too. On devices with several in-order pipes, an instruction waits for the last instruction of each pipe.
//!
//! The encodings are those of the field `SWSB` in `crestline_isa`. `docs/isa-notes.md` lists the decisions made here
//! that no judge confirms.

pub mod check;
#[cfg(test)]
mod tests;

use crestline_isa::{ArfKind, Opcode, Swsb, SwsbPipe, SwsbToken, SyncFn, TokenMode, Type};

use crate::analysis::accesses::{FLAG_COUNT, GRF_COUNT, SlotMap, accesses};
use crate::error::PassError;
use crate::ir::{BlockId, Cfg, Effect, File, Function, Inst, Op, Operand, Origin};
use crate::target::{Scoreboard, Target};

const PASS: &str = "lower_scoreboard";

/// Number of tokens of a thread.
const TOKENS: usize = 16;

/// The largest register distance that an instruction can state.
const FARTHEST: u8 = 7;

// Indices of registers that are neither general registers nor flags; general registers and flags have the indices of
// their slots.
const ACCUMULATOR: usize = GRF_COUNT + FLAG_COUNT;
const ADDRESS: usize = ACCUMULATOR + 1;
const OTHER: usize = ADDRESS + 1;
const COUNT: usize = OTHER + 1;

/// Sets the scoreboard field of every instruction.
///
/// # Errors
/// Broken control flow; an operation that should have been lowered; or an instruction at the start of a block that
/// must wait for more than its own field can state.
pub fn lower_scoreboard(function: &mut Function, target: &Target) -> Result<bool, PassError> {
    let Scoreboard::Software { several_pipes } = target.scoreboard else { return Ok(false) };
    let cfg = Cfg::new(function)?;
    let slots = SlotMap::new(function);
    let mut next = 0;
    let mut uses: Vec<Vec<Use>> = Vec::with_capacity(function.blocks.len());
    for block in &function.blocks {
        let list = block.insts.iter().map(|inst| Use::of(inst, &slots, &mut next));
        uses.push(list.collect::<Result<_, _>>()?);
    }
    let starts = starts(function, &cfg, &uses);
    for ((block, uses), start) in function.blocks.iter_mut().zip(&uses).zip(starts) {
        // A block without predecessors is not executed.
        let mut state = start.unwrap_or_default();
        let old = std::mem::take(&mut block.insts);
        for (mut inst, used) in old.into_iter().zip(uses) {
            let waits = state.step(used);
            let before = block.insts.len();
            write(&mut inst, used, &waits, several_pipes, &mut block.insts);
            if inst.op.starts_block() && block.insts.len() > before {
                let what = "the start of a block waits for more than it can say";
                return Err(PassError::Inst { pass: PASS, what, inst: inst.to_string() });
            }
            block.insts.push(inst);
        }
    }
    Ok(true)
}

/// How the hardware executes an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Execution {
    /// It does not: the operation makes no machine instruction.
    Nothing,
    /// Immediately: flow control.
    Control,
    /// In program order, in an arithmetic pipe.
    InOrder,
    /// Out of order, with this token.
    OutOfOrder(usize),
    /// As the message that ends the thread; no instruction waits for it.
    Last,
}

/// A set of registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Set([u64; COUNT.div_ceil(64)]);

impl Set {
    fn insert(&mut self, register: usize) {
        self.0[register / 64] |= 1 << (register % 64);
    }

    fn contains(&self, register: usize) -> bool {
        self.0[register / 64] >> (register % 64) & 1 == 1
    }

    fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    fn meets(&self, other: &Set) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }

    fn join(&mut self, other: &Set) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a |= b);
    }
}

/// The registers that an instruction accesses, and how it executes.
#[derive(Clone, Debug)]
struct Use {
    execution: Execution,
    reads: Set,
    writes: Set,
    /// Whether the instruction reads or writes the state register.
    state: bool,
    /// Whether the instruction must wait for all messages before it.
    fence: bool,
}

impl Use {
    /// Computes the accesses of an instruction and how it executes. Instructions that set a token get tokens 0 to 15
    /// in turn; `next` counts these instructions.
    fn of(inst: &Inst, slots: &SlotMap, next: &mut usize) -> Result<Use, PassError> {
        let mut token = || {
            *next += 1;
            Execution::OutOfOrder((*next - 1) % TOKENS)
        };
        let eot = inst.message.as_ref().is_some_and(|message| message.eot);
        let execution = match inst.op {
            Op::Do | Op::Undef => Execution::Nothing,
            Op::Send if eot => Execution::Last,
            Op::Send | Op::Math(_) | Op::Hw(Opcode::Dpas | Opcode::Dpasw) => token(),
            op if op.is_flow() => Execution::Control,
            Op::Sync(_) | Op::Hw(Opcode::Nop | Opcode::Wait) => Execution::Control,
            Op::Hw(_) | Op::Await => Execution::InOrder,
            _ => {
                let what = "the operation was not lowered";
                return Err(PassError::Inst { pass: PASS, what, inst: inst.to_string() });
            }
        };
        let (mut reads, mut writes) = (Set::default(), Set::default());
        let mut used = Use { execution, reads, writes, state: false, fence: false };
        if execution == Execution::Nothing {
            return Ok(used);
        }
        accesses(slots, inst, &mut |access| {
            if access.write { &mut writes } else { &mut reads }.insert(access.slot);
        });
        for operand in inst.srcs.iter().chain([&inst.dst]) {
            used.state |= operand.is_arf(ArfKind::State);
            if matches!(operand.file, File::Indirect { .. }) {
                reads.insert(ADDRESS);
            }
        }
        for src in &inst.srcs {
            special(src).into_iter().for_each(|register| reads.insert(register));
        }
        special(&inst.dst).into_iter().for_each(|register| writes.insert(register));
        if inst.reads_accumulator() {
            reads.insert(ACCUMULATOR);
        }
        if inst.writes_accumulator() || eot {
            writes.insert(ACCUMULATOR);
        }
        let orders = |message: &crate::ir::Message| message.effect == Effect::Barrier;
        used.fence = inst.message.as_deref().is_some_and(orders);
        Ok(Use { reads, writes, ..used })
    }
}

/// The index of an operand's register, if it is neither a general register nor a flag.
fn special(operand: &Operand) -> Option<usize> {
    match operand.file {
        File::Arf(ArfKind::Null | ArfKind::Flag) => None,
        File::Arf(ArfKind::Accumulator) => Some(ACCUMULATOR),
        File::Arf(ArfKind::Address) => Some(ADDRESS),
        File::Arf(_) => Some(OTHER),
        _ => None,
    }
}

/// Registers that the owner of a token may still access.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Owner {
    /// Whether the token may have an owner.
    active: bool,
    reads: Set,
    writes: Set,
}

/// Instructions that may still be in flight at a point of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
struct State {
    /// For each register, how many in-order instructions ago it was last read, but at least 1 and at most
    /// [`FARTHEST`]; over all paths, the smallest number. 0 if no in-order instruction in flight reads it.
    reads: [u8; COUNT],
    /// The same for writes.
    writes: [u8; COUNT],
    owners: [Owner; TOKENS],
    /// Whether the instruction before accesses the state register.
    state: bool,
}

impl Default for State {
    fn default() -> State {
        State {
            reads: [0; COUNT],
            writes: [0; COUNT],
            owners: [Owner::default(); TOKENS],
            state: false,
        }
    }
}

/// What an instruction waits for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Waits {
    /// The in-order instruction this many instructions back; 0 for none.
    distance: u8,
    /// For each token, the access of its owner that must be done.
    tokens: [Option<TokenMode>; TOKENS],
    /// Whether all owners of tokens must have written their destinations.
    all: bool,
}

impl Waits {
    /// Adds a wait for the in-order instruction `distance` instructions back. The smallest distance includes the
    /// others.
    fn back(&mut self, distance: u8) {
        if distance != 0 && (self.distance == 0 || distance < self.distance) {
            self.distance = distance;
        }
    }
}

impl State {
    /// Updates the state for an instruction and returns what the instruction waits for.
    fn step(&mut self, used: &Use) -> Waits {
        if used.execution == Execution::Nothing {
            return Waits::default();
        }
        let waits = self.waits(used);
        self.wait(&waits);
        self.state = used.state;
        match used.execution {
            Execution::InOrder => {
                for distance in self.reads.iter_mut().chain(&mut self.writes) {
                    *distance = if *distance == 0 { 0 } else { FARTHEST.min(*distance + 1) };
                }
                for register in 0..COUNT {
                    if used.reads.contains(register) {
                        self.reads[register] = 1;
                    }
                    if used.writes.contains(register) {
                        self.writes[register] = 1;
                    }
                }
            }
            Execution::OutOfOrder(token) => {
                let (reads, writes) = (used.reads, used.writes);
                self.owners[token] = Owner { active: true, reads, writes };
            }
            Execution::Nothing | Execution::Control | Execution::Last => {}
        }
        waits
    }

    /// What an instruction must wait for in this state: the nearest in-order instruction on which it depends, and for
    /// each token, whether the owner must have read its sources or written its destination.
    fn waits(&self, used: &Use) -> Waits {
        let mut waits = Waits::default();
        for register in 0..COUNT {
            let (reads, writes) = (used.reads.contains(register), used.writes.contains(register));
            if reads || writes {
                waits.back(self.writes[register]);
            }
            if writes {
                waits.back(self.reads[register]);
            }
        }
        if used.state || self.state {
            waits.back(1);
        }
        for (token, owner) in self.owners.iter().enumerate() {
            let taken = used.execution == Execution::OutOfOrder(token) && owner.active;
            // After the thread ends, its registers belong to another thread, so no message may write to them later.
            let left = used.execution == Execution::Last && !owner.writes.is_empty();
            let written = owner.writes.meets(&used.reads) || owner.writes.meets(&used.writes);
            waits.tokens[token] = if taken || left || written {
                Some(TokenMode::Dst)
            } else {
                owner.reads.meets(&used.writes).then_some(TokenMode::Src)
            };
            waits.all |= used.fence && used.execution != Execution::Last && owner.active;
        }
        if waits.all {
            waits.tokens = Default::default();
        }
        waits
    }

    /// Removes from the state everything that is done after a wait.
    fn wait(&mut self, waits: &Waits) {
        if waits.distance != 0 {
            for distance in self.reads.iter_mut().chain(&mut self.writes) {
                if *distance >= waits.distance {
                    *distance = 0;
                }
            }
        }
        for (owner, mode) in self.owners.iter_mut().zip(waits.tokens) {
            match mode {
                Some(TokenMode::Src) => owner.reads = Set::default(),
                Some(_) => *owner = Owner::default(),
                None if waits.all => *owner = Owner::default(),
                None => {}
            }
        }
    }

    /// Merges the state of another path into this one; returns whether the state changed.
    fn join(&mut self, other: &State) -> bool {
        let before = self.clone();
        let nearer = |a: &mut u8, b: &u8| {
            if *b != 0 && (*a == 0 || *b < *a) {
                *a = *b;
            }
        };
        self.reads.iter_mut().zip(&other.reads).for_each(|(a, b)| nearer(a, b));
        self.writes.iter_mut().zip(&other.writes).for_each(|(a, b)| nearer(a, b));
        for (a, b) in self.owners.iter_mut().zip(&other.owners) {
            a.active |= b.active;
            a.reads.join(&b.reads);
            a.writes.join(&b.writes);
        }
        self.state |= other.state;
        *self != before
    }
}

/// The state at the start of each block; `None` for blocks that are not reachable. Propagates states along all edges
/// until nothing changes.
fn starts(function: &Function, cfg: &Cfg, uses: &[Vec<Use>]) -> Vec<Option<State>> {
    let mut starts: Vec<Option<State>> = vec![None; function.blocks.len()];
    if let Some(entry) = starts.first_mut() {
        *entry = Some(State::default());
    }
    let mut again = true;
    while again {
        again = false;
        for block in 0..function.blocks.len() {
            let Some(mut state) = starts[block].clone() else { continue };
            uses[block].iter().for_each(|used| _ = state.step(used));
            let mut go = |to: usize| match &mut starts[to] {
                Some(start) => again |= start.join(&state),
                none => {
                    *none = Some(state.clone());
                    again = true;
                }
            };
            let succs = cfg.succs(BlockId(block as u32));
            succs.iter().for_each(|edge| go(edge.to.index()));
            // If no channel remains enabled, the thread jumps forward, possibly to any later block where channels may
            // be waiting.
            if leaves(function, block) {
                (block + 1..function.blocks.len())
                    .filter(|&to| is_meeting(function, to))
                    .for_each(go);
            }
        }
    }
    starts
}

/// Whether a block ends with an instruction with which channels leave a loop or the program.
fn leaves(function: &Function, block: usize) -> bool {
    let last = function.blocks[block].insts.last().map(|inst| inst.op);
    matches!(last, Some(Op::Hw(Opcode::Break | Opcode::Cont | Opcode::Halt)))
}

/// Whether channels may wait at the start of a block while others run elsewhere.
fn is_meeting(function: &Function, block: usize) -> bool {
    let first = function.blocks[block].insts.first().map(|inst| inst.op);
    let before = block.checked_sub(1).and_then(|before| function.blocks[before].insts.last());
    matches!(first, Some(Op::HaltTarget | Op::Hw(Opcode::EndIf | Opcode::While)))
        || matches!(before.map(|inst| inst.op), Some(Op::Hw(Opcode::Else | Opcode::While)))
}

/// Sets the instruction's scoreboard field from its waits, and appends the waits that do not fit to `before`, as
/// `sync` instructions.
fn write(inst: &mut Inst, used: &Use, waits: &Waits, several_pipes: bool, before: &mut Vec<Inst>) {
    let unordered = matches!(used.execution, Execution::OutOfOrder(_) | Execution::Last);
    let mut own = Swsb::default();
    if let Execution::OutOfOrder(token) = used.execution {
        own.token = Some(SwsbToken { mode: TokenMode::Set, id: token as u8 });
    }
    if waits.all {
        before.push(sync(SyncFn::AllWr, Swsb::default()));
    }
    for (id, mode) in (0u8..).zip(waits.tokens) {
        let Some(mode) = mode else { continue };
        let token = Some(SwsbToken { mode, id });
        // In combination with a distance, the kind of instruction decides what the token means.
        let combines =
            waits.distance == 0 || mode == TokenMode::Dst && !unordered && !several_pipes;
        if own.token.is_none() && combines {
            own.token = token;
        } else {
            before.push(sync(SyncFn::Nop, Swsb { token, ..Swsb::default() }));
        }
    }
    match (waits.distance, own.token) {
        (0, _) => {}
        (distance, _) if !several_pipes => own.distance = distance,
        (_, None) => (own.distance, own.pipe) = (1, SwsbPipe::All),
        // In combination with the token of a message, a distance refers to all pipes.
        (_, Some(_)) if inst.op == Op::Send => own.distance = 1,
        _ => before.push(sync(SyncFn::Nop, Swsb { distance: 1, pipe: SwsbPipe::All, token: None })),
    }
    inst.swsb = own;
}

fn sync(function: SyncFn, swsb: Swsb) -> Inst {
    let null = Operand::null(Type::Ud);
    Inst { swsb, origin: Origin::Hazard, ..Inst::new(Op::Sync(function), 1, null, &[null]) }
}
