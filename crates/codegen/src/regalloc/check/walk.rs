//! The walk of the allocation checker through one block: the effect of each instruction, original or inserted, on the
//! state.

use crestline_isa::{Type, WriteMask};
use hashbrown::{HashMap, HashSet};
use smallvec::SmallVec;

use super::model::{self, Runs, ScratchBlock, scratch_block};
use super::{
    CheckError, Checker, Content, Event, FIRST_FLAG, FIRST_SCRATCH, State, flag_places, place_of,
};
use crate::ir::{File, GRF_BYTES, Inst, Op, Operand};
use crate::regalloc::spill::HEADER_BASE;

/// The state of the walk.
pub(super) struct Walk<'a, 'b> {
    pub(super) checker: &'a Checker<'b>,
    pub(super) block: usize,
    /// Whether the block is outside all conditionals and loops.
    pub(super) top: bool,
    /// Values written in this block, including those that no other block uses.
    pub(super) local: HashSet<usize>,
    /// For each value, a place that holds it or held it earlier; `u32::MAX` if none.
    pub(super) holders: &'a mut [u32],
    /// Values that have an entry in `holders`.
    pub(super) touched: Vec<usize>,
    /// Further places of values that several places hold.
    pub(super) copies: HashMap<usize, SmallVec<[u32; 2]>>,
    /// For places of flags that unpredicated instructions of fewer than 8 channels wrote: what they have written since
    /// another instruction wrote the place.
    pub(super) halves: HashMap<usize, Halves>,
    pub(super) events: Vec<Event>,
    pub(super) state: &'a mut State,
    /// Headers whose scratch base an inserted instruction changed: the place of the base, and the bytes that were
    /// added to g0's base.
    pub(super) bases: HashMap<usize, u32>,
    /// Whether a wrong read is an error.
    pub(super) report: bool,
}

/// The channels of a byte of flags that several instructions of fewer than 8 channels wrote for the same value.
#[derive(Clone, Copy)]
pub(super) struct Halves {
    value: usize,
    channels: u8,
    /// Whether all of them are NoMask.
    no_mask: bool,
}

/// The most instructions in which [`Walk::replaced_before_read`] looks for the other parts of a divided instruction.
const LOOK_AHEAD: usize = 256;

/// The channels of a byte of flags that an instruction of fewer than 8 channels writes, if it writes them all; `None` for other
/// instructions.
fn channels_of_part(inst: &Inst) -> Option<u8> {
    let some = inst.is_predicated() || inst.dst.write_mask() != WriteMask::XYZW;
    (!some && inst.exec_size < 8).then(|| ((1 << inst.exec_size) - 1) << (inst.group % 8))
}

impl Walk<'_, '_> {
    /// Applies one instruction to the state.
    ///
    /// # Errors
    /// The wrong read, write or change.
    pub(super) fn inst(&mut self, index: usize) -> Result<(), CheckError> {
        let after = &self.checker.after.blocks[self.block].insts[index];
        let origin = self.checker.origins[self.block].get(index).copied().flatten();
        let found = match origin {
            Some(origin) => {
                let before = &self.checker.before.blocks[self.block].insts[origin as usize];
                self.original(before, after, origin as usize)
            }
            None => self.inserted(after),
        };
        found.map_err(|what| self.checker.fail(self.block, index, what))
    }

    /// Whether a value may have been written on a path to this point.
    fn was_written(&self, value: usize) -> bool {
        self.local.contains(&value) || self.checker.is_defined(&self.state.defined, value)
    }

    /// Records that a place holds a value.
    pub(super) fn add_holder(&mut self, value: usize, place: usize) {
        let holder = self.holders[value];
        let elsewhere = holder != u32::MAX
            && holder as usize != place
            && self.state.contents[holder as usize].value() == Some(value);
        if elsewhere {
            self.copies.entry(value).or_default().push(holder);
        }
        self.holders[value] = place as u32;
        self.touched.push(value);
    }

    /// Sets the content of a place and records the write as an event.
    fn set(&mut self, place: usize, content: Content, no_mask: bool) {
        self.hold(place, content);
        self.events.push(Event::Write { place: place as u32, content, no_mask });
    }

