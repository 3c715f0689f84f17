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
//! A register may have several parts of one dword per channel, such as the result of a message or a payload. Each part is
//! a value. A register of packed words has one part, and so has one of 16 dwords in a thread of 32 channels: it holds half of
//! a value, channels 0 to 15 or 16 to 31. If parts of two registers share a register, the other parts of the
//! smaller one get the places beside it:
//!
//! ```text
//! if                                   if
//!   send v4, ... (4 registers)           send v9, ... (4 registers)
//!   mov v0, v4                         else
//!   mov v1, v4+32                        send v9, ... (4 registers)
//!   ...                                endif
//! else                           ->    send null, v9 (4 registers)
//!   send v5, ... (4 registers)
//!   mov v0, v5
//!   ...
//! endif
//! mov v9, v0
//! ...
//! send null, v9 (4 registers)
//! ```
//!
//! Only registers are considered whose parts every instruction reads and writes in the dword (or word) of each channel, without
//! NoMask. For such values, the liveness of a single channel (along logical edges) decides, because no instruction changes the data of
//! disabled channels. Two values interfere if one is written while the other is live, unless the write is a copy of the other.

use crate::target::Target;
use crestline_isa::Opcode;
use fixedbitset::FixedBitSet;

use super::{PassError, legal};
use crate::analysis::liveness::Liveness;
use crate::ir::{
    BlockId, Cfg, Class, File, Function, GRF_BYTES, Inst, Op, Operand, Region, Vreg, VregInfo,
};

/// Largest number of values considered; copies of further values stay.
const MAX_VALUES: usize = 1024;

/// Most parts of a register that is considered.
const MAX_PARTS: u32 = 8;

/// Merges values that are copied to each other across blocks. Returns whether the function changed.
///
/// # Errors
/// Broken control flow.
pub fn opt_coalesce_webs(function: &mut Function, _target: &Target) -> Result<bool, PassError> {
    if !function.insts().any(legal::is_raw_move) {
        return Ok(false);
    }
    let part_bytes = part_bytes(function);
    let copies = copies(function, &part_bytes);
    if copies.is_empty() {
        return Ok(false);
    }
    let cfg = Cfg::new(function)?;
    let webs = Webs::new(function, &cfg, part_bytes, copies);
    if webs.copies.is_empty() {
        return Ok(false);
    }
    let liveness = Liveness::new(function, &cfg);
    let mut classes = Classes::new(&webs, webs.interference(function, &liveness));
    let mut changed = false;
    for &(a, b) in &webs.copies {
        let name = |value: usize| webs.registers[usize::from(webs.owners[value])].vreg.0;
        let may = || function.fuel.take(|| format!("v{} and v{}", name(a), name(b)));
        changed |= classes.merge(&webs, a, b, may);
    }
    if changed {
        rename(function, &webs, &classes);
    }
    Ok(changed)
}

/// A part of a register: the register, and the number of the part.
type Part = (Vreg, u32);

/// All copies from one part of a register to another, in program order.
fn copies(function: &Function, part_bytes: &[u32]) -> Vec<(BlockId, Part, Part)> {
    let mut copies = Vec::new();
    for (block, index) in function.blocks.iter().zip(0..) {
        let list = block.insts.iter().filter_map(|inst| copied(inst, part_bytes));
        copies.extend(list.filter(|(dst, src)| dst != src).map(|(a, b)| (BlockId(index), a, b)));
    }
    copies
}

/// For each virtual register, the bytes of its parts (a dword or a word for each channel, or a dword for each channel of a half), or 0 if
/// it is not considered.
fn part_bytes(function: &Function) -> Vec<u32> {
    let [dwords, words] = [4, 2].map(|size| lanewise(function, size));
    let width = u32::from(function.dispatch_width);
    let bytes = |((dwords, words), (_, info)): (_, (_, &VregInfo))| match (dwords, words) {
        (true, _) => info.bytes.min(width * 4),
        (false, true) => width * 2,
        (false, false) => 0,
    };
    dwords.into_iter().zip(words).zip(function.vregs.iter()).map(bytes).collect()
}

/// The values that are connected by copies.
struct Webs {
    /// For each virtual register, the bytes of its parts; 0 if it is not considered.
    part_bytes: Vec<u32>,
    /// For each virtual register, its number among the registers.
    numbers: Vec<Option<u16>>,
    registers: Vec<Register>,
    /// For each value, its register's number.
    owners: Vec<u16>,
    /// Copies as pairs of value numbers; those in the deepest loops come first.
    copies: Vec<(usize, usize)>,
}

