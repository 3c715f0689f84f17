//! `opt_coalesce_webs`: gives one register to values that are copied to each other across blocks, such as loop
//! variables and results of conditionals, and removes the copies between them. Two values can share a register if
//! they are never live at once with different contents.
//!
//! ```text
//! mov v5, 0               mov v5, 0
//! do                      do
//!   add v2, v5, 1    ->     add v5, v5, 1
//!   mov v5, v2
//! while                   while
//! ```
//!
//! Only values with one dword per channel are considered, and only if every instruction reads and writes each
//! channel's dword in that channel, without NoMask. For such values, the liveness of a single channel (along logical
//! edges) decides, because no instruction changes the data of disabled channels. Two values interfere if one is
//! written while the other is live, unless the write is a copy of the other.

use crate::target::Target;
use crestline_isa::Opcode;
use fixedbitset::FixedBitSet;

use super::{PassError, legal};
use crate::analysis::liveness::Liveness;
use crate::ir::{BlockId, Cfg, Class, File, Function, Inst, Op, Operand, Region, Vreg};

/// Largest number of values considered; copies of further values stay.
const MAX_VALUES: usize = 1024;

/// Merges values that are copied to each other across blocks. Returns whether the function changed.
///
/// # Errors
/// Broken control flow.
pub fn opt_coalesce_webs(function: &mut Function, _target: &Target) -> Result<bool, PassError> {
    let copies = copies(function);
    if copies.is_empty() {
        return Ok(false);
    }
    let cfg = Cfg::new(function)?;
    let webs = Webs::new(function, &cfg, copies);
    if webs.copies.is_empty() {
        return Ok(false);
    }
    let liveness = Liveness::new(function, &cfg);
    let mut classes = Classes::new(webs.interference(function, &liveness));
    let mut changed = false;
    for (a, b) in &webs.copies {
        let what = || format!("v{} and v{}", webs.values[*a].0, webs.values[*b].0);
        let may = || function.fuel.take(what);
        changed |= classes.merge(*a, *b, may);
    }
    if changed {
        rename(function, &webs, &mut classes);
    }
    Ok(changed)
}

/// All copies from one virtual register to another, in program order.
fn copies(function: &Function) -> Vec<(BlockId, Vreg, Vreg)> {
    let mut copies = Vec::new();
    for (block, index) in function.blocks.iter().zip(0..) {
        for (dst, src) in block.insts.iter().filter_map(copied).filter(|(dst, src)| dst != src) {
            copies.push((BlockId(index), dst, src));
        }
    }
    copies
}

/// The values that are connected by copies.
struct Webs {
    /// For each virtual register, its number among the values.
    numbers: Vec<Option<u16>>,
    values: Vec<Vreg>,
    /// Copies as pairs of value numbers; those in the deepest loops come first.
    copies: Vec<(usize, usize)>,
}

impl Webs {
    /// Numbers the values that `copies` connect and that satisfy the pass's conditions.
    fn new(function: &Function, cfg: &Cfg, mut copies: Vec<(BlockId, Vreg, Vreg)>) -> Webs {
        let fit = lanewise(function);
        copies.retain(|(_, dst, src)| fit[dst.index()] && fit[src.index()]);
        copies.sort_by_key(|(block, ..)| std::cmp::Reverse(cfg.loop_depth(*block)));
        let mut webs = Webs {
            numbers: vec![None; function.vregs.len()],
            values: Vec::new(),
            copies: Vec::new(),
        };
        for (_, dst, src) in copies {
            if let (Some(dst), Some(src)) = (webs.number(dst), webs.number(src)) {
                webs.copies.push((dst, src));
            }
        }
        webs
    }

    /// The number of a virtual register among the values; assigns one if there is room.
    fn number(&mut self, vreg: Vreg) -> Option<usize> {
        let slot = &mut self.numbers[vreg.index()];
        if slot.is_none() && self.values.len() < MAX_VALUES {
            *slot = Some(self.values.len() as u16);
            self.values.push(vreg);
        }
        slot.map(usize::from)
    }

