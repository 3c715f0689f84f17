//! A verifier for register allocation that is independent of the allocator.
//!
//! The checker does not use live intervals. It walks the allocated program and tracks, for each physical place (byte
//! of a general register, of a flag register or of spill space), which value the place holds. A *value* is a byte of
//! a register of the program before allocation. At every read of an original instruction, the place must hold the
//! value that the instruction read before allocation. For example, if `add v3, v1, v2` became `add g9, g7, g8`, then
//! g7 must hold v1 and g8 must hold v2; afterwards g9 holds v3, and other places no longer do.
//!
//! The state describes one channel, which follows logical edges ([`Cfg`]). An edge may skip blocks that the thread
//! runs for other channels (the other arm of a conditional, further iterations of a loop); the channel is disabled
//! meanwhile. The effect of a write in such a block on the disabled channel's state is:
//!
//! - A masked write (one without NoMask) of the value that the place holds already leaves the disabled channel's data
//!   unchanged. A masked write of another value makes the content unknown.
//! - An unmasked write also writes the disabled channel's data. The new content is valid only if it was complete for
//!   the channels that were disabled at the write (`Content::others`).
//! - An unmasked copy that allocation inserted (fill, store, move) copies what the disabled channel has in the place
//!   that is read.

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

/// For each block and each instruction of the allocated program: the instruction's index in the block before
/// allocation, `None` for inserted ones.
pub type Origins = Vec<Vec<Option<u32>>>;

/// Why an allocation is wrong, with the position in the allocated program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CheckError {
    /// The control flow of the allocated program is broken.
    #[error(transparent)]
    Flow(#[from] FlowError),
    /// An instruction is wrong.
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

/// What a place holds: the number of a value, or unknown. Bit 0 is set if the value is valid for the enabled
/// channels, bit 1 if it is valid for all other channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
struct Content(u32);

impl Content {
    const UNKNOWN: Content = Content(0);

    fn new(value: usize, others: bool) -> Content {
        Content((value as u32 + 1) << 2 | u32::from(others) << 1 | 1)
    }

    /// The value, if it is valid for the enabled channels.
    fn value(self) -> Option<usize> {
        if self.0 & 1 == 0 { None } else { self.any() }
    }

    /// The value, whichever channels it is valid for.
    fn any(self) -> Option<usize> {
        (self.0 >> 2).checked_sub(1).map(|value| value as usize)
    }

    /// Whether the value is valid for the other channels.
    fn others(self) -> bool {
        self.0 & 2 != 0
    }

    fn without_others(self) -> Content {
        Content(self.0 & !2)
    }

    /// The content of this place after the enabled channels' value was written to another place.
    fn without_enabled(self) -> Content {
        if self.others() { Content(self.0 & !1) } else { Content::UNKNOWN }
    }
}

/// The numbering of values. Bytes of physical general registers and flags have the numbers of their places; the bytes
/// of virtual registers follow.
struct Values {
    /// Number of the first value of each virtual register.
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

    /// The values of an operand of the original program: from the operand's first byte to the end of its register or
    /// file.
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

    /// The values of an original instruction's flag.
    fn flag(&self, inst: &Inst) -> Range<usize> {
        let base = match inst.flag {
            Flag::Virtual(vreg) => self.bases[vreg.index()],
            Flag::Fixed(sub) => FIRST_FLAG + 2 * usize::from(sub),
        };
        flag_bytes(base, inst)
    }
}

/// The bytes of a flag register that starts at `base` which hold the bits of an instruction's channels.
fn flag_bytes(base: usize, inst: &Inst) -> Range<usize> {
    let first = usize::from(inst.group);
    base + first / 8..base + (first + usize::from(inst.exec_size)).div_ceil(8)
}

/// The places of an allocated instruction's flag.
fn flag_places(inst: &Inst) -> Range<usize> {
    let Flag::Fixed(sub) = inst.flag else { return 0..0 };
    flag_bytes(FIRST_FLAG + 2 * usize::from(sub), inst)
}

/// The places of `bytes` bytes from an allocated operand on; `None` if it is no general register or flag, or too
/// long.
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

/// The shared values (see [`Checker::shared`]) that may have been written on a path to this point.
type Defined = FixedBitSet;

#[derive(Clone, PartialEq, Eq)]
struct State {
    contents: Vec<Content>,
    defined: Defined,
}

/// A write in a block, recorded for channels that are disabled while the block runs. A block's events are in program
/// order.
#[derive(PartialEq, Eq)]
enum Event {
    /// A write of `content` to a place.
    Write { place: u32, content: Content, no_mask: bool },
    /// An inserted unmasked instruction copies a place. Disabled channels get what they have at `from`; `content` is
    /// what the enabled channels get.
    Copy { from: u32, place: u32, content: Content },
    /// An original unmasked instruction writes a new version of a value to a place. All other places lose it.
    Redefine { value: u32, place: u32 },
}

struct Checker<'a> {
    before: &'a Function,
    after: &'a Function,
    origins: &'a Origins,
    target: &'a Target,
    values: Values,
    /// Numbers, for [`Defined`], of the values of registers that more than one block uses.
    shared: HashMap<usize, usize>,
    cfg: Cfg,
    /// First unit of scratch space that spills use.
    spill_unit: u32,
}

/// Checks that `after` computes what `before` computes, operand by operand.
///
/// # Errors
/// The first instruction that reads a wrong value, or that allocation changed in a way that it may not.
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