/// A register with consecutive values.
struct Register {
    vreg: Vreg,
    first_value: usize,
    parts: usize,
    info: VregInfo,
    /// Whether an instruction in a loop reads or writes it.
    in_loop: bool,
}

impl Webs {
    /// Numbers the values of the registers that `copies` connect.
    fn new(
        function: &Function,
        cfg: &Cfg,
        part_bytes: Vec<u32>,
        mut copies: Vec<(BlockId, Part, Part)>,
    ) -> Webs {
        copies.sort_by_key(|(block, ..)| std::cmp::Reverse(cfg.loop_depth(*block)));
        let mut webs = Webs {
            part_bytes,
            numbers: vec![None; function.vregs.len()],
            registers: Vec::new(),
            owners: Vec::new(),
            copies: Vec::new(),
        };
        for (_, dst, src) in copies {
            if let (Some(a), Some(b)) = (webs.number(function, dst), webs.number(function, src)) {
                webs.copies.push((a, b));
            }
        }
        for (block, index) in function.blocks.iter().zip(0..) {
            if cfg.loop_depth(BlockId(index)) == 0 {
                continue;
            }
            for operand in block.insts.iter().flat_map(|inst| inst.srcs.iter().chain([&inst.dst])) {
                if let Some(number) = operand.vreg().and_then(|vreg| webs.numbers[vreg.index()]) {
                    webs.registers[usize::from(number)].in_loop = true;
                }
            }
        }
        webs
    }

    /// The number of a part among the values; numbers its register if there is room.
    fn number(&mut self, function: &Function, (vreg, part): Part) -> Option<usize> {
        let slot = &mut self.numbers[vreg.index()];
        let info = *function.vregs.get(vreg)?;
        let parts = (info.bytes / self.part_bytes[vreg.index()]) as usize;
        if slot.is_none() && self.owners.len() + parts <= MAX_VALUES {
            let number = self.registers.len() as u16;
            *slot = Some(number);
            let first_value = self.owners.len();
            self.registers.push(Register { vreg, first_value, parts, info, in_loop: false });
            self.owners.extend(std::iter::repeat_n(number, parts));
        }
        slot.map(|number| self.registers[usize::from(number)].first_value + part as usize)
    }

    fn register_of(&self, operand: &Operand) -> Option<&Register> {
        Some(&self.registers[usize::from(self.numbers[operand.vreg()?.index()]?)])
    }

    /// The values in `bytes` bytes from the start of an operand on.
    fn values_of(&self, operand: &Operand, bytes: u32) -> std::ops::Range<usize> {
        let Some(register) = self.register_of(operand) else { return 0..0 };
        let part_bytes = self.part_bytes[register.vreg.index()];
        let first = (operand.offset / part_bytes) as usize;
        let end = (operand.offset + bytes).div_ceil(part_bytes) as usize;
        let end = end.min(register.parts);
        register.first_value + first.min(end)..register.first_value + end
    }

