//! An independent proof that an allocation is right.
//!
//! The checker knows nothing of intervals. It walks the allocated program and tracks for each
//! physical place (byte of a general register, of a flag register, of spill space) which value
//! it holds: which byte of which register of the program before allocation. Every read must find
//! the value the original instruction reads.
//!
//! It reasons as one channel does, along logical edges. Where an edge skips blocks that the
//! thread runs for other channels (the other arm of a conditional, further loop iterations),
//! whatever those blocks write elsewhere is lost, but for writes of the same value in the same
//! place: masked ones leave the waiting channel's part alone, unmasked ones must carry it along,
//! which they do only if it was complete for the others too. Unmasked copies that allocation added
//! (fills, stores, moves) carry what the waiting channel itself has in the place they read.

pub(crate) mod model;
mod walk;

use fixedbitset::FixedBitSet;
use std::ops::Range;

use crate::target::Target;
use crestline_isa::ArfKind;
use hashbrown::{HashMap, HashSet};
use smallvec::SmallVec;

use super::accesses::{FLAG_COUNT, GRF_COUNT};
use crate::ir::{
    BlockId, Cfg, Edge, EdgeKind, File, Flag, FlowError, Function, GRF_BYTES, Inst, Operand,
};
use walk::Walk;

/// For each block and instruction of the allocated program: its index in the block before
/// allocation, `None` for inserted ones.
pub type Origins = Vec<Vec<Option<u32>>>;

/// Why an allocation is wrong: the place in the allocated program and what was found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CheckError {
    /// The control flow is broken or was changed.
    #[error(transparent)]
    Flow(#[from] FlowError),
    /// An instruction.
    #[error("block {block}, instruction {index}: {what}: {inst}")]
    Inst {
        /// Index of the block.
        block: usize,
        /// Index in the block.
        index: usize,
        /// What is wrong.
        what: String,
        /// The allocated instruction as printed.
        inst: String,
    },
    /// An instruction of the original program is missing or out of order.
    #[error("block {block}: original instruction {index} is missing or out of order")]
    Missing {
        /// Index of the block.
        block: usize,
        /// Index in the original block.
        index: usize,
    },
}

const FIRST_FLAG: usize = GRF_COUNT * GRF_BYTES as usize;
const FIRST_SCRATCH: usize = FIRST_FLAG + 2 * FLAG_COUNT;

/// A value's number, or nothing known, and for whom it is up to date: bit 0 for the enabled
/// channels, bit 1 for all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
struct Content(u32);

impl Content {
    const UNKNOWN: Content = Content(0);

    fn new(value: usize, others: bool) -> Content {
        Content((value as u32 + 1) << 2 | u32::from(others) << 1 | 1)
    }

    /// The value, for the enabled channels.
    fn value(self) -> Option<usize> {
        if self.0 & 1 == 0 { None } else { self.any() }
    }

    /// The value, for whatever channels.
    fn any(self) -> Option<usize> {
        (self.0 >> 2).checked_sub(1).map(|value| value as usize)
    }

    /// Whether the value is there for the other channels.
    fn others(self) -> bool {
        self.0 & 2 != 0
    }

    fn without_others(self) -> Content {
        Content(self.0 & !2)
    }

    /// What is left when the enabled channels' value changes elsewhere.
    fn without_enabled(self) -> Content {
        if self.others() { Content(self.0 & !1) } else { Content::UNKNOWN }
    }
}

/// Numbers of values: the bytes of fixed general registers and fixed flags stand for themselves,
/// then come the bytes of virtual registers.
struct Values {
    bases: Vec<usize>,
    count: usize,
}

impl Values {
    fn new(function: &Function) -> Values {
        let mut count = FIRST_SCRATCH;
        let mut bases = Vec::new();
        for (_, info) in function.vregs.iter() {
            bases.push(count);
            count += info.bytes as usize;
        }
        Values { bases, count }
    }

