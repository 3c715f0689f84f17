//! Allocation of flag registers.
//!
//! There are four subregisters of 16 bits, or two of 32 bits in a SIMD32 program. A virtual flag that gets none is
//! stored in a general register. Each instruction that uses the flag then uses a short-lived virtual flag, with a
//! move from the general register before a read and a move to it after a write.

use crestline_isa::{ArfKind, Type};

use crate::ir::{
    BlockId, Builder, Cfg, Class, Flag, Function, Inst, Operand, Origin, Vreg, VregInfo,
};

use super::accesses::{FLAG_COUNT, GRF_COUNT};
use super::liveness::{Interval, Liveness};

/// Order in which subregisters are tried. The hardware tracks dependencies per pair f0.0/f0.1 and f1.0/f1.1, so the
/// second halves come last.
const ORDER: [u8; FLAG_COUNT] = [0, 2, 1, 3];

/// Assigns a flag subregister to each virtual flag. If that fails, the error lists the flags that must move to
/// general registers first.
pub fn assign(function: &Function, liveness: &Liveness) -> Result<Vec<Option<u8>>, Vec<Vreg>> {
    let mut held: [Vec<(Interval, Option<Vreg>)>; FLAG_COUNT] = Default::default();
    for (sub, list) in held.iter_mut().enumerate() {
        let fixed = liveness.intervals[GRF_COUNT + sub];
        if !fixed.is_empty() {
            list.push((fixed, None));
        }
    }
    let mut order: Vec<(Interval, Vreg)> = function
        .vregs
        .iter()
        .filter(|(_, info)| info.class == Class::Flag)
        .map(|(vreg, _)| (liveness.vreg(vreg), vreg))
        .filter(|(interval, _)| !interval.is_empty())
        .collect();
    order.sort_by_key(|(interval, vreg)| (interval.start, *vreg));
    let mut places = vec![None; function.vregs.len()];
    let mut moved = Vec::new();
    for (interval, vreg) in order {
        let subs = usize::from(function.vregs[vreg].bytes > 2) + 1;
        let fits = |sub: u8| {
            let sub = usize::from(sub);
            sub % subs == 0
                && held[sub..sub + subs]
                    .iter()
                    .all(|list| list.iter().all(|(other, _)| !other.overlaps(interval)))
        };
        let choice = ORDER
            .into_iter()
            .filter(|sub| usize::from(*sub) + subs <= FLAG_COUNT)
            .find(|s| fits(*s));
        let Some(sub) = choice else {
            moved.push(victim(function, &held, interval, vreg));
            continue;
        };
        for list in &mut held[usize::from(sub)..usize::from(sub) + subs] {
            // Flags are visited in the order of their starts, so an interval that ended before this start cannot
            // conflict later.
            list.retain(|(other, _)| other.end >= interval.start);
            list.push((interval, Some(vreg)));
        }
        places[vreg.index()] = Some(sub);
    }
    if moved.is_empty() { Ok(places) } else { Err(moved) }
}

/// Chooses the flag to move to a general register: of `vreg` and the flags that overlap it, the one with the latest
/// end, because its removal frees a subregister for the longest time.
fn victim(
    function: &Function,
    held: &[Vec<(Interval, Option<Vreg>)>; FLAG_COUNT],
    interval: Interval,
    vreg: Vreg,
) -> Vreg {
    held.iter()
        .flatten()
        .filter(|(other, _)| other.overlaps(interval))
        .filter_map(|(other, owner)| owner.map(|owner| (other.end, owner)))
        .chain([(interval.end, vreg)])
        .filter(|(_, vreg)| !function.vregs[*vreg].no_spill)
        .max()
        .map_or(vreg, |(_, vreg)| vreg)
}