    /// For each value, the values that it interferes with. An interference may be recorded for only one of the two
    /// values.
    ///
    /// The function walks backwards through each block and tracks the live bytes of each slot (`needed`), the number
    /// of live slots of each value (`slots_live`) and the live values (`live`). A written value interferes with all
    /// other live values, except with the source if the write is a copy.
    fn interference(&self, function: &Function, liveness: &Liveness) -> Vec<FixedBitSet> {
        let count = self.owners.len();
        let none = FixedBitSet::with_capacity(count);
        let mut rows = vec![none.clone(); count];
        // The value to which each slot belongs.
        let mut owner: Vec<Option<u16>> = vec![None; liveness.slots.count()];
        for register in &self.registers {
            let part_bytes = self.part_bytes[register.vreg.index()];
            let slots_of_part = (part_bytes / GRF_BYTES).max(1) as usize;
            for (index, slot) in liveness.slots.of(register.vreg).enumerate() {
                owner[slot] = Some((register.first_value + index / slots_of_part) as u16);
            }
        }
        let mut needed = vec![0u32; liveness.slots.count()];
        let mut slots_live = vec![0u32; count];
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
                if let Op::Send = inst.op {
                    let [a, b] =
                        [1, 2].map(|at| self.values_of(&inst.srcs[at], inst.size_read(at)));
                    a.for_each(|a| rows[a].insert_range(b.clone()));
                }
                for written in self.values_of(&inst.dst, inst.size_written()) {
                    others.clone_from(&live);
                    others.remove(written);
                    if let Some((_, (src, part))) = copied(inst, &self.part_bytes)
                        && let Some(number) = self.numbers[src.index()]
                    {
                        let register = &self.registers[usize::from(number)];
                        others.remove(register.first_value + part as usize);
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

/// Destination and source of an unpredicated copy that changes no bits and keeps each byte at its offset in the part.
fn copied(inst: &Inst, part_bytes: &[u32]) -> Option<(Part, Part)> {
    if !legal::is_raw_move(inst) || inst.is_predicated() || inst.writes_flag() {
        return None;
    }
    let (dst, src) = (&inst.dst, inst.srcs.first()?);
    let (to, from) = (dst.vreg()?, src.vreg()?);
    let bytes = part_bytes[to.index()];
    if bytes == 0 || part_bytes[from.index()] != bytes || dst.offset % bytes != src.offset % bytes {
        return None;
    }
    // Half of a value of dwords has as many bytes as a value of words.
    if dst.byte_stride(inst.exec_size) != src.byte_stride(inst.exec_size) {
        return None;
    }
    Some(((to, dst.offset / bytes), (from, src.offset / bytes)))
}

/// For each virtual register, whether every instruction accesses only the element of each channel, which has `size` bytes
/// (4 or 2), in that channel's place of a part, without NoMask. In a thread of 32 channels, a register of 16 dwords has the channels of one half. A
/// register of words must have one part, because two parts
/// of SIMD8 would lie in the same slot of the liveness analysis.
fn lanewise(function: &Function, size: u32) -> Vec<bool> {
    let bytes = u32::from(function.dispatch_width) * size;
    let half = (size == 4 && function.dispatch_width == 32).then_some(bytes / 2);
    let most_parts = if size == 4 { MAX_PARTS } else { 1 };
    let mut fit: Vec<bool> = function
        .vregs
        .iter()
        .map(|(_, info)| {
            let parts = info.bytes / bytes;
            let whole = info.bytes.is_multiple_of(bytes) && (1..=most_parts).contains(&parts);
            let single = parts == 1 || Some(info.bytes) == half;
            info.class == Class::Grf && (whole || single) && (!single || info.min_register == 0)
        })
        .collect();
    // For each register, its first channel. That of a half follows from the first access.
    let whole = |(_, info): (_, &VregInfo)| (Some(info.bytes) != half).then_some(0);
    let mut first_channels: Vec<Option<u8>> = function.vregs.iter().map(whole).collect();
    for inst in function.insts() {
        let mut own = |vreg: Vreg, operand: &Operand, write: bool| {
            let half_of = inst.group & !15;
            let first = *first_channels[vreg.index()].get_or_insert(half_of);
            let Some(channel) = inst.group.checked_sub(first) else { return false };
            if inst.exec_size > 16 && Some(function.vregs[vreg].bytes) == half {
                return false;
            }
            let place = u32::from(channel) * size;
            let step = operand.byte_stride(inst.exec_size) == Some(size);
            let whole = operand.ty.size() == size && operand.region == Region::PACKED;
            let by_channel = legal::has_regions(inst.op)
                || matches!(inst.op, Op::Send | Op::Message | Op::Collect { headers: 0 });
            let offset = operand.offset % bytes;
            let here = if write { offset == place } else { offset & !(size - 1) == place };
            by_channel && !inst.no_mask && here && if write { whole } else { step }
        };
        let elements = u32::from(inst.exec_size) * size;
        let message = matches!(inst.op, Op::Send | Op::Message);
        let takes_elements = !message || size == 4;
        // Instructions other than messages access one dword per channel. A message may access several, which are in parts of
        // the register only if it has all channels: the second register of a SIMD8 message in a wider thread is that of
        // the same channels, but of channels 8 to 15 in a part.
        let in_parts = |read: u32| {
            read <= elements || message && elements == bytes && read.is_multiple_of(bytes)
        };
        let plane = inst.op == Op::Hw(Opcode::Pln);
        for (index, src) in inst.srcs.iter().enumerate() {
            if let Some(vreg) = src.vreg()
                && (!own(vreg, src, false)
                    || !in_parts(inst.size_read(index))
                    || plane
                    || !takes_elements)
            {
                fit[vreg.index()] = false;
            }
        }
        if let Some(vreg) = inst.dst.vreg()
            && (!own(vreg, &inst.dst, true)
                || inst.op == Op::Collect { headers: 0 }
                || !takes_elements
                || !in_parts(inst.size_written()))
        {
            fit[vreg.index()] = false;
        }
    }
    fit
}

/// Classes of registers that lie in one register: a union-find structure with interference and members for each part.
struct Classes {
    /// For each register, another register of the class, and the part of it at which this one begins. Roots name themselves.
    parent: Vec<(usize, usize)>,
    /// For each root, what all registers of its class need.
    roots: Vec<Root>,
}

/// The root of a class: the register in which the others lie.
struct Root {
    /// For each part, the values in it, and those with which they interfere.
    parts: Vec<(FixedBitSet, FixedBitSet)>,
    info: VregInfo,
    in_loop: bool,
}

impl Classes {
    /// One class per register, with the interference in `rows`.
    fn new(webs: &Webs, mut rows: Vec<FixedBitSet>) -> Classes {
        let of_value = |value: usize| {
            let row = std::mem::take(&mut rows[value]);
            let mut member = FixedBitSet::with_capacity(row.len());
            member.insert(value);
            (member, row)
        };
        let mut values = (0..webs.owners.len()).map(of_value);
        let root = |register: &Register| Root {
            parts: values.by_ref().take(register.parts).collect(),
            info: register.info,
            in_loop: register.in_loop,
        };
        let roots: Vec<Root> = webs.registers.iter().map(root).collect();
        Classes { parent: (0..roots.len()).map(|index| (index, 0)).collect(), roots }
    }

    /// The root of a register's class, and the part of it at which the register begins.
    fn find(&self, mut register: usize) -> (usize, usize) {
        let mut begin = 0;
        while self.parent[register].0 != register {
            let (parent, shift) = self.parent[register];
            (register, begin) = (parent, begin + shift);
        }
        (register, begin)
    }

    /// Puts the registers of two values into one class so that the values share a part, if nothing interferes and `may` allows
    /// it; returns whether it did.
    fn merge(&mut self, webs: &Webs, a: usize, b: usize, may: impl FnOnce() -> bool) -> bool {
        let place = |value: usize| {
            let register = usize::from(webs.owners[value]);
            let (root, begin) = self.find(register);
            (root, begin + value - webs.registers[register].first_value)
        };
        let (mut outer, mut inner) = (place(a), place(b));
        if outer.0 == inner.0 {
            return false;
        }
        if self.roots[outer.0].parts.len() < self.roots[inner.0].parts.len() {
            std::mem::swap(&mut outer, &mut inner);
        }
        let Some(begin) = outer.1.checked_sub(inner.1) else { return false };
        let [big, small] = [outer, inner].map(|(root, _)| &self.roots[root]);
        let count = small.parts.len();
        if begin + count > big.parts.len() {
            return false;
        }
        // A register that must not be spilled must not be needed for long.
        let fixed = big.info.no_spill || small.info.no_spill;
        if fixed && (big.in_loop || small.in_loop) {
            return false;
        }
        let mut pairs = big.parts[begin..begin + count].iter().zip(&small.parts);
        let apart = pairs.all(|((members, rows), (own, own_rows))| {
            rows.is_disjoint(own) && own_rows.is_disjoint(members)
        });
        if !apart || !may() {
            return false;
        }
        self.parent[inner.0] = (outer.0, begin);
        let small = std::mem::take(&mut self.roots[inner.0].parts);
        let info = self.roots[inner.0].info;
        let in_loop = self.roots[inner.0].in_loop;
        let big = &mut self.roots[outer.0];
        for ((members, rows), (own, own_rows)) in big.parts[begin..].iter_mut().zip(&small) {
            members.union_with(own);
            rows.union_with(own_rows);
        }
        big.info.min_register = big.info.min_register.max(info.min_register);
        big.info.no_spill |= info.no_spill;
        big.in_loop |= in_loop;
        true
    }
}

/// Replaces the registers of each class by one register, and removes copies from a place to itself.
fn rename(function: &mut Function, webs: &Webs, classes: &Classes) {
    let name = |operand: &mut Operand| {
        if let Some(vreg) = operand.vreg()
            && let Some(number) = webs.numbers[vreg.index()]
        {
            let (root, begin) = classes.find(usize::from(number));
            operand.file = File::Vgrf(webs.registers[root].vreg);
            operand.offset += begin as u32 * webs.part_bytes[vreg.index()];
        }
    };
    for inst in function.insts_mut() {
        inst.srcs.iter_mut().for_each(name);
        name(&mut inst.dst);
    }
    for (register, root) in webs.registers.iter().zip(&classes.roots) {
        if let Some(info) = function.vregs.get_mut(register.vreg) {
            (info.min_register, info.no_spill) = (root.info.min_register, root.info.no_spill);
        }
    }
    for block in &mut function.blocks {
        block.insts.retain(|inst| {
            let own = copied(inst, &webs.part_bytes).is_some_and(|(dst, src)| dst == src);
            !(own && inst.op == Op::Hw(Opcode::Mov) && inst.dst.region == inst.srcs[0].region)
        });
    }
}
