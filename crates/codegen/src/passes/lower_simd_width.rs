//! `lower_simd_width`: splits instructions with more channels than the hardware supports.
//!
//! The operands of each piece are those of the instruction moved by [`Operand::horiz_offset`]. If an earlier piece
//! would overwrite what a later piece reads, the source is copied first.

use crate::target::Target;

use super::{PassError, legal};
use crate::ir::{Builder, Function, Inst, Op, Operand};

/// Splits instructions with more channels than the hardware supports. Returns whether the function changed.
///
/// # Errors
/// An operand that cannot be moved by the number of channels of a piece.
pub fn lower_simd_width(function: &mut Function, target: &Target) -> Result<bool, PassError> {
    let too_wide = |inst: &Inst| legal::max_exec_size(inst, target) != inst.exec_size;
    function.try_rewrite(too_wide, |inst, b| {
        let width = legal::max_exec_size(&inst, target);
        split(inst, width, b)?;
        Ok(true)
    })
}

/// Emits an instruction as pieces of `width` channels.
fn split(mut inst: Inst, width: u8, b: &mut Builder<'_>) -> Result<(), PassError> {
    for index in 0..inst.srcs.len() {
        if inst.op != Op::MovIndirect && reads_after_write(&inst, index, width)? {
            let plain = inst.srcs[index].without_modifiers();
            let (copy, read) = b.temp(plain.ty);
            for first in (0..inst.exec_size).step_by(usize::from(width)) {
                let step = u32::from(first);
                let mut part = b.exec(width);
                // The copy has the controls of the instruction; see `piece`.
                let group = inst.group + first;
                let mut part = part.group(if inst.no_mask { group - group % 4 } else { group });
                part.mov(copy.horiz_offset(step)?, plain.horiz_offset(step)?);
            }
            let old = inst.srcs[index];
            inst.srcs[index] = Operand { negate: old.negate, abs: old.abs, ..read };
        }
    }
    for first in (0..inst.exec_size).step_by(usize::from(width)) {
        b.push(piece(&inst, first, width)?);
    }
    Ok(())
}

/// The piece with `width` channels of an instruction, from its channel `first` on.
fn piece(inst: &Inst, first: u8, width: u8) -> Result<Inst, PassError> {
    let step = u32::from(first);
    let mut part = inst.clone();
    part.exec_size = width;
    part.group = inst.group + first;
    // The field counts groups of four channels. It has no meaning for a piece that reads and writes no channel's enable or
    // flag.
    if inst.no_mask && !inst.is_predicated() && !inst.writes_flag() {
        part.group -= part.group % 4;
    }
    part.dst = inst.dst.horiz_offset(step)?;
    for src in &mut part.srcs {
        *src = src.horiz_offset(step)?;
    }
    // The size of the readable or writable range counts from the range operand's own offset.
    let range = match inst.op {
        Op::MovIndirect => part.srcs[0].offset - inst.srcs[0].offset,
        Op::MovIndirectDst => part.dst.offset - inst.dst.offset,
        _ => 0,
    };
    if range != 0 {
        let left = inst.srcs[2].imm_bits().map_or(0, |bytes| bytes as u32);
        part.srcs[2] = Operand::imm_ud(left.saturating_sub(range));
    }
    Ok(part)
}

/// Whether a piece writes bytes that a later piece reads from source `index`.
fn reads_after_write(inst: &Inst, index: usize, width: u8) -> Result<bool, PassError> {
    if inst.op == Op::MovIndirectDst || !inst.dst_overlaps_src(index) {
        return Ok(false);
    }
    let pieces: Vec<Inst> = (0..inst.exec_size)
        .step_by(usize::from(width))
        .map(|first| piece(inst, first, width))
        .collect::<Result<_, _>>()?;
    Ok(pieces.iter().enumerate().any(|(at, early)| {
        let written = early.span_written();
        pieces[at + 1..].iter().any(|late| late.span_read(index).overlaps(&written))
    }))
}