    fn value_of(&self, operand: &Operand) -> Option<usize> {
        self.numbers[operand.vreg()?.index()].map(usize::from)
    }

    /// For each value, the values that it interferes with. An interference may be recorded for only one of the two
    /// values.
    ///
    /// The function walks backwards through each block and tracks the live bytes of each slot (`needed`), the number
    /// of live slots of each value (`slots_live`) and the live values (`live`). A written value interferes with all
    /// other live values, except with the source if the write is a copy.
    fn interference(&self, function: &Function, liveness: &Liveness) -> Vec<FixedBitSet> {
        let none = FixedBitSet::with_capacity(self.values.len());
        let mut rows = vec![none.clone(); self.values.len()];
        // The value to which each slot belongs.
        let mut owner: Vec<Option<u16>> = vec![None; liveness.slots.count()];
        for (number, vreg) in self.values.iter().enumerate() {
            owner[liveness.slots.of(*vreg)].fill(Some(number as u16));
        }
        let mut needed = vec![0u32; liveness.slots.count()];
        let mut slots_live = vec![0u32; self.values.len()];
        let mut others = none.clone();
        // Slots with entries in `needed` for the previous block, so that only those are cleared.
        let mut touched = Vec::new();
        for (index, block) in function.blocks.iter().enumerate() {
            let mut live = none.clone();
            for (slot, number) in touched.drain(..) {
                needed[slot] = 0;
                slots_live[usize::from(number)] = 0;
            }
            for slot in liveness.live_out(BlockId::from_index(index)) {
                if let Some(number) = owner[slot] {
                    touched.push((slot, number));
                    needed[slot] = u32::MAX;
                    slots_live[usize::from(number)] += 1;
                    live.insert(usize::from(number));
                }
            }
            let first = liveness.block_starts[index] as usize;
            for (at, inst) in block.insts.iter().enumerate().rev() {
                // The two payloads of a split send must not overlap, even if they have equal contents.
                if let Op::Send = inst.op
                    && let (Some(a), Some(b)) =
                        (self.value_of(&inst.srcs[1]), self.value_of(&inst.srcs[2]))
                {
                    rows[a].insert(b);
                }
                if let Some(written) = self.value_of(&inst.dst) {
                    others.clone_from(&live);
                    others.remove(written);
                    if let Some((_, src)) = copied(inst)
                        && let Some(src) = self.numbers[src.index()]
                    {
                        others.remove(usize::from(src));
                    }
                    rows[written].union_with(&others);
                }
                for writes in [true, false] {
                    for access in liveness.accesses.of(first + at) {
                        let Some(number) = owner[access.slot].filter(|_| access.write == writes)
                        else {
                            continue;
                        };
                        touched.push((access.slot, number));
                        let number = usize::from(number);
                        let held = &mut needed[access.slot];
                        let before = *held != 0;
                        if !writes {
                            *held |= access.bytes;
                        } else if liveness.accesses.kills(inst, access) {
                            *held &= !access.bytes;
                        }
                        match (before, *held != 0) {
                            (false, true) => slots_live[number] += 1,
                            (true, false) => slots_live[number] -= 1,
                            _ => continue,
                        }
                        if slots_live[number] == 0 {
                            live.remove(number);
                        } else {
                            live.insert(number);
                        }
                    }
                }
            }
        }
        rows
    }
}

/// Destination and source register of an unpredicated copy that changes no bits and keeps each byte at its offset.
fn copied(inst: &Inst) -> Option<(Vreg, Vreg)> {
    if !legal::is_raw_move(inst) || inst.is_predicated() || inst.writes_flag() {
        return None;
    }
    let (dst, src) = (&inst.dst, inst.srcs.first()?);
    (dst.offset == src.offset).then_some((dst.vreg()?, src.vreg()?))
}

