//! What must stay before what inside a block.
//!
//! Resources: slots of registers and flags (see `liveness`), the accumulator, the address
//! register, other architecture registers as one, and each memory. A read waits for the last
//! write, a write for the last write and all reads since. Operations that end a block or thread
//! stay last, those that start one first.

use crestline_isa::{ArfKind, Opcode};

use smallvec::SmallVec;

use super::latency;
use crate::ir::{Effect, Inst, Op, Space};
use crate::regalloc::accesses::{Accesses, SlotMap};

/// An edge to a later instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    /// Index of the later instruction.
    pub(super) to: u32,
    /// Cycles from issue to issue.
    pub(super) latency: u32,
}

/// Dependencies of a block's instructions.
pub(super) struct Dag {
    /// Edges out of each instruction.
    pub(super) succs: Vec<SmallVec<[Edge; 3]>>,
    /// Number of edges into each instruction.
    pub(super) preds: Vec<u32>,
    /// Longest way to the block's end, in cycles.
    pub(super) height: Vec<u32>,
}

/// Resources that are no slots.
const ACCUMULATOR: usize = 0;
const ADDRESS: usize = 1;
const CONTROL: usize = 2;
const FIRST_SPACE: usize = 3;
const EXTRA: usize = FIRST_SPACE + 5;

#[derive(Clone, Default)]
struct Resource {
    writer: Option<u32>,
    readers: SmallVec<[u32; 4]>,
}

/// State that is reused from block to block.
pub(super) struct DagBuilder<'a> {
    slots: &'a SlotMap,
    resources: Vec<Resource>,
    touched: Vec<usize>,
}

fn space_index(space: Space) -> usize {
    FIRST_SPACE
        + match space {
            Space::None => 0,
            Space::Global => 1,
            Space::Shared => 2,
            Space::Scratch => 3,
            Space::Urb => 4,
        }
}

impl<'a> DagBuilder<'a> {
    pub(super) fn new(slots: &'a SlotMap) -> DagBuilder<'a> {
        let resources = vec![Resource::default(); slots.count() + EXTRA];
        DagBuilder { slots, resources, touched: Vec::new() }
    }

    /// The dependencies of a block, whose first instruction is number `first` of the function.
    pub(super) fn build(&mut self, insts: &[Inst], accesses: &Accesses, first: usize) -> Dag {
        let mut dag = Dag {
            succs: vec![SmallVec::new(); insts.len()],
            preds: vec![0; insts.len()],
            height: vec![0; insts.len()],
        };
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        for (index, inst) in insts.iter().enumerate() {
            let at = index as u32;
            for access in accesses.of(first + index) {
                if access.write { &mut writes } else { &mut reads }.push(access.slot);
            }
            self.extra(inst, &mut reads, &mut writes);
            for slot in reads.drain(..) {
                self.read(&mut dag, insts, at, slot);
            }
            for slot in writes.drain(..) {
                self.write(&mut dag, insts, at, slot);
            }
            if is_last(inst) {
                for before in 0..at {
                    add(&mut dag, before, at, 0);
                }
            }
        }
        if insts.first().is_some_and(|inst| inst.op.starts_block()) {
            for after in 1..insts.len() as u32 {
                add(&mut dag, 0, after, 0);
            }
        }
        for resource in self.touched.drain(..) {
            let state = &mut self.resources[resource];
            state.writer = None;
            state.readers.clear();
        }
        for index in (0..insts.len()).rev() {
            let longest = dag.succs[index]
                .iter()
                .map(|edge| dag.height[edge.to as usize] + edge.latency)
                .max();
            dag.height[index] = longest.unwrap_or(0).max(latency::issue_time(&insts[index]));
        }
        dag
    }

    fn extra(&self, inst: &Inst, reads: &mut Vec<usize>, writes: &mut Vec<usize>) {
        let base = self.slots.count();
        if inst.reads_accumulator() {
            reads.push(base + ACCUMULATOR);
        }
        if inst.writes_accumulator() {
            writes.push(base + ACCUMULATOR);
        }
        let indirect = matches!(inst.op, Op::MovIndirect | Op::MovIndirectDst);
        for (operand, write) in inst.srcs.iter().map(|s| (s, false)).chain([(&inst.dst, true)]) {
            let resource = match operand.file {
                crate::ir::File::Indirect { .. } => {
                    reads.push(base + ADDRESS);
                    continue;
                }
                crate::ir::File::Arf(ArfKind::Address) => ADDRESS,
                crate::ir::File::Arf(ArfKind::Accumulator | ArfKind::Flag | ArfKind::Null) => {
                    continue;
                }
                // Channel enables and state change with control flow only, but whatever writes
                // control registers stays in order with all that looks at them.
                crate::ir::File::Arf(_) => CONTROL,
                _ => continue,
            };
            if write { &mut *writes } else { &mut *reads }.push(base + resource);
        }
        // Indirect moves set the address register up themselves.
        if indirect || matches!(inst.op, Op::Shuffle | Op::Broadcast) {
            writes.push(base + ADDRESS);
        }
        let barrier =
            matches!(inst.op, Op::Await | Op::Hw(Opcode::Wait | Opcode::Sync | Opcode::Nop));
        let spaces = [Space::None, Space::Global, Space::Shared, Space::Scratch, Space::Urb];
        match inst.message.as_ref().map(|m| (m.effect, m.space)) {
            Some((Effect::Pure, _)) => {}
            Some((Effect::Read, space)) => reads.push(base + space_index(space)),
            Some((Effect::Write, space)) => writes.push(base + space_index(space)),
            Some((Effect::Barrier, _)) => {
                writes.extend(spaces.map(|space| base + space_index(space)));
            }
            None if barrier => writes.extend(spaces.map(|space| base + space_index(space))),
            None => {}
        }
    }

    fn read(&mut self, dag: &mut Dag, insts: &[Inst], at: u32, resource: usize) {
        let state = &mut self.resources[resource];
        if let Some(writer) = state.writer {
            add(dag, writer, at, latency::result_latency(&insts[writer as usize]));
        } else if state.readers.is_empty() {
            self.touched.push(resource);
        }
        self.resources[resource].readers.push(at);
    }

    fn write(&mut self, dag: &mut Dag, insts: &[Inst], at: u32, resource: usize) {
        self.touched.push(resource);
        let state = &mut self.resources[resource];
        if let Some(writer) = state.writer.replace(at)
            && writer != at
        {
            // Two writes of one place finish in order only if the second waits.
            let memory = resource >= self.slots.count();
            let wait = if memory { 0 } else { latency::result_latency(&insts[writer as usize]) };
            add(dag, writer, at, wait);
        }
        for reader in std::mem::take(&mut state.readers) {
            add(dag, reader, at, 0);
        }
    }
}

/// Whether the instruction stays behind all others of its block.
fn is_last(inst: &Inst) -> bool {
    inst.op.ends_block() || inst.message.as_ref().is_some_and(|m| m.eot)
}

fn add(dag: &mut Dag, from: u32, to: u32, latency: u32) {
    if from != to {
        dag.succs[from as usize].push(Edge { to, latency });
        dag.preds[to as usize] += 1;
    }
}