    /// The value at an original operand's start and the end of its register's values.
    fn of(&self, operand: &Operand) -> Option<Range<usize>> {
        let at = operand.offset as usize;
        match operand.file {
            File::Vgrf(vreg) => {
                let vreg = vreg.index();
                let end = self.bases.get(vreg + 1).copied().unwrap_or(self.count);
                Some(self.bases[vreg] + at..end)
            }
            File::Grf => Some(at..FIRST_FLAG),
            File::Arf(ArfKind::Flag) => Some(FIRST_FLAG + at..FIRST_SCRATCH),
            _ => None,
        }
    }

    fn flag(&self, inst: &Inst) -> Range<usize> {
        let base = match inst.flag {
            Flag::Virtual(vreg) => self.bases[vreg.index()],
            Flag::Fixed(sub) => FIRST_FLAG + 2 * usize::from(sub),
        };
        flag_bytes(base, inst)
    }
}

/// The bytes of a flag at `base` that an instruction's channels have.
fn flag_bytes(base: usize, inst: &Inst) -> Range<usize> {
    let first = usize::from(inst.group);
    base + first / 8..base + (first + usize::from(inst.exec_size)).div_ceil(8)
}

/// The places an allocated instruction's flag covers.
fn flag_places(inst: &Inst) -> Range<usize> {
    let Flag::Fixed(sub) = inst.flag else { return 0..0 };
    flag_bytes(FIRST_FLAG + 2 * usize::from(sub), inst)
}

/// The places of so many bytes from an allocated operand on, if they are there.
fn place_of(operand: &Operand, bytes: u32) -> Option<Range<usize>> {
    let (base, end) = match operand.file {
        File::Grf => (0, FIRST_FLAG),
        File::Arf(ArfKind::Flag) => (FIRST_FLAG, FIRST_SCRATCH),
        _ => return None,
    };
    let first = base + operand.offset as usize;
    let places = first..first + bytes as usize;
    (places.end <= end).then_some(places)
}

/// Values that may have been written on the way here, among those that matter across blocks.
type Defined = FixedBitSet;

#[derive(Clone, PartialEq, Eq)]
struct State {
    contents: Vec<Content>,
    defined: Defined,
}

/// What a block does that channels waiting elsewhere must survive, in order.
#[derive(PartialEq, Eq)]
enum Event {
    /// Something is written to a place.
    Write { place: u32, content: Content, no_mask: bool },
    /// An inserted unmasked instruction copies a place, for waiting channels what they have there. `content` is what
    /// the running ones have.
    Copy { from: u32, place: u32, content: Content },
    /// An original unmasked instruction gives a value anew, at a place.
    Redefine { value: u32, place: u32 },
}

struct Checker<'a> {
    before: &'a Function,
    after: &'a Function,
    origins: &'a Origins,
    target: &'a Target,
    values: Values,
    /// Position in [`Defined`] of values of registers that more than one block touches.
    shared: HashMap<usize, usize>,
    cfg: Cfg,
    /// First unit of scratch space used for spills.
    spill_unit: u32,
}

/// Proves that `after` computes what `before` does, operand by operand.
///
/// # Errors
/// The first instruction that reads, writes or is something else.
pub fn check(
    before: &Function,
    after: &Function,
    origins: &Origins,
    target: &Target,
) -> Result<(), CheckError> {
    let values = Values::new(before);
    let shared = shared_values(before, &values);
    let checker = Checker {
        before,
        after,
        origins,
        target,
        values,
        shared,
        cfg: Cfg::new(after)?,
        spill_unit: before.scratch_bytes.div_ceil(GRF_BYTES),
    };
    checker.check_structure()?;
    checker.run()
}

