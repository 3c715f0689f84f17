//! The bytes of registers that each instruction accesses.
//!
//! The unit is a **slot**: 32 bytes of a virtual register, one physical general register, one virtual flag or one
//! 16-bit flag subregister. An access has a mask with one bit for each byte of the slot (for flags, one bit for each
//! channel).

use crestline_isa::{AccessMode, ArfKind, PredCtrl, WriteMask};
use fixedbitset::FixedBitSet;

use crate::ir::{Class, File, Flag, Function, GRF_BYTES, Inst, Op, Operand, Region, Vreg};
use crate::legal;
use crate::target::MAX_REGISTERS;

/// Number of slots of general registers, the same for all targets.
pub const GRF_COUNT: usize = MAX_REGISTERS as usize;
/// Number of 16-bit flag subregisters.
pub const FLAG_COUNT: usize = 4;

/// Index of a slot. Slots of general registers come first, then flag subregisters, then virtual registers.
pub type Slot = usize;

/// One access of an instruction to a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The slot.
    pub slot: Slot,
    /// Bytes of the slot that are accessed, one bit each.
    pub bytes: u32,
    /// Whether this is a write (otherwise a read).
    pub write: bool,
    /// Whether the write replaces all of `bytes` for enabled channels.
    pub kills: bool,
}

/// The numbering of slots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlotMap {
    /// First slot of each virtual register.
    bases: Vec<u32>,
    facts: Vec<SlotFacts>,
}

/// Properties of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SlotFacts {
    /// Mask of the bytes (or, for a flag, of the channels) that exist in the slot.
    whole: u32,
    is_flag: bool,
}

impl SlotMap {
    /// Numbers the slots of a function's virtual registers.
    pub fn new(function: &Function) -> SlotMap {
        let general = SlotFacts { whole: u32::MAX, is_flag: false };
        let slots = |bytes: u32| bytes.div_ceil(GRF_BYTES) as usize;
        let virtual_slots: usize = function.vregs.iter().map(|(_, info)| slots(info.bytes)).sum();
        let mut facts = Vec::with_capacity(GRF_COUNT + FLAG_COUNT + virtual_slots);
        facts.resize(GRF_COUNT, general);
        facts.resize(GRF_COUNT + FLAG_COUNT, SlotFacts { whole: 0xffff, is_flag: true });
        let lanes = mask_of(u32::from(function.dispatch_width));
        let mut bases = Vec::with_capacity(function.vregs.len());
        for (_, info) in function.vregs.iter() {
            bases.push(facts.len() as u32);
            match info.class {
                Class::Flag => facts.push(SlotFacts { whole: lanes, is_flag: true }),
                Class::Grf => {
                    facts.resize(facts.len() + slots(info.bytes), general);
                    if let (Some(last), 1..) = (facts.last_mut(), info.bytes % GRF_BYTES) {
                        last.whole = mask_of(info.bytes % GRF_BYTES);
                    }
                }
            }
        }
        SlotMap { bases, facts }
    }

    /// Number of slots.
    pub fn count(&self) -> usize {
        self.facts.len()
    }

    /// The slots of a virtual register.
    pub fn of(&self, vreg: Vreg) -> std::ops::Range<Slot> {
        let index = vreg.index();
        let end = self.bases.get(index + 1).map_or(self.count(), |base| *base as usize);
        self.bases[index] as usize..end
    }

    /// Mask of the bytes (or, for a flag, of the channels) that exist in a slot.
    pub fn whole(&self, slot: Slot) -> u32 {
        self.facts[slot].whole
    }

    /// Whether a slot is a flag, virtual or physical.
    pub fn is_flag(&self, slot: Slot) -> bool {
        self.facts[slot].is_flag
    }

    /// Calls `visit` with each slot that an operand of `bytes` bytes accesses, and with the mask of bytes in it.
    fn touched(&self, operand: &Operand, bytes: u32, mut visit: impl FnMut(Slot, u32)) {
        let base = match operand.file {
            File::Vgrf(vreg) => {
                let base = self.bases[vreg.index()] as usize;
                if self.facts.get(base).is_some_and(|facts| facts.is_flag) {
                    visit(base, u32::MAX);
                    return;
                }
                base
            }
            File::Grf => 0,
            File::Indirect { .. } => {
                (0..GRF_COUNT).for_each(|slot| visit(slot, u32::MAX));
                return;
            }
            _ => return,
        };
        let Some(end) = bytes.checked_sub(1).map(|last| operand.offset + last) else { return };
        let last = base + (end / GRF_BYTES) as usize;
        let mut touched = u32::MAX << (operand.offset % GRF_BYTES);
        for slot in base + (operand.offset / GRF_BYTES) as usize..last {
            visit(slot, std::mem::replace(&mut touched, u32::MAX));
        }
        visit(last, touched & u32::MAX >> (GRF_BYTES - 1 - end % GRF_BYTES));
    }
}

/// A mask of the lowest `bytes` bits.
fn mask_of(bytes: u32) -> u32 {
    if bytes >= 32 { u32::MAX } else { (1 << bytes) - 1 }
}

