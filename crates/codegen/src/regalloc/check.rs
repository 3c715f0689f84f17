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
//! which they do only if it was complete for the others too.

use hashbrown::{HashMap, HashSet};
use std::ops::Range;

use crestline_device::Device;
use crestline_isa::ArfKind;
use smallvec::SmallVec;

use crate::ir::{
    BlockId, Cfg, Edge, EdgeKind, File, Flag, FlowError, Function, GRF_BYTES, Inst, Op, Operand,
    Region, Space,
};

use super::liveness::{FLAG_COUNT, GRF_COUNT};
use super::spill::scratch_decode;

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

    /// The values an original operand covers.
    fn of(&self, operand: &Operand, bytes: u32) -> Option<Range<usize>> {
        match operand.file {
            File::Vgrf(vreg) if bytes != 0 => {
                let first = self.bases[vreg.0 as usize] + operand.offset as usize;
                Some(first..first + bytes as usize)
            }
            _ => place_of(operand, bytes),
        }
    }

    fn flag(&self, inst: &Inst) -> Range<usize> {
        let base = match inst.flag {
            Flag::Virtual(vreg) => self.bases[vreg.0 as usize],
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

/// The places an allocated operand covers.
fn place_of(operand: &Operand, bytes: u32) -> Option<Range<usize>> {
    let base = match operand.file {
        _ if bytes == 0 => return None,
        File::Grf => 0,
        File::Arf(ArfKind::Flag) => FIRST_FLAG,
        _ => return None,
    };
    let first = base + operand.offset as usize;
    Some(first..first + bytes as usize)
}

/// Values that may have been written on the way here, among those that matter across blocks.
type Defined = Vec<u64>;

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
    device: &'a Device,
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
    device: &Device,
) -> Result<(), CheckError> {
    let values = Values::new(before);
    let shared = shared_values(before, &values);
    let checker = Checker {
        before,
        after,
        origins,
        device,
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
    let mut home: HashMap<u32, usize> = HashMap::new();
    let mut many: HashSet<u32> = HashSet::new();
    for (b, block) in function.blocks.iter().enumerate() {
        for inst in &block.insts {
            let flag = match inst.flag {
                Flag::Virtual(vreg) => Some(vreg),
                Flag::Fixed(_) => None,
            };
            let operands = inst.srcs.iter().chain([&inst.dst]).filter_map(Operand::vreg);
            for vreg in operands.chain(flag) {
                if *home.entry(vreg.0).or_insert(b) != b {
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
                    return Err(self.fail(b, index, "more than registers was changed".into()));
                }
            }
            if next != block.insts.len() {
                return Err(CheckError::Missing { block: b, index: next });
            }
        }
        Ok(())
    }

    fn fail(&self, block: usize, index: usize, what: String) -> CheckError {
        let inst = self.after.blocks[block].insts[index].to_string();
        CheckError::Inst { block, index, what, inst }
    }

    fn entry(&self) -> State {
        let spill = self.after.scratch_bytes as usize;
        let mut state = State {
            contents: vec![Content::UNKNOWN; FIRST_SCRATCH + spill],
            defined: vec![0; self.shared.len().div_ceil(64)],
        };
        let payload = (self.before.payload_registers * GRF_BYTES) as usize;
        for place in 0..payload {
            state.contents[place] = Content::new(place, true);
            self.define(&mut state.defined, place);
        }
        state
    }

    fn define(&self, defined: &mut Defined, value: usize) {
        if let Some(number) = self.shared.get(&value) {
            defined[number / 64] |= 1 << (number % 64);
        }
    }

    fn undefine(&self, defined: &mut Defined, value: usize) {
        if let Some(number) = self.shared.get(&value) {
            defined[number / 64] &= !(1 << (number % 64));
        }
    }

    fn is_defined(&self, defined: &Defined, value: usize) -> bool {
        self.shared.get(&value).is_some_and(|n| defined[n / 64] >> (n % 64) & 1 == 1)
    }

    fn run(&self) -> Result<(), CheckError> {
        let count = self.after.blocks.len();
        let mut ins: Vec<Option<State>> = vec![None; count];
        let mut outs: Vec<Option<State>> = vec![None; count];
        let mut events: Vec<Vec<Event>> = (0..count).map(|_| Vec::new()).collect();
        let mut homes = vec![u32::MAX; self.values.count];
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
                let did = self.transfer(b, &mut out, &mut homes, false)?;
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
                self.transfer(b, &mut state, &mut homes, true)?;
            }
        }
        Ok(())
    }

    /// The state at a block's start: what all ways here agree on.
    fn meet(&self, b: usize, outs: &[Option<State>], events: &[Vec<Event>]) -> Option<State> {
        let mut result = (b == 0).then(|| self.entry());
        for edge in self.cfg.preds(BlockId(b as u32)) {
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
        let edges = self.cfg.preds(BlockId(b as u32)).iter().filter(logical);
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
        let defined = a.defined.iter().zip(&b.defined).map(|(x, y)| x | y).collect();
        State { contents: contents.collect(), defined }
    }

    /// Runs a block; `report` makes wrong reads errors.
    fn transfer(
        &self,
        b: usize,
        state: &mut State,
        homes: &mut [u32],
        report: bool,
    ) -> Result<Vec<Event>, CheckError> {
        let mut walk = Walk {
            checker: self,
            block: b,
            top: self.cfg.level(BlockId(b as u32)).is_none(),
            local: HashSet::new(),
            homes,
            touched: Vec::new(),
            copies: HashMap::new(),
            events: Vec::new(),
            state,
            report,
        };
        for place in 0..walk.state.contents.len() {
            if let Some(value) = walk.state.contents[place].value() {
                walk.add_home(value, place);
            }
        }
        for index in 0..self.after.blocks[b].insts.len() {
            walk.inst(index)?;
        }
        for value in &walk.touched {
            walk.homes[*value] = u32::MAX;
        }
        Ok(walk.events)
    }
}

/// Whether a strided or component-masked destination has an element at a byte.
fn writes_byte(inst: &Inst, byte: u32) -> bool {
    let size = inst.dst.ty.size();
    match inst.dst.region {
        Region::Mask(mask) => mask.0 >> (byte / size % 4) & 1 == 1,
        Region::Stride(stride) => byte % (u32::from(stride.max(1)) * size) < size,
        _ => true,
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
    let mut homes: HashMap<usize, Vec<usize>> = HashMap::new();
    let redefines = |event: &Event| matches!(event, Event::Redefine { .. });
    if events.iter().any(|list| list.iter().any(redefines)) {
        for (place, content) in contents.iter().enumerate() {
            if let Some(value) = content.value() {
                homes.entry(value).or_default().push(place);
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
                        homes.entry(value).or_default().push(place as usize);
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
                    homes.entry(value).or_default().push(place as usize);
                }
            }
            Event::Redefine { value, place } => {
                for at in homes.remove(&(value as usize)).unwrap_or_default() {
                    if at != place as usize && contents[at].value() == Some(value as usize) {
                        contents[at] = Content::UNKNOWN;
                    }
                }
                homes.insert(value as usize, vec![place as usize]);
            }
        }
    }
    for (held, ran) in state.contents.iter_mut().zip(contents) {
        *held =
            if held.value() == ran.value() { Content(held.0 & ran.0) } else { Content::UNKNOWN };
    }
}

/// The walk through one block.
struct Walk<'a, 'b> {
    checker: &'a Checker<'b>,
    block: usize,
    top: bool,
    /// Values of this block alone that were written.
    local: HashSet<usize>,
    /// A place where each value is or was.
    homes: &'a mut [u32],
    /// Values with an entry in `homes`.
    touched: Vec<usize>,
    /// Further places of values that are in several.
    copies: HashMap<usize, SmallVec<[u32; 2]>>,
    events: Vec<Event>,
    state: &'a mut State,
    report: bool,
}

impl Walk<'_, '_> {
    fn inst(&mut self, index: usize) -> Result<(), CheckError> {
        let after = &self.checker.after.blocks[self.block].insts[index];
        let origin = self.checker.origins[self.block].get(index).copied().flatten();
        let found = match origin {
            Some(origin) => {
                let before = &self.checker.before.blocks[self.block].insts[origin as usize];
                self.original(before, after)
            }
            None => self.inserted(after),
        };
        found.map_err(|what| self.checker.fail(self.block, index, what))
    }

    fn was_written(&self, value: usize) -> bool {
        self.local.contains(&value) || self.checker.is_defined(&self.state.defined, value)
    }

    fn add_home(&mut self, value: usize, place: usize) {
        let home = self.homes[value];
        let elsewhere = home != u32::MAX
            && home as usize != place
            && self.state.contents[home as usize].value() == Some(value);
        if elsewhere {
            self.copies.entry(value).or_default().push(home);
        }
        self.homes[value] = place as u32;
        self.touched.push(value);
    }

    fn set(&mut self, place: usize, content: Content, no_mask: bool) {
        self.hold(place, content);
        self.events.push(Event::Write { place: place as u32, content, no_mask });
    }

    /// The same for an unmasked copy of all bits at `from`, which the instruction does not write.
    fn set_from(&mut self, place: usize, content: Content, from: usize) {
        self.hold(place, content);
        let (from, place) = (from as u32, place as u32);
        self.events.push(Event::Copy { from, place, content });
    }

    fn hold(&mut self, place: usize, content: Content) {
        self.state.contents[place] = content;
        if let Some(value) = content.value() {
            self.add_home(value, place);
        }
    }

    fn expect(&self, value: usize, place: usize, what: &str) -> Result<(), String> {
        if self.report
            && self.state.contents[place].value() != Some(value)
            && self.was_written(value)
        {
            return Err(format!(
                "{what} reads {}, which holds {}, not {}",
                self.place_name(place),
                self.state.contents[place]
                    .value()
                    .map_or("nothing known".into(), |v| self.value_name(v)),
                self.value_name(value)
            ));
        }
        Ok(())
    }

    fn place_name(&self, place: usize) -> String {
        match place {
            _ if place < FIRST_FLAG => format!("byte {} of g{}", place % 32, place / 32),
            _ if place < FIRST_SCRATCH => format!("byte {} of the flags", place - FIRST_FLAG),
            _ => format!("byte {} of scratch space", place - FIRST_SCRATCH),
        }
    }

    fn value_name(&self, value: usize) -> String {
        if value < FIRST_SCRATCH {
            return format!("fixed {}", self.place_name(value));
        }
        let bases = &self.checker.values.bases;
        let vreg = bases.partition_point(|base| *base <= value) - 1;
        format!("byte {} of v{vreg}", value - bases[vreg])
    }

    fn original(&mut self, before: &Inst, after: &Inst) -> Result<(), String> {
        let values = &self.checker.values;
        for (index, (old, new)) in before.srcs.iter().zip(&after.srcs).enumerate() {
            let bytes = before.size_read(index);
            let Some(read) = values.of(old, bytes) else { continue };
            let places = self.places(old, new, bytes)?;
            for (value, place) in read.zip(places) {
                self.expect(value, place, &format!("source {index}"))?;
            }
        }
        if before.reads_flag() {
            for (value, place) in values.flag(before).zip(flag_places(after)) {
                self.expect(value, place, "the predicate")?;
            }
        }
        let bytes = before.size_written();
        if before.op == Op::Undef {
            // Whatever was there, nobody may rely on it from here on.
            for value in values.of(&before.dst, bytes).into_iter().flatten() {
                self.local.remove(&value);
                self.checker.undefine(&mut self.state.defined, value);
            }
            return Ok(());
        }
        if let Some(written) = values.of(&before.dst, bytes) {
            let places = self.places(&before.dst, &after.dst, bytes)?;
            let keeps = before.predicate_disables() || before.op == Op::MovIndirectDst;
            let gaps = !before.op.is_message() && before.is_partial_write() && !keeps;
            let first = written.start;
            for (value, place) in written.zip(places) {
                if !gaps || writes_byte(before, (value - first) as u32) {
                    self.write(value, place, before.no_mask, keeps)?;
                }
            }
        }
        if before.writes_flag() {
            for (value, place) in values.flag(before).zip(flag_places(after)) {
                let keeps = before.is_predicated() || before.exec_size < 8;
                self.write(value, place, before.no_mask, keeps)?;
            }
        }
        Ok(())
    }

    /// The places of an allocated operand. Its offset must stay what it was modulo the element,
    /// which regions and alignment rules depend on.
    fn places(&self, old: &Operand, new: &Operand, bytes: u32) -> Result<Range<usize>, String> {
        let places = place_of(new, bytes).ok_or("an operand has no place")?;
        if new.file == File::Grf {
            if new.offset % old.ty.size() != old.offset % old.ty.size() {
                return Err("an operand moved inside its element".into());
            }
            if places.end > FIRST_FLAG {
                return Err("an operand reaches past g127".into());
            }
        }
        Ok(places)
    }

    /// An original write of a value.
    fn write(
        &mut self,
        value: usize,
        place: usize,
        no_mask: bool,
        partial: bool,
    ) -> Result<(), String> {
        let held = self.state.contents[place];
        let same = held.value() == Some(value);
        if partial && !same {
            self.expect(value, place, "what a partial write leaves")?;
        }
        // Copies elsewhere hold the old value now.
        let mut copies = self.copies.remove(&value).unwrap_or_default();
        copies.extend((self.homes[value] != u32::MAX).then_some(self.homes[value]));
        for other in copies {
            let held = &mut self.state.contents[other as usize];
            if held.any() == Some(value) {
                *held = if no_mask { Content::UNKNOWN } else { held.without_enabled() };
            }
        }
        let others = no_mask && !partial || self.top || held.any() == Some(value) && held.others();
        if no_mask {
            self.events.push(Event::Redefine { value: value as u32, place: place as u32 });
        }
        self.set(place, Content::new(value, others), no_mask);
        self.local.insert(value);
        self.checker.define(&mut self.state.defined, value);
        Ok(())
    }

    /// A move or scratch access that allocation added: contents travel. A constant is nobody's value.
    fn inserted(&mut self, inst: &Inst) -> Result<(), String> {
        if inst.is_predicated() || inst.writes_flag() {
            return Err("an inserted instruction touches flags".into());
        }
        match inst.op {
            Op::Hw(crestline_isa::Opcode::Mov) if inst.srcs[0].is_imm() => {
                for place in place_of(&inst.dst, inst.size_written()).into_iter().flatten() {
                    self.set(place, Content::UNKNOWN, inst.no_mask);
                }
                Ok(())
            }
            Op::Hw(crestline_isa::Opcode::Mov) => {
                let size = inst.size_written();
                let (Some(dst), Some(src)) =
                    (place_of(&inst.dst, size), place_of(&inst.srcs[0], inst.size_read(0)))
                else {
                    return Err("an inserted move has an operand without a place".into());
                };
                let same = inst.size_read(0) == size
                    && !inst.srcs[0].has_modifiers()
                    && inst.dst.ty.size() == inst.srcs[0].ty.size();
                self.copy(dst, src, same, inst.no_mask);
                Ok(())
            }
            Op::Send => self.scratch(inst),
            _ => Err("an inserted instruction is no move and no scratch message".into()),
        }
    }

    fn copy(&mut self, dst: Range<usize>, src: Range<usize>, same: bool, no_mask: bool) {
        let contents: Vec<Content> = self.state.contents[src.clone()].to_vec();
        let apart = src.end <= dst.start || dst.end <= src.start;
        for ((place, from), content) in dst.zip(src).zip(contents) {
            match (same, no_mask && apart) {
                (true, true) => self.set_from(place, content, from),
                (true, false) => self.set(place, content, no_mask),
                (false, _) => self.set(place, Content::UNKNOWN, no_mask),
            }
        }
    }

    fn scratch(&mut self, inst: &Inst) -> Result<(), String> {
        let message = inst.message.as_ref().filter(|m| m.space == Space::Scratch);
        let Some((write, unit, registers)) =
            message.and_then(|m| scratch_decode(self.checker.device, m.control))
        else {
            return Err("an inserted message is no scratch block".into());
        };
        if unit < self.checker.spill_unit {
            return Err("spill space overlaps the program's own".into());
        }
        let count = (registers * GRF_BYTES) as usize;
        let memory = FIRST_SCRATCH + (unit * GRF_BYTES) as usize;
        if memory + count > self.state.contents.len() {
            return Err("spill space is too small".into());
        }
        let header = place_of(&inst.srcs[1], GRF_BYTES).ok_or("the header has no place")?;
        for (at, place) in header.enumerate() {
            self.expect(at, place, "the header")?;
        }
        let (from, to) = if write {
            let lengths = message.map_or([0, 0], |m| m.lengths);
            let split = u32::from(lengths[1]) == registers;
            let data = if split { inst.srcs[2] } else { inst.srcs[1].byte_offset(GRF_BYTES) };
            if !split && u32::from(lengths[0]) != registers + 1 {
                return Err("the payload is not as long as the message stores".into());
            }
            (place_of(&data, registers * GRF_BYTES).map(|p| p.start), Some(memory))
        } else {
            (Some(memory), place_of(&inst.dst, registers * GRF_BYTES).map(|p| p.start))
        };
        let (Some(from), Some(to)) = (from, to) else {
            return Err("the data has no place".into());
        };
        if !write && !inst.no_mask {
            return Err("a fill must be unmasked".into());
        }
        for at in 0..count {
            let content = self.state.contents[from + at];
            let held = self.state.contents[to + at];
            // A masked store adds the enabled channels to what memory has of the others.
            let content = if inst.no_mask || content.value().is_none() {
                content
            } else if held.any() == content.value() && held.others() || self.top {
                Content(content.0 | 2)
            } else {
                content.without_others()
            };
            if inst.no_mask {
                self.set_from(to + at, content, from + at);
            } else {
                self.set(to + at, content, false);
            }
        }
        Ok(())
    }
}