/// Every value of registers that more than one block touches, numbered; fixed ones too.
fn shared_values(function: &Function, values: &Values) -> HashMap<usize, usize> {
    let mut block_of: HashMap<u32, usize> = HashMap::new();
    let mut many: HashSet<u32> = HashSet::new();
    for (b, block) in function.blocks.iter().enumerate() {
        for inst in &block.insts {
            let flag = match inst.flag {
                Flag::Virtual(vreg) => Some(vreg),
                Flag::Fixed(_) => None,
            };
            let operands = inst.srcs.iter().chain([&inst.dst]).filter_map(Operand::vreg);
            for vreg in operands.chain(flag) {
                if *block_of.entry(vreg.0).or_insert(b) != b {
                    many.insert(vreg.0);
                }
            }
        }
    }
    let mut many: Vec<u32> = many.into_iter().collect();
    many.sort_unstable();
    let of_vreg = |vreg: u32| {
        let vreg = vreg as usize;
        values.bases[vreg]..values.bases.get(vreg + 1).copied().unwrap_or(values.count)
    };
    (0..FIRST_SCRATCH)
        .chain(many.into_iter().flat_map(of_vreg))
        .enumerate()
        .map(|(number, value)| (value, number))
        .collect()
}

impl Checker<'_> {
    /// Every original instruction is there once, in order, with only its registers changed.
    fn check_structure(&self) -> Result<(), CheckError> {
        for (b, block) in self.before.blocks.iter().enumerate() {
            let mut next = 0;
            let now = self.after.blocks.get(b).map_or(&[][..], |block| &block.insts);
            let origins = self.origins.get(b).map_or(&[][..], |list| list);
            for (index, inst) in now.iter().enumerate() {
                if let Err(what) = self.check_extent(inst) {
                    return Err(self.fail(b, index, what.into()));
                }
                let Some(origin) = origins.get(index).copied().flatten() else { continue };
                if origin as usize != next {
                    return Err(CheckError::Missing { block: b, index: next });
                }
                next += 1;
                let mut renamed = block.insts[origin as usize].clone();
                for (old, new) in renamed.srcs.iter_mut().zip(&inst.srcs) {
                    rename(old, new);
                }
                rename(&mut renamed.dst, &inst.dst);
                renamed.flag = inst.flag;
                if renamed != *inst || inst.srcs.iter().chain([&inst.dst]).any(is_virtual) {
                    return Err(self.fail(
                        b,
                        index,
                        "allocation changed something other than registers".into(),
                    ));
                }
            }
            if next != block.insts.len() {
                return Err(CheckError::Missing { block: b, index: next });
            }
        }
        Ok(())
    }

    /// No operand reaches past the last general register of the target.
    fn check_extent(&self, inst: &Inst) -> Result<(), &'static str> {
        let end = self.target.registers.count * GRF_BYTES;
        let fits = |operand: &Operand, runs: model::Runs| {
            let bytes = runs.iter().map(|run| run.end).max().unwrap_or(0);
            operand.file != File::Grf || operand.offset.saturating_add(bytes) <= end
        };
        for (index, src) in inst.srcs.iter().enumerate() {
            if !fits(src, model::reads(inst, index)?) {
                return Err("a source is beyond the last register of the target");
            }
        }
        if !fits(&inst.dst, model::writes(inst)?) {
            return Err("the destination is beyond the last register of the target");
        }
        Ok(())
    }

    fn fail(&self, block: usize, index: usize, what: String) -> CheckError {
        let inst = self.after.blocks[block].insts[index].to_string();
        CheckError::Inst { block, index, what, inst }
    }

    fn entry(&self) -> State {
        let own = self.spill_unit * GRF_BYTES;
        let spill = self.after.scratch_bytes.saturating_sub(own) as usize;
        let mut state = State {
            contents: vec![Content::UNKNOWN; FIRST_SCRATCH + spill],
            defined: FixedBitSet::with_capacity(self.shared.len()),
        };
        let payload = (self.before.payload_registers * GRF_BYTES) as usize;
        for place in 0..payload {
            state.contents[place] = Content::new(place, true);
            self.define(&mut state.defined, place);
        }
        state
    }

    fn define(&self, defined: &mut Defined, value: usize) {
        if let Some(&number) = self.shared.get(&value) {
            defined.insert(number);
        }
    }

    fn undefine(&self, defined: &mut Defined, value: usize) {
        if let Some(&number) = self.shared.get(&value) {
            defined.remove(number);
        }
    }

    fn is_defined(&self, defined: &Defined, value: usize) -> bool {
        self.shared.get(&value).is_some_and(|&number| defined.contains(number))
    }

    fn run(&self) -> Result<(), CheckError> {
        let count = self.after.blocks.len();
        let mut ins: Vec<Option<State>> = vec![None; count];
        let mut outs: Vec<Option<State>> = vec![None; count];
        let mut events: Vec<Vec<Event>> = (0..count).map(|_| Vec::new()).collect();
        let mut holders = vec![u32::MAX; self.values.count];
        // A block is looked at again only if something that it depends on changed since.
        let depends: Vec<Vec<Range<usize>>> = (0..count).map(|b| self.dependencies(b)).collect();
        let (mut seen_at, mut changed_at) = (vec![0; count], vec![1u64; count]);
        let mut now = 1;
        let mut changed = true;
        while changed {
            changed = false;
            for b in 0..count {
                let news = |range: &Range<usize>| {
                    changed_at[range.clone()].iter().any(|&at| at > seen_at[b])
                };
                if seen_at[b] > 0 && !depends[b].iter().any(news) {
                    continue;
                }
                seen_at[b] = now;
                let Some(state) = self.meet(b, &outs, &events) else { continue };
                if ins[b].as_ref() == Some(&state) {
                    continue;
                }
                let mut out = state.clone();
                ins[b] = Some(state);
                let did = self.transfer(b, &mut out, &mut holders, false)?;
                if outs[b].as_ref() != Some(&out) || events[b] != did {
                    (outs[b], events[b]) = (Some(out), did);
                    now += 1;
                    changed_at[b] = now;
                    changed = true;
                }
            }
        }
        for (b, state) in ins.into_iter().enumerate() {
            if let Some(mut state) = state {
                self.transfer(b, &mut state, &mut holders, true)?;
            }
        }
        Ok(())
    }

    /// The state at a block's start: what all ways here agree on.
    fn meet(&self, b: usize, outs: &[Option<State>], events: &[Vec<Event>]) -> Option<State> {
        let mut result = (b == 0).then(|| self.entry());
        for edge in self.cfg.preds(BlockId::from_index(b)) {
            if edge.kind == EdgeKind::Physical {
                continue;
            }
            let from = edge.to.index();
            let Some(state) = &outs[from] else { continue };
            let mut state = state.clone();
            for held in &mut state.contents {
                // Who is enabled changes here; a value the enabled ones lost is lost.
                if held.value().is_none() {
                    *held = Content::UNKNOWN;
                }
            }
            let skipped = self.skipped(from, b);
            let blocks = skipped.into_iter().flatten();
            let ran: Vec<&[Event]> = blocks.map(|block| &events[block][..]).collect();
            if !ran.is_empty() {
                wait(&mut state, &ran);
            }
            result = Some(match result {
                None => state,
                Some(other) => self.join(other, state),
            });
        }
        result
    }

    /// The blocks that the state at a block's start follows from.
    fn dependencies(&self, b: usize) -> Vec<Range<usize>> {
        let logical = |edge: &&Edge| edge.kind != EdgeKind::Physical;
        let edges = self.cfg.preds(BlockId::from_index(b)).iter().filter(logical);
        edges
            .map(|edge| edge.to.index())
            .flat_map(|from| std::iter::once(from..from + 1).chain(self.skipped(from, b)))
            .collect()
    }

    /// Blocks the thread runs for other channels while one goes along an edge.
    fn skipped(&self, from: usize, to: usize) -> SmallVec<[Range<usize>; 2]> {
        let mut ranges = SmallVec::new();
        if to > from + 1 {
            ranges.push(from + 1..to);
        }
        for (header, last) in self.cfg.loops() {
            let body = header.index()..last.index() + 1;
            if body.contains(&from) && !body.contains(&to) {
                ranges.push(body);
            }
        }
        ranges
    }

    fn join(&self, a: State, b: State) -> State {
        let contents = a.contents.iter().zip(&b.contents).map(|(x, y)| {
            if x.value() == y.value() {
                return Content(x.0 & y.0);
            }
            let lost = |content: &Content, other: &State| {
                // What one block alone speaks of matters to no other.
                content.value().is_none_or(|value| {
                    !self.shared.contains_key(&value) || self.is_defined(&other.defined, value)
                })
            };
            match (lost(x, &b), lost(y, &a)) {
                (false, _) => x.without_others(),
                (true, false) => y.without_others(),
                (true, true) => Content::UNKNOWN,
            }
        });
        let contents = contents.collect();
        let mut defined = a.defined;
        defined.union_with(&b.defined);
        State { contents, defined }
    }

    /// Runs a block; `report` makes wrong reads errors.
    fn transfer(
        &self,
        b: usize,
        state: &mut State,
        holders: &mut [u32],
        report: bool,
    ) -> Result<Vec<Event>, CheckError> {
        let mut walk = Walk {
            checker: self,
            block: b,
            top: self.cfg.level(BlockId::from_index(b)).is_none(),
            local: HashSet::new(),
            holders,
            touched: Vec::new(),
            copies: HashMap::new(),
            events: Vec::new(),
            state,
            bases: HashMap::new(),
            report,
        };
        for place in 0..walk.state.contents.len() {
            if let Some(value) = walk.state.contents[place].value() {
                walk.add_holder(value, place);
            }
        }
        for index in 0..self.after.blocks[b].insts.len() {
            walk.inst(index)?;
        }
        for value in &walk.touched {
            walk.holders[*value] = u32::MAX;
        }
        Ok(walk.events)
    }
}