/// Whether the destination must not overlap any source: a lowering pass splits the instruction into several, of which
/// later ones read sources after the first one has written.
pub fn is_early_clobber(inst: &Inst) -> bool {
    matches!(
        inst.op,
        Op::MovIndirect
            | Op::MovIndirectDst
            | Op::Shuffle
            | Op::Broadcast
            | Op::MulHigh
            | Op::Collect { .. }
            | Op::Message
    )
}

/// Calls `visit` for each read of an instruction, then for each write. An operand that spans several slots is one
/// access per slot. A destination with gaps is one access to all of its bytes that does not kill, and then one
/// killing access per element.
pub fn accesses(slots: &SlotMap, inst: &Inst, visit: &mut impl FnMut(Access)) {
    let read = |slot, bytes| Access { slot, bytes, write: false, kills: false };
    for (index, src) in inst.srcs.iter().enumerate() {
        match src.file {
            File::Null | File::Imm(_) | File::Uniform => {}
            File::Arf(ArfKind::Flag) => {
                let end = src.offset + src.region_bytes(inst.exec_size);
                let subs = src.offset / 2..end.div_ceil(2);
                subs.for_each(|sub| visit(read(GRF_COUNT + sub as usize, u32::MAX)));
            }
            File::Arf(_) => {}
            _ if src.vectors().is_some() && legal::has_regions(inst.op) => {
                vector_reads(slots, inst, index, &mut |slot, bytes| visit(read(slot, bytes)));
            }
            _ => slots.touched(src, inst.size_read(index), |slot, bytes| visit(read(slot, bytes))),
        }
    }
    if inst.reads_flag() {
        // With a normal predicate, each channel reads its own bit. A predicate such as `any4h` combines the bits of a
        // group of channels; in Align16, the group is one vector.
        let bits = match (inst.predicate.ctrl, inst.access_mode) {
            (PredCtrl::Normal, _) => flag_bits(inst),
            (_, AccessMode::Align16) => mask_of(u32::from(inst.exec_size)) << inst.group,
            _ => u32::MAX,
        };
        for_flags(slots, inst, |slot| visit(read(slot, bits)));
    }
    // An unlowered indirect write may leave any byte of its range unchanged.
    let whole = !inst.predicate_disables()
        && inst.op != Op::MovIndirectDst
        && !matches!(inst.dst.region, Region::Indirect { .. });
    let packed = matches!(inst.dst.region, Region::Stride(0 | 1))
        || matches!(inst.dst.region, Region::Mask(mask) if mask.0 == 15)
        || inst.op.is_message();
    slots.touched(&inst.dst, inst.size_written(), |slot, bytes| {
        visit(Access { slot, bytes, write: true, kills: whole && packed });
    });
    if whole && !packed {
        strided_kills(slots, inst, visit);
    }
    if inst.dst.is_arf(ArfKind::Flag) {
        let bytes = inst.dst.region_bytes(inst.exec_size);
        let subs = inst.dst.offset / 2..(inst.dst.offset + bytes).div_ceil(2);
        for sub in subs {
            let slot = GRF_COUNT + sub as usize;
            visit(Access { slot, bytes: u32::MAX, write: true, kills: whole });
        }
    }
    if inst.writes_flag() {
        let whole = inst.exec_size >= 8 && inst.dst.write_mask() == WriteMask::XYZW;
        let kills = !inst.is_predicated() && whole;
        for_flags(slots, inst, |slot| {
            visit(Access { slot, bytes: flag_bits(inst), write: true, kills });
        });
    }
}

/// The accesses of every instruction of a function, as computed by [`accesses`].
#[derive(Clone, Debug)]
pub struct Accesses {
    all: Vec<Access>,
    /// For each instruction, by its number in layout order, the range of its accesses in `all`.
    places: Vec<[u32; 2]>,
    /// Slots that NoMask instructions of more than one channel both write and read. An access to a flag register as an
    /// operand is one of all channels.
    across: FixedBitSet,
}

/// Equal if the instructions have the same accesses, wherever those are in `all`.
impl PartialEq for Accesses {
    fn eq(&self, other: &Accesses) -> bool {
        self.places.len() == other.places.len()
            && self.across == other.across
            && (0..self.places.len()).all(|number| self.of(number) == other.of(number))
    }
}

impl Eq for Accesses {}

impl Accesses {
    /// Computes the accesses of every instruction.
    pub fn new(function: &Function, slots: &SlotMap) -> Accesses {
        let count = function.inst_count();
        let mut all = Vec::with_capacity(8 * count);
        let mut places = Vec::with_capacity(count);
        let mut read = FixedBitSet::with_capacity(slots.count());
        let mut written = read.clone();
        for inst in function.insts() {
            let first = all.len();
            accesses(slots, inst, &mut |access| all.push(access));
            if inst.no_mask {
                // One channel reads or writes the bits of all channels of a flag register.
                let across = |access: &&Access| inst.exec_size > 1 || slots.is_flag(access.slot);
                for access in all[first..].iter().filter(across) {
                    (if access.write { &mut written } else { &mut read }).insert(access.slot);
                }
            }
            places.push([first as u32, all.len() as u32]);
        }
        read.intersect_with(&written);
        Accesses { all, places, across: read }
    }

