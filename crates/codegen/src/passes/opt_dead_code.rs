//! `opt_dead_code`: instructions whose results nobody reads go; flag writes nobody reads too.
//!
//! Backwards through each block with the bytes that are read later. What is read is a channel's
//! own view (see [`Liveness`]): a masked write ends the need for what it overwrites.

use crestline_device::Device;
use crestline_isa::{ArfKind, CondMod, Opcode, WriteMask};

use super::legal::align16::TORN_MASKS;
use super::{PassError, legal};
use crate::ir::{BlockId, Cfg, File, Function, Inst, Op, Operand, Region};
use crate::regalloc::liveness::{Access, Liveness, Slot, accesses};

/// Runs the pass.
///
/// # Errors
/// Broken control flow.
pub fn opt_dead_code(function: &mut Function, _device: &Device) -> Result<bool, PassError> {
    let cfg = Cfg::new(function)?;
    let liveness = Liveness::new(function, &cfg);
    let mut live = Bytes::new(liveness.slots.count());
    // Places in a block of what goes, last first.
    let mut dead = Vec::new();
    let mut changed = false;
    for (index, block) in function.blocks.iter_mut().enumerate() {
        live.clear();
        for slot in liveness.live_out(BlockId(index as u32)) {
            live.add(*slot, u32::MAX);
        }
        let mut state = State { liveness: &liveness, live: &mut live, acc: false, address: false };
        let first = liveness.block_starts[index] as usize;
        dead.clear();
        for (at, inst) in block.insts.iter_mut().enumerate().rev() {
            match state.visit(inst, first + at) {
                Verdict::Dead => dead.push(at),
                Verdict::Changed => changed = true,
                Verdict::Same => {}
            }
        }
        if !dead.is_empty() {
            changed = true;
            let mut at = 0;
            block.insts.retain(|_| {
                let dies = dead.pop_if(|dead| *dead == at).is_some();
                at += 1;
                !dies
            });
        }
    }
    Ok(changed)
}

enum Verdict {
    Same,
    Changed,
    Dead,
}

/// Bytes of each slot, one bit each. Clearing takes time for what was added, not for all slots.
struct Bytes {
    of: Vec<u32>,
    added: Vec<Slot>,
}

impl Bytes {
    fn new(slots: usize) -> Bytes {
        Bytes { of: vec![0; slots], added: Vec::new() }
    }

    fn clear(&mut self) {
        for slot in self.added.drain(..) {
            self.of[slot] = 0;
        }
    }

    fn add(&mut self, slot: Slot, bytes: u32) {
        if self.of[slot] == 0 {
            self.added.push(slot);
        }
        self.of[slot] |= bytes;
    }

    fn remove(&mut self, slot: Slot, bytes: u32) {
        self.of[slot] &= !bytes;
    }

    fn has_any(&self, slot: Slot, bytes: u32) -> bool {
        self.of[slot] & bytes != 0
    }
}

struct State<'a> {
    liveness: &'a Liveness,
    live: &'a mut Bytes,
    acc: bool,
    address: bool,
}

impl State<'_> {
    /// Looks at instruction `number` of the function, which stands before those seen.
    fn visit(&mut self, inst: &mut Inst, number: usize) -> Verdict {
        let mut dst_live = inst.dst.is_arf(ArfKind::Accumulator) && self.acc
            || inst.dst.is_arf(ArfKind::Address) && self.address
            // Fixed registers may be read by whoever comes after the program.
            || matches!(inst.dst.file, File::Grf | File::Indirect { .. });
        let mut flag_live = false;
        for access in self.liveness.accesses.of(number) {
            if access.write && self.live.has_any(access.slot, access.bytes) {
                match is_flag_write(inst, access, self.liveness) {
                    true => flag_live = true,
                    false => dst_live = true,
                }
            }
        }
        let acc_live = self.acc && inst.writes_accumulator();
        let mut verdict = Verdict::Same;
        if !inst.has_side_effects() && inst.op != Op::Hw(Opcode::Wait) {
            if !dst_live && !flag_live && !acc_live {
                return Verdict::Dead;
            }
            if inst.writes_flag() && !flag_live && !is_comparison(inst) {
                inst.cond_mod = CondMod::None;
                verdict = Verdict::Changed;
            }
        }
        if let Some(mask) = self.needed_components(inst)
            && mask != inst.dst.write_mask()
        {
            inst.dst.region = Region::Mask(mask);
            verdict = Verdict::Changed;
        }
        if !dst_live && !inst.dst.is_null() && can_drop_dst(inst) {
            inst.dst = Operand::null(inst.dst.ty);
            verdict = Verdict::Changed;
        }
        match verdict {
            Verdict::Changed => {
                let mut now = Vec::new();
                accesses(&self.liveness.slots, inst, &mut |access| now.push(access));
                self.step(inst, &now);
            }
            _ => self.step(inst, self.liveness.accesses.of(number)),
        }
        verdict
    }

    /// The components of a vector that are read later; `None` where others must be written too.
    fn needed_components(&self, inst: &Inst) -> Option<WriteMask> {
        let Region::Mask(mask) = inst.dst.region else { return None };
        inst.dst.vreg()?;
        if !legal::has_regions(inst.op) || inst.writes_flag() || inst.writes_accumulator() {
            return None;
        }
        let read = |component: u8| {
            let one = Region::Mask(WriteMask(1 << component));
            let only = Inst { dst: inst.dst.with_region(one), ..inst.clone() };
            let mut live = false;
            accesses(&self.liveness.slots, &only, &mut |access| {
                live |=
                    access.write && access.kills && self.live.has_any(access.slot, access.bytes);
            });
            live
        };
        let needed = (0..4u8).filter(|c| mask.0 >> c & 1 == 1 && read(*c));
        let needed = WriteMask(needed.fold(0, |mask, component| mask | 1 << component));
        // The hardware cannot have every mask of doubles.
        (needed.0 != 0 && (inst.dst.ty.size() < 8 || !TORN_MASKS.contains(&needed)))
            .then_some(needed)
    }

    /// Moves to the point before an instruction that stays, with what it touches.
    fn step(&mut self, inst: &Inst, touched: &[Access]) {
        if inst.writes_accumulator() && !inst.is_predicated() {
            self.acc = false;
        }
        self.acc |= inst.reads_accumulator();
        if inst.dst.is_arf(ArfKind::Address) {
            self.address = false;
        }
        self.address |= inst
            .srcs
            .iter()
            .chain([&inst.dst])
            .any(|operand| matches!(operand.file, File::Indirect { .. }))
            || inst.srcs.iter().any(|src| src.is_arf(ArfKind::Address));
        for access in touched.iter().filter(|access| access.write) {
            if self.liveness.kills(inst, access) {
                self.live.remove(access.slot, access.bytes);
            }
        }
        for access in touched.iter().filter(|access| !access.write) {
            self.live.add(access.slot, access.bytes);
        }
    }
}

fn is_flag_write(inst: &Inst, access: &Access, liveness: &Liveness) -> bool {
    inst.writes_flag() && liveness.slots.is_flag(access.slot) && !inst.dst.is_arf(ArfKind::Flag)
}

fn is_comparison(inst: &Inst) -> bool {
    matches!(inst.op, Op::Hw(Opcode::Cmp | Opcode::Cmpn))
}

/// Whether the instruction can do without a destination: for the flag, or for the message's
/// effect.
fn can_drop_dst(inst: &Inst) -> bool {
    let in_vgrf = inst.dst.vreg().is_some();
    in_vgrf && inst.writes_flag() && legal::has_regions(inst.op) && !legal::is_three_source(inst.op)
}