fn is_virtual(operand: &Operand) -> bool {
    operand.vreg().is_some()
}

/// Gives an original operand the allocated one's register.
fn rename(old: &mut Operand, new: &Operand) {
    if is_virtual(old) {
        old.file = new.file;
        old.offset = new.offset;
    }
}

/// What waiting channels still have after other blocks ran, or did not.
fn wait(state: &mut State, events: &[&[Event]]) {
    let mut contents = state.contents.clone();
    let mut holders: HashMap<usize, Vec<usize>> = HashMap::new();
    let redefines = |event: &Event| matches!(event, Event::Redefine { .. });
    if events.iter().any(|list| list.iter().any(redefines)) {
        for (place, content) in contents.iter().enumerate() {
            if let Some(value) = content.value() {
                holders.entry(value).or_default().push(place);
            }
        }
    }
    for event in events.iter().flat_map(|list| list.iter()) {
        match *event {
            Event::Write { place, content, no_mask } => {
                let held = &mut contents[place as usize];
                let same = held.value().is_some() && held.value() == content.value();
                if no_mask && content.others() {
                    *held = content;
                    if let Some(value) = content.value() {
                        holders.entry(value).or_default().push(place as usize);
                    }
                } else if no_mask || !same {
                    *held = Content::UNKNOWN;
                }
            }
            Event::Copy { from, place, content } => {
                let known = [contents[from as usize], content];
                let held = known
                    .into_iter()
                    .zip([true, content.others()])
                    .find_map(|(held, valid)| (valid && held.value().is_some()).then_some(held));
                contents[place as usize] = held.unwrap_or(Content::UNKNOWN);
                if let Some(value) = held.and_then(Content::value) {
                    holders.entry(value).or_default().push(place as usize);
                }
            }
            Event::Redefine { value, place } => {
                for at in holders.remove(&(value as usize)).unwrap_or_default() {
                    if at != place as usize && contents[at].value() == Some(value as usize) {
                        contents[at] = Content::UNKNOWN;
                    }
                }
                holders.insert(value as usize, vec![place as usize]);
            }
        }
    }
    for (held, ran) in state.contents.iter_mut().zip(contents) {
        *held =
            if held.value() == ran.value() { Content(held.0 & ran.0) } else { Content::UNKNOWN };
    }
}