    /// The accesses of an instruction, by its number in layout order; reads come first.
    pub fn of(&self, number: usize) -> &[Access] {
        let [first, end] = self.places[number];
        &self.all[first as usize..end as usize]
    }

    /// Updates the numbering after instructions moved: the instruction now at `first + i` was at `first + order[i]`.
    pub fn reorder(&mut self, first: usize, order: &[usize]) {
        let places = &mut self.places[first..first + order.len()];
        let old = places.to_vec();
        for (place, from) in places.iter_mut().zip(order) {
            *place = old[*from];
        }
    }

    /// Whether a write replaces the old contents of its bytes for all instructions that may read them later.
    pub fn kills(&self, inst: &Inst, access: &Access) -> bool {
        access.kills && (inst.no_mask || !self.across.contains(access.slot))
    }
}

/// Mask of the channels that an instruction works on: the bits of a flag that it reads or writes.
fn flag_bits(inst: &Inst) -> u32 {
    let components = u32::from(inst.dst.write_mask().0) * 0x1111_1111;
    (components & mask_of(u32::from(inst.exec_size))) << inst.group
}

/// Calls `visit` with the bytes of an Align16 source that channels really read.
fn vector_reads(slots: &SlotMap, inst: &Inst, index: usize, visit: &mut impl FnMut(Slot, u32)) {
    let (src, channels) = (&inst.srcs[index], inst.channels_read(index));
    for channel in 0..u32::from(inst.exec_size) {
        if channels.0 >> (channel % 4) & 1 == 1 {
            let element = src.byte_offset(src.channel_offset(channel));
            slots.touched(&element, src.ty.size(), &mut *visit);
        }
    }
}

/// Calls `visit` with a killing write for each element of a destination with a stride or write mask.
fn strided_kills(slots: &SlotMap, inst: &Inst, visit: &mut impl FnMut(Access)) {
    let enabled = |channel: u32| match inst.dst.region {
        Region::Mask(mask) => mask.0 >> (channel % 4) & 1 == 1,
        _ => true,
    };
    for channel in (0..u32::from(inst.exec_size)).filter(|c| enabled(*c)) {
        let element = inst.dst.byte_offset(inst.dst.channel_offset(channel));
        slots.touched(&element, inst.dst.ty.size(), |slot, bytes| {
            visit(Access { slot, bytes, write: true, kills: true });
        });
    }
}

/// Calls `visit` with each flag slot that an instruction's flag register covers.
fn for_flags(slots: &SlotMap, inst: &Inst, mut visit: impl FnMut(Slot)) {
    match inst.flag {
        Flag::Virtual(vreg) => visit(slots.of(vreg).start),
        Flag::Fixed(sub) => {
            let last = u32::from(inst.group) + u32::from(inst.exec_size) - 1;
            let first = usize::from(sub) + usize::from(inst.group / 16);
            let last = usize::from(sub) + (last / 16) as usize;
            (first..=last.min(FLAG_COUNT - 1)).for_each(|sub| visit(GRF_COUNT + sub));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crestline_isa::Type;

    /// The bytes of each slot among those of `base`, byte by byte.
    fn byte_by_byte(base: Slot, offset: u32, bytes: u32) -> Vec<(Slot, u32)> {
        let mut slots = std::collections::BTreeMap::new();
        for byte in offset..offset + bytes {
            *slots.entry(base + (byte / GRF_BYTES) as usize).or_insert(0) |=
                1 << (byte % GRF_BYTES);
        }
        slots.into_iter().collect()
    }

    #[test]
    fn operands_touch_the_slots_of_their_bytes() {
        let mut f = Function::new(16);
        let before = f.lanes(Type::F, 3);
        let value = f.lanes(Type::F, 2);
        let slots = SlotMap::new(&f);
        let base = slots.of(value.vreg().unwrap()).start;
        assert_eq!(base, slots.of(before.vreg().unwrap()).end);
        for (base, operand) in [(base, value), (3, Operand::grf(3, Type::F))] {
            for offset in 0..=128 {
                for bytes in 0..=128 - offset {
                    let mut found = Vec::new();
                    let operand = operand.byte_offset(offset);
                    slots.touched(&operand, bytes, |slot, bytes| found.push((slot, bytes)));
                    assert_eq!(found, byte_by_byte(base, offset, bytes), "{bytes} from {offset}");
                }
            }
        }
    }

    #[test]
    fn flags_are_touched_whole() {
        let mut f = Function::new(16);
        let mut b = crate::ir::Builder::new(&mut f);
        let Flag::Virtual(flag) = b.flag() else { panic!("a fixed flag") };
        let slots = SlotMap::new(&f);
        let operand = Operand { file: File::Vgrf(flag), ..Operand::null(Type::Uw) };
        let mut found = Vec::new();
        slots.touched(&operand, 2, |slot, bytes| found.push((slot, bytes)));
        assert_eq!(found, [(slots.of(flag).start, u32::MAX)]);
    }
}