/// Moves virtual flags to general registers: each instruction that uses one gets a short-lived virtual flag instead,
/// with moves from and to the general register around it. Returns, for each block and each instruction in it, the
/// instruction's index in the block before, `None` for new ones.
pub fn move_out(function: &mut Function, cfg: &Cfg, flags: &[Vreg]) -> Vec<Vec<Option<u32>>> {
    let mut saved = vec![None; function.vregs.len()];
    for flag in flags {
        let bytes = function.vregs[*flag].bytes;
        saved[flag.index()] = Some(function.vregs.bytes(bytes));
    }
    let width = function.dispatch_width;
    let mut read_as_data = vec![false; function.vregs.len()];
    for vreg in function.insts().flat_map(|inst| inst.srcs.iter().filter_map(Operand::vreg)) {
        read_as_data[vreg.index()] = true;
    }
    let mut origins = Vec::new();
    for (b, block) in function.blocks.iter_mut().enumerate() {
        let top = cfg.level(BlockId::from_index(b)).is_none();
        let old = std::mem::take(&mut block.insts);
        let mut new: Vec<Inst> = Vec::with_capacity(old.len());
        let mut from = Vec::with_capacity(old.len());
        for (index, mut inst) in old.into_iter().enumerate() {
            let operands = inst.srcs.iter().chain([&inst.dst]).filter_map(Operand::vreg);
            let used = match inst.flag {
                Flag::Virtual(vreg) if inst.reads_flag() || inst.writes_flag() => Some(vreg),
                _ => None,
            };
            let mut touched: Vec<(Vreg, Vreg)> = Vec::new();
            for vreg in operands.chain(used) {
                if let Some(save) = saved.get(vreg.index()).copied().flatten()
                    && touched.iter().all(|(other, _)| *other != vreg)
                {
                    touched.push((vreg, save));
                }
            }
            let mut after = Vec::new();
            for (vreg, save) in touched {
                let info = function.vregs[vreg];
                let temp = function.vregs.push(VregInfo { no_spill: true, ..info });
                let ty = if info.bytes > 2 { Type::Ud } else { Type::Uw };
                let (save, whole) = (Operand::scalar(save, ty), Operand::scalar(temp, ty));
                // A write of a flag changes only the bits of enabled channels, so the old bits are loaded first. This
                // is not needed for an unpredicated write outside all control flow for all channels, because no other
                // bits are used, unless an instruction reads the flag register as an operand.
                let by_flag = inst.flag == Flag::Virtual(vreg);
                let whole_write = top
                    && by_flag
                    && !inst.reads_flag()
                    && inst.exec_size == width
                    && !read_as_data[vreg.index()];
                if !whole_write {
                    let b = Builder::list(&mut function.vregs, &mut new, width);
                    let mut b = b.from_origin(Origin::Spill);
                    b.uniform().mov(whole, save);
                }
                let written = inst.dst.vreg() == Some(vreg)
                    || inst.writes_flag() && inst.flag == Flag::Virtual(vreg);
                if written {
                    let b = Builder::list(&mut function.vregs, &mut after, width);
                    let mut b = b.from_origin(Origin::Spill);
                    b.uniform().mov(save, whole);
                }
                for operand in inst.srcs.iter_mut().chain([&mut inst.dst]) {
                    if operand.vreg() == Some(vreg) {
                        operand.file = crate::ir::File::Vgrf(temp);
                    }
                }
                if inst.flag == Flag::Virtual(vreg) {
                    inst.flag = Flag::Virtual(temp);
                }
            }
            from.resize(new.len(), None);
            new.push(inst);
            from.push(Some(index as u32));
            new.append(&mut after);
            from.resize(new.len(), None);
        }
        block.insts = new;
        origins.push(from);
    }
    let saved: Vec<Operand> = saved
        .into_iter()
        .flatten()
        .map(|save| {
            let wide = function.vregs[save].bytes > 2;
            Operand::scalar(save, if wide { Type::Ud } else { Type::Uw })
        })
        .collect();
    clear(function, &saved, &mut origins);
    origins
}

/// Clears all flag registers at the start of the program; see `clear`.
pub fn clear_all(function: &mut Function, origins: &mut [Vec<Option<u32>>]) {
    let size = Type::Ud.size();
    let flags: Vec<Operand> = (0..FLAG_COUNT as u32 * 2 / size)
        .map(|number| Operand::arf(ArfKind::Flag, number * size, Type::Ud).with_stride(0))
        .collect();
    clear(function, &flags, origins);
}

/// Clears flag registers, or the general registers that hold moved flags, at the start of the program. Flags are
/// moved as a whole, including bits of channels that do not exist or never wrote the flag. No instruction depends on
/// those bits, but clearing them makes the result of the program's moves deterministic.
fn clear(function: &mut Function, places: &[Operand], origins: &mut [Vec<Option<u32>>]) {
    let (Some(block), Some(from)) = (function.blocks.first_mut(), origins.first_mut()) else {
        return;
    };
    if block.insts.first().is_some_and(|inst| inst.op.starts_block()) {
        return;
    }
    let mut insts = Vec::new();
    let b = Builder::list(&mut function.vregs, &mut insts, function.dispatch_width);
    let mut b = b.from_origin(Origin::Spill);
    for &place in places {
        let zero = if place.ty.size() > 2 { Operand::imm_ud(0) } else { Operand::imm_uw(0) };
        b.uniform().mov(place, zero);
    }
    from.splice(0..0, insts.iter().map(|_| None));
    block.insts.splice(0..0, insts);
}