/// Numbers the values of virtual registers that more than one block uses, and all values of physical registers.
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
    /// Checks that every original instruction occurs once, in order, with only its registers changed.
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

    /// Checks that no operand extends past the last general register of the target.
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

    /// The state at the start of the program: the payload registers hold themselves.
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

    /// Records that a shared value may have been written.
    fn define(&self, defined: &mut Defined, value: usize) {
        if let Some(&number) = self.shared.get(&value) {
            defined.insert(number);
        }
    }

    /// Records that a shared value is undefined.
    fn undefine(&self, defined: &mut Defined, value: usize) {
        if let Some(&number) = self.shared.get(&value) {
            defined.remove(number);
        }
    }

    fn is_defined(&self, defined: &Defined, value: usize) -> bool {
        self.shared.get(&value).is_some_and(|&number| defined.contains(number))
    }

    /// Checks all reads.
    ///
    /// Which values may be defined at a block's end depends on no contents, but is not complete before the states no longer
    /// change. Until then [`join`](Self::join) may keep the wrong one of two values, and what a block then makes unknown stays
    /// unknown. So if a read seems to be wrong, the check starts again with the complete sets.
    fn run(&self) -> Result<(), CheckError> {
        let mut complete = Vec::new();
        match self.flow(&mut complete) {
            Err(CheckError::Inst { .. }) => self.flow(&mut complete),
            result => result,
        }
    }

    /// Iterates over the blocks until the states no longer change, then walks each block once more and reports wrong
    /// reads. `complete` has the values that may be defined at the end of each block, if they are known; the function sets them.
    fn flow(&self, complete: &mut Vec<Option<Defined>>) -> Result<(), CheckError> {
        let count = self.after.blocks.len();
        let mut ins: Vec<Option<State>> = vec![None; count];
        let mut outs: Vec<Option<State>> = vec![None; count];
        let mut events: Vec<Vec<Event>> = (0..count).map(|_| Vec::new()).collect();
        let mut holders = vec![u32::MAX; self.values.count];
        // A block is visited again only if a block that its state depends on has changed since.
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
                let Some(state) = self.meet(b, &outs, &events, complete) else { continue };
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
        *complete = outs.into_iter().map(|out| out.map(|state| state.defined)).collect();
        for (b, state) in ins.into_iter().enumerate() {
            if let Some(mut state) = state {
                self.transfer(b, &mut state, &mut holders, true)?;
            }
        }
        Ok(())
    }

    /// The state at the start of a block: the contents on which all logical predecessors agree.
    fn meet(
        &self,
        b: usize,
        outs: &[Option<State>],
        events: &[Vec<Event>],
        complete: &[Option<Defined>],
    ) -> Option<State> {
        // The state, and the values that may be defined.
        let mut result = (b == 0).then(|| {
            let state = self.entry();
            let known = state.defined.clone();
            (state, known)
        });
        for edge in self.cfg.preds(BlockId::from_index(b)) {
            if edge.kind == EdgeKind::Physical {
                continue;
            }
            let from = edge.to.index();
            let Some(state) = &outs[from] else { continue };
            let mut state = state.clone();
            for held in &mut state.contents {
                // The set of enabled channels changes here, so a value that is not valid for the enabled channels
                // counts as unknown.
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
            let known = complete.get(from).and_then(Option::as_ref);
            let mut known = known.unwrap_or(&state.defined).clone();
            result = Some(match result {
                None => (state, known),
                Some((other, before)) => {
                    let state = self.join((other, &before), (state, &known));
                    known.union_with(&before);
                    (state, known)
                }
            });
        }
        result.map(|(state, _)| state)
    }

    /// The blocks on which the state at a block's start depends.
    fn dependencies(&self, b: usize) -> Vec<Range<usize>> {
        let logical = |edge: &&Edge| edge.kind != EdgeKind::Physical;
        let edges = self.cfg.preds(BlockId::from_index(b)).iter().filter(logical);
        edges
            .map(|edge| edge.to.index())
            .flat_map(|from| std::iter::once(from..from + 1).chain(self.skipped(from, b)))
            .collect()
    }

    /// The blocks that the thread may run for other channels while one channel follows the edge `from` to `to`.
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

    /// Merges the states of two paths. A shared value that only one path has defined keeps its place: on the other
    /// path any content will do. `in_a` and `in_b` are the values that may be defined on the paths.
    fn join(&self, (a, in_a): (State, &Defined), (b, in_b): (State, &Defined)) -> State {
        let contents = a.contents.iter().zip(&b.contents).map(|(x, y)| {
            if x.value() == y.value() {
                return Content(x.0 & y.0);
            }
            let lost = |content: &Content, other: &Defined| {
                // A value that is not shared is used in one block only, so its content at block boundaries does not
                // matter.
                content.value().is_none_or(|value| {
                    !self.shared.contains_key(&value) || self.is_defined(other, value)
                })
            };
            match (lost(x, in_b), lost(y, in_a)) {
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

    /// Applies a block's instructions to a state and returns the block's events. If `report` is set, a wrong read is
    /// an error.
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
            halves: HashMap::new(),
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

/// Gives an original operand the register of the allocated one.
fn rename(old: &mut Operand, new: &Operand) {
    if is_virtual(old) {
        old.file = new.file;
        old.offset = new.offset;
    }
}

/// Updates the state of channels that are disabled while other blocks may run. Applies the blocks' events to a copy
/// of the state. Then a place keeps its content only if it is the same in the copy, so the result holds whether those
/// blocks ran or not.
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
