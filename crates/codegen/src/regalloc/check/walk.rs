//! One block: what each instruction, original or inserted, does to the state.

use std::ops::Range;

use crestline_isa::{Type, WriteMask};
use hashbrown::{HashMap, HashSet};
use smallvec::SmallVec;

use super::model::{ScratchBlock, scratch_block};
use super::{
    CheckError, Checker, Content, Event, FIRST_FLAG, FIRST_SCRATCH, State, flag_places, place_of,
    reads_byte, writes_byte,
};
use crate::ir::{File, GRF_BYTES, Inst, Op, Operand, Space};
use crate::regalloc::spill::HEADER_BASE;

/// The walk through one block.
pub(super) struct Walk<'a, 'b> {
    pub(super) checker: &'a Checker<'b>,
    pub(super) block: usize,
    pub(super) top: bool,
    /// Values of this block alone that were written.
    pub(super) local: HashSet<usize>,
    /// A place where each value is or was.
    pub(super) homes: &'a mut [u32],
    /// Values with an entry in `homes`.
    pub(super) touched: Vec<usize>,
    /// Further places of values that are in several.
    pub(super) copies: HashMap<usize, SmallVec<[u32; 2]>>,
    pub(super) events: Vec<Event>,
    pub(super) state: &'a mut State,
    /// Scratch bases that inserted instructions moved: the place and the bytes that were added to g0's.
    pub(super) bases: HashMap<usize, u32>,
    pub(super) report: bool,
}

impl Walk<'_, '_> {
    /// Follows one instruction.
    ///
    /// # Errors
    /// The read, write or change that is wrong.
    pub(super) fn inst(&mut self, index: usize) -> Result<(), CheckError> {
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

    pub(super) fn add_home(&mut self, value: usize, place: usize) {
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
        if !self.bases.is_empty() {
            self.bases.remove(&(place & !3));
        }
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
            _ => format!("byte {} of spill space", place - FIRST_SCRATCH),
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
            for (byte, (value, place)) in read.zip(places).enumerate() {
                if reads_byte(before, index, byte as u32) {
                    self.expect(value, place, &format!("source {index}"))?;
                }
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
                let some = before.dst.write_mask() != WriteMask::XYZW;
                let keeps = before.is_predicated() || before.exec_size < 8 || some;
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
            Op::Hw(crestline_isa::Opcode::Add) => self.move_base(inst),
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

    /// The scratch base of a header: g0's and a constant.
    fn move_base(&mut self, inst: &Inst) -> Result<(), String> {
        let own = HEADER_BASE as usize;
        let from = place_of(&inst.srcs[0], inst.size_read(0));
        let added = inst.srcs[1].imm_bits().filter(|_| inst.srcs[1].is_imm());
        let (Some(from), Some(added), Some(to)) = (from, added, place_of(&inst.dst, 4)) else {
            return Err("an inserted sum is no scratch base".into());
        };
        let dword = inst.size_written() == 4 && from.len() == 4 && inst.no_mask;
        // Below the kilobytes g0 has something else.
        if !dword
            || !added.is_multiple_of(1 << 10)
            || inst.dst.ty != Type::Ud
            || inst.srcs.iter().any(|src| src.ty != Type::Ud)
        {
            return Err("an inserted sum is no scratch base".into());
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

    fn scratch(&mut self, inst: &Inst) -> Result<(), String> {
        let message = inst.message.as_ref().filter(|m| m.space == Space::Scratch);
        let ScratchBlock { write, unit, registers } = scratch_block(inst, self.checker.device)?;
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