    /// The same as [`set`](Self::set) for an unmasked copy of the place `from`, which the instruction itself does not
    /// write.
    fn set_from(&mut self, place: usize, content: Content, from: usize) {
        self.hold(place, content);
        let (from, place) = (from as u32, place as u32);
        self.events.push(Event::Copy { from, place, content });
    }

    /// Sets the content of a place without an event.
    fn hold(&mut self, place: usize, content: Content) {
        if !self.bases.is_empty() {
            self.bases.remove(&(place & !3));
        }
        self.halves.remove(&place);
        self.state.contents[place] = content;
        if let Some(value) = content.value() {
            self.add_holder(value, place);
        }
    }

    /// Checks that a place holds a value. Does nothing if `report` is not set, or if the value has not been written:
    /// then any content will do.
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

    /// A place for error messages.
    fn place_name(&self, place: usize) -> String {
        match place {
            _ if place < FIRST_FLAG => format!("byte {} of g{}", place % 32, place / 32),
            _ if place < FIRST_SCRATCH => format!("byte {} of the flags", place - FIRST_FLAG),
            _ => format!("byte {} of spill space", place - FIRST_SCRATCH),
        }
    }

    /// A value for error messages.
    fn value_name(&self, value: usize) -> String {
        if value < FIRST_SCRATCH {
            return format!("fixed {}", self.place_name(value));
        }
        let bases = &self.checker.values.bases;
        let vreg = bases.partition_point(|base| *base <= value) - 1;
        format!("byte {} of v{vreg}", value - bases[vreg])
    }

    /// Checks the reads of an original instruction and applies its writes. `before` and `after` are the instruction
    /// before and after allocation, `at` is its index in the block before.
    fn original(&mut self, before: &Inst, after: &Inst, at: usize) -> Result<(), String> {
        const SOURCES: [&str; 4] = ["source 0", "source 1", "source 2", "source 3"];
        let values = &self.checker.values;
        for (index, (old, new)) in before.srcs.iter().zip(&after.srcs).enumerate() {
            let reads = model::reads(before, index)?;
            let Some((value, place)) = self.starts(old, new, &reads)? else { continue };
            let what = SOURCES.get(index).unwrap_or(&"a further source");
            for byte in reads.into_iter().flatten() {
                self.expect(value + byte as usize, place + byte as usize, what)?;
            }
        }
        if before.reads_flag() {
            for (value, place) in values.flag(before).zip(flag_places(after)) {
                self.expect(value, place, "the predicate")?;
            }
        }
        let writes = model::writes(before)?;
        if before.op == Op::Undef {
            // The register's old content may not be relied on from here on.
            let room = values.of(&before.dst);
            let value = room.ok_or("an undefined value has no register")?.start;
            for byte in writes.into_iter().flatten() {
                self.local.remove(&(value + byte as usize));
                self.checker.undefine(&mut self.state.defined, value + byte as usize);
            }
            return Ok(());
        }
        if let Some((value, place)) = self.starts(&before.dst, &after.dst, &writes)? {
            let keeps = model::leaves_some(before);
            for byte in writes.into_iter().flatten() {
                let (value, place) = (value + byte as usize, place + byte as usize);
                self.write(value, place, before.no_mask, keeps);
            }
        }
        if before.writes_flag() {
            for (value, place) in values.flag(before).zip(flag_places(after)) {
                let no_mask = before.no_mask;
                let Some(own) = channels_of_part(before) else {
                    let some = before.dst.write_mask() != WriteMask::XYZW;
                    self.write(value, place, no_mask, before.is_predicated() || some);
                    continue;
                };
                // The parts of an instruction that was divided write all channels of the byte together.
                let mut halves = Halves { value, channels: own, no_mask };
                if let Some(earlier) = self.halves.get(&place)
                    && (earlier.value, earlier.no_mask) == (value, no_mask)
                {
                    halves.channels |= earlier.channels;
                } else if self.replaced_before_read(at, halves) {
                    // Allocation may save and load what the first part has written before the second writes the rest.
                    self.local.remove(&value);
                    self.checker.undefine(&mut self.state.defined, value);
                }
                self.write(value, place, no_mask, halves.channels != u8::MAX);
                self.halves.insert(place, halves);
            }
        }
        Ok(())
    }