/// For each virtual register, whether every instruction accesses only the dword of each channel in that channel,
/// without NoMask.
fn lanewise(function: &Function) -> Vec<bool> {
    let bytes = u32::from(function.dispatch_width) * 4;
    let mut fit: Vec<bool> = function
        .vregs
        .iter()
        .map(|(_, info)| info.class == Class::Grf && info.bytes == bytes && info.min_register == 0)
        .collect();
    for inst in function.insts() {
        let own = |operand: &Operand, write: bool| {
            let place = u32::from(inst.group) * 4;
            let step = operand.byte_stride(inst.exec_size) == Some(4);
            let whole = operand.ty.size() == 4 && operand.region == Region::PACKED;
            let by_channel = legal::has_regions(inst.op)
                || matches!(inst.op, Op::Send | Op::Message | Op::Collect { headers: 0 });
            let here = if write { operand.offset == place } else { operand.offset & !3 == place };
            by_channel && !inst.no_mask && here && if write { whole } else { step }
        };
        // A message may have several dwords per channel. The second register of a SIMD8 message is then that of the same
        // channels, but of channels 8 to 15 in a value.
        let dwords = u32::from(inst.exec_size) * 4;
        let message = matches!(inst.op, Op::Send | Op::Message);
        for (index, src) in inst.srcs.iter().enumerate() {
            if let Some(vreg) = src.vreg()
                && (!own(src, false) || message && inst.size_read(index) > dwords)
            {
                fit[vreg.index()] = false;
            }
        }
        if let Some(vreg) = inst.dst.vreg()
            && (!own(&inst.dst, true)
                || inst.op == Op::Collect { headers: 0 }
                || message && inst.size_written() > dwords)
        {
            fit[vreg.index()] = false;
        }
    }
    fit
}

/// Classes of values that share a register: a union-find structure with interference and members per class.
struct Classes {
    parent: Vec<usize>,
    rows: Vec<FixedBitSet>,
    members: Vec<FixedBitSet>,
}

impl Classes {
    /// One class per value, with the interference in `rows`.
    fn new(rows: Vec<FixedBitSet>) -> Classes {
        let members = (0..rows.len())
            .map(|index| {
                let mut set = FixedBitSet::with_capacity(rows.len());
                set.insert(index);
                set
            })
            .collect();
        Classes { parent: (0..rows.len()).collect(), rows, members }
    }

    /// The representative of a value's class.
    fn find(&mut self, mut index: usize) -> usize {
        while self.parent[index] != index {
            self.parent[index] = self.parent[self.parent[index]];
            index = self.parent[index];
        }
        index
    }

    /// Merges the classes of two values if they do not interfere and `may` allows it; returns whether it did.
    fn merge(&mut self, a: usize, b: usize, may: impl FnOnce() -> bool) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        if a == b
            || !self.rows[a].is_disjoint(&self.members[b])
            || !self.rows[b].is_disjoint(&self.members[a])
            || !may()
        {
            return false;
        }
        self.parent[b] = a;
        for sets in [&mut self.rows, &mut self.members] {
            let of_b = std::mem::take(&mut sets[b]);
            sets[a].union_with(&of_b);
        }
        true
    }
}

/// Replaces the registers of each class by one register, and removes copies from a register to itself.
fn rename(function: &mut Function, webs: &Webs, classes: &mut Classes) {
    let mut name = |operand: &mut Operand| {
        if let Some(value) = webs.value_of(operand) {
            operand.file = File::Vgrf(webs.values[classes.find(value)]);
        }
    };
    for inst in function.insts_mut() {
        inst.srcs.iter_mut().for_each(&mut name);
        name(&mut inst.dst);
    }
    for block in &mut function.blocks {
        block.insts.retain(|inst| {
            let own = copied(inst).is_some_and(|(dst, src)| dst == src);
            !(own && inst.op == Op::Hw(Opcode::Mov) && inst.dst.region == inst.srcs[0].region)
        });
    }
}
