//! `opt_pack_constants`: joins Align16 moves of constants to components of one register in a single move. Its source
//! is one constant, or a VF immediate of small floats, which the move can also convert to small integers.
//!
//! ```text
//! mov v1.x, 1.0F
//! mov v1.y, 2.0F    ->    mov v1.xy, [1.0, 2.0, 0, 0]:VF
//! ```
//!
//! The joined move is at the position of the earlier one. No instruction between them may use the register.

use crate::target::Target;
use crestline_isa::semantics::convert::vector_vf;
use crestline_isa::{AccessMode, CondMod, Type, WriteMask};

use std::sync::Arc;

use super::PassError;
use crate::ir::{Function, Inst, Operand, Region, Vreg, float_code, integer_code, packed_vector};

/// The dwords that a move writes, by component; `None` for components that it does not write.
type Dwords = [Option<u32>; 4];

/// Joins Align16 moves of constants to one register. Returns whether the function changed.
///
/// # Errors
/// None.
pub fn opt_pack_constants(function: &mut Function, _target: &Target) -> Result<bool, PassError> {
    let mut changed = false;
    for block in &mut function.blocks {
        if block.insts.iter().filter(|inst| dwords(inst).is_some()).nth(1).is_none() {
            continue;
        }
        // Moves of constants to registers that no later instruction has used yet.
        let mut open: Vec<(Vreg, usize)> = Vec::new();
        let mut gone = vec![false; block.insts.len()];
        for (index, gone) in gone.iter_mut().enumerate() {
            let inst = &block.insts[index];
            for vreg in inst.srcs.iter().filter_map(Operand::vreg) {
                open.retain(|entry| entry.0 != vreg);
            }
            let Some(vreg) = inst.dst.vreg() else { continue };
            let written = inst.span_written();
            let touched = |entry: &(Vreg, usize)| {
                entry.0 == vreg && block.insts[entry.1].span_written().overlaps(&written)
            };
            let before = open.iter().copied().find(touched);
            open.retain(|entry| !touched(entry));
            if dwords(inst).is_none() {
                continue;
            }
            let both =
                before.and_then(|(_, first)| Some((first, joined(&block.insts[first], inst)?)));
            match both {
                Some((first, both)) if function.fuel.take(|| inst.to_string()) => {
                    let origins = (block.insts[first].origin, inst.origin);
                    let debug = Arc::make_mut(&mut function.debug);
                    let origin = origins.0.merged(origins.1, debug);
                    block.insts[first] = Inst { origin, ..both };
                    *gone = true;
                    changed = true;
                    open.push((vreg, first));
                }
                _ => open.push((vreg, index)),
            }
        }
        let mut gone = gone.into_iter();
        block.insts.retain(|_| !gone.next().unwrap_or(false));
    }
    Ok(changed)
}

/// The dwords that an instruction writes, if it is an unpredicated Align16 move of a constant.
fn dwords(inst: &Inst) -> Option<Dwords> {
    let Region::Mask(mask) = inst.dst.region else { return None };
    let plain = inst.is_mov()
        && inst.access_mode == AccessMode::Align16
        && !inst.is_predicated()
        && inst.cond_mod == CondMod::None
        && !inst.saturate;
    let src = *inst.srcs.first()?;
    let bits = src.imm_bits()?;
    if !plain || src.has_modifiers() || inst.dst.vreg().is_none() {
        return None;
    }
    let component = |c: usize| match (inst.dst.ty, src.ty) {
        (Type::F, Type::Vf) => Some(vector_vf(bits as u32, c).to_bits()),
        (Type::D | Type::Ud, Type::Vf) => Some(vector_vf(bits as u32, c) as i32 as u32),
        (Type::F, Type::F) | (Type::D | Type::Ud, Type::D | Type::Ud) => Some(bits as u32),
        _ => None,
    };
    let mut all = [None; 4];
    for c in (0..4).filter(|c| mask.0 >> c & 1 == 1) {
        all[c] = Some(component(c)?);
    }
    Some(all)
}

/// One move with the effect of both; the second one takes precedence.
fn joined(first: &Inst, second: &Inst) -> Option<Inst> {
    let alike = first.dst.offset == second.dst.offset
        && first.exec_size == second.exec_size
        && first.group == second.group
        && first.no_mask == second.no_mask;
    let (old, new) = (dwords(first)?, dwords(second)?);
    let all: Dwords = std::array::from_fn(|c| new[c].or(old[c]));
    let mask = (0..4).filter(|c| all[*c].is_some()).fold(0u8, |mask, c| mask | 1 << c);
    let (ty, value) = constant(all, mask)?;
    let dst = first.dst.retype(ty).with_region(Region::Mask(WriteMask(mask)));
    alike.then(|| Inst { dst, srcs: smallvec::smallvec![value], ..first.clone() })
}

/// A constant that a move can write to get these dwords in the components of `mask`, and the type of the move's
/// destination.
fn constant(dwords: Dwords, mask: u8) -> Option<(Type, Operand)> {
    let mut given = dwords.iter().flatten();
    let first = *given.next()?;
    if given.all(|&other| other == first) {
        return Some((Type::Ud, Operand::imm_ud(first)));
    }
    let bits = dwords.map(|dword| dword.unwrap_or(0).into());
    let floats = packed_vector(bits, mask, float_code).map(|value| (Type::F, value));
    floats.or_else(|| packed_vector(bits, mask, integer_code).map(|value| (Type::D, value)))
}