    /// Whether the parts after this first one, which is at index `at`, write all other channels of the byte before anything reads it.
    /// Then the earlier content of the byte does not matter.
    fn replaced_before_read(&self, at: usize, first: Halves) -> bool {
        let values = &self.checker.values;
        let Halves { value, mut channels, no_mask } = first;
        let block = &self.checker.before.blocks[self.block].insts;
        let is_value =
            |operand: &Operand| values.of(operand).is_some_and(|all| all.contains(&value));
        for later in block.iter().skip(at + 1).take(LOOK_AHEAD) {
            let has_flag = values.flag(later).contains(&value);
            if has_flag && later.reads_flag() || later.srcs.iter().any(is_value) {
                return false;
            }
            if has_flag && later.writes_flag() {
                match channels_of_part(later).filter(|_| later.no_mask == no_mask) {
                    Some(own) => channels |= own,
                    None => return false,
                }
            }
            if is_value(&later.dst) {
                return false;
            }
            if channels == u8::MAX {
                return true;
            }
        }
        false
    }

    /// The value and the place at an operand's start, before and after allocation; `None` if it accesses no tracked
    /// bytes. Allocation must not change the offset modulo the element size, because regions and alignment rules
    /// depend on it.
    fn starts(
        &self,
        old: &Operand,
        new: &Operand,
        runs: &Runs,
    ) -> Result<Option<(usize, usize)>, String> {
        let Some(bytes) = runs.iter().map(|run| run.end).max() else { return Ok(None) };
        let Some(room) = self.checker.values.of(old) else { return Ok(None) };
        if room.start + bytes as usize > room.end {
            return Err("an operand reaches past the end of its register".into());
        }
        let places = place_of(new, bytes).ok_or("an operand has no allocated register")?;
        if new.file == File::Grf && new.offset % old.ty.size() != old.offset % old.ty.size() {
            return Err("an operand moved inside its element".into());
        }
        Ok(Some((room.start, places.start)))
    }

    /// Applies an original write of a value to a place. All other places that hold the value lose it: for the enabled
    /// channels, or for all channels if the write is NoMask. `partial` tells whether the write leaves bytes of
    /// enabled channels unchanged; if the place does not hold the old version of the value then, its content is unknown.
    fn write(&mut self, value: usize, place: usize, no_mask: bool, partial: bool) {
        let held = self.state.contents[place];
        let same = held.value() == Some(value);
        // What the write leaves is not the value. Reads of the place are errors from here on, but bytes that nothing
        // reads need not be there: an indirect write can select an element that the program replaces later.
        let mixed = partial && !same && self.was_written(value);
        // Other places that held the value now hold an old version of it.
        let mut copies = self.copies.remove(&value).unwrap_or_default();
        copies.extend((self.holders[value] != u32::MAX).then_some(self.holders[value]));
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
        let content = if mixed { Content::UNKNOWN } else { Content::new(value, others) };
        self.set(place, content, no_mask);
        self.local.insert(value);
        self.checker.define(&mut self.state.defined, value);
    }

    /// Applies a move or scratch access that allocation inserted: it copies contents. A constant makes the content
    /// unknown.
    fn inserted(&mut self, inst: &Inst) -> Result<(), String> {
        if inst.is_predicated() || inst.writes_flag() {
            return Err("an inserted instruction touches flags".into());
        }
        match inst.op {
            Op::Hw(crestline_isa::Opcode::Mov) => self.moves(inst),
            Op::Hw(crestline_isa::Opcode::Add) => self.move_base(inst),
            Op::Send => self.scratch(inst),
            _ => Err("an inserted instruction is neither a move nor a scratch message".into()),
        }
    }

    /// Applies an inserted move. If the move copies bits to the same layout, the destination gets the contents of the
    /// source; otherwise, and for a constant, its contents are unknown.
    fn moves(&mut self, inst: &Inst) -> Result<(), String> {
        let place = |this: &Self, operand: &Operand, runs: &Runs| -> Result<usize, String> {
            let starts = this.starts(operand, operand, runs)?;
            Ok(starts.ok_or("an inserted move has an operand without an allocated register")?.1)
        };
        let writes = model::writes(inst)?;
        let to = place(self, &inst.dst, &writes)?;
        let bytes = |runs: &Runs| -> Vec<usize> {
            runs.iter().cloned().flatten().map(|byte| byte as usize).collect()
        };
        if inst.srcs[0].is_imm() {
            for byte in bytes(&writes) {
                self.set(to + byte, Content::UNKNOWN, inst.no_mask);
            }
            return Ok(());
        }
        let reads = model::reads(inst, 0)?;
        let from = place(self, &inst.srcs[0], &reads)?;
        let same = reads == writes && model::moves_bits(inst);
        let contents: Vec<Content> = match same {
            true => {
                bytes(&reads).into_iter().map(|byte| self.state.contents[from + byte]).collect()
            }
            false => Vec::new(),
        };
        let end = |runs: &Runs| runs.iter().map(|run| run.end as usize).max().unwrap_or(0);
        let apart = from + end(&reads) <= to || to + end(&writes) <= from;
        for (index, byte) in bytes(&writes).into_iter().enumerate() {
            match (contents.get(index), inst.no_mask && apart) {
                (Some(content), true) => self.set_from(to + byte, *content, from + byte),
                (Some(content), false) => self.set(to + byte, *content, inst.no_mask),
                (None, _) => self.set(to + byte, Content::UNKNOWN, inst.no_mask),
            }
        }
        Ok(())
    }

    /// Applies an inserted addition, which must compute the scratch base of a header as g0's base plus a constant.
    fn move_base(&mut self, inst: &Inst) -> Result<(), String> {
        let own = HEADER_BASE as usize;
        let from = place_of(&inst.srcs[0], 4);
        let added = inst.srcs[1].imm_bits().filter(|_| inst.srcs[1].is_imm());
        let (Some(from), Some(added), Some(to)) = (from, added, place_of(&inst.dst, 4)) else {
            return Err("an inserted addition does not compute a scratch address".into());
        };
        let dword = inst.exec_size == 1 && inst.no_mask;
        // The bits below a kilobyte in this dword of g0 have another meaning.
        if !dword
            || !added.is_multiple_of(1 << 10)
            || inst.dst.ty != Type::Ud
            || inst.srcs.iter().any(|src| src.ty != Type::Ud)
        {
            return Err("an inserted addition does not compute a scratch address".into());
        }
        for (value, place) in (own..).zip(from) {
            self.expect(value, place, "the scratch base")?;
        }
        for place in to.clone() {
            self.set(place, Content::UNKNOWN, true);
        }
        self.bases.insert(to.start, added as u32);
        Ok(())
    }

    /// Applies an inserted scratch message: checks its header and its range, and copies contents between registers
    /// and spill space.
    fn scratch(&mut self, inst: &Inst) -> Result<(), String> {
        let ScratchBlock { write, unit, registers } = scratch_block(inst, self.checker.target)?;
        let header = place_of(&inst.srcs[1], GRF_BYTES).ok_or("the header has no place")?;
        let moved = self.bases.get(&(header.start + HEADER_BASE as usize)).copied();
        let unit = unit + moved.unwrap_or(0) / GRF_BYTES;
        let Some(own) = unit.checked_sub(self.checker.spill_unit) else {
            return Err("spill space overlaps the program's own".into());
        };
        let count = (registers * GRF_BYTES) as usize;
        let memory = FIRST_SCRATCH + (own * GRF_BYTES) as usize;
        if memory + count > self.state.contents.len() {
            return Err("spill space is too small".into());
        }
        let base = HEADER_BASE as usize..HEADER_BASE as usize + 4;
        for (at, place) in header.enumerate() {
            if moved.is_some() && base.contains(&at) {
                continue;
            }
            self.expect(at, place, "the header")?;
        }
        let (from, to) = if write {
            let lengths = inst.message.as_ref().map_or([0, 0], |m| m.lengths);
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
            return Err("the data has no allocated register".into());
        };
        if !write && !inst.no_mask {
            return Err("a fill must be unmasked".into());
        }
        for at in 0..count {
            let content = self.state.contents[from + at];
            let held = self.state.contents[to + at];
            // A masked store writes the data of the enabled channels; memory keeps the data of the others.
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
