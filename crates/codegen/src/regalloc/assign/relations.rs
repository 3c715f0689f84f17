//! Restrictions and hints for the places of values, collected from all instructions before the scan.

use crate::ir::{File, Function, GRF_BYTES, Inst, Operand, Vreg};
use crate::lists::Lists;

use super::super::accesses::is_early_clobber;

/// A restriction on the places of two virtual registers, a source and the destination of one instruction. The
/// hardware executes a wide instruction in parts, so a write of an early part could overwrite source bytes that a
/// later part reads. The two registers may therefore overlap only if each channel writes exactly the bytes that it
/// read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hazard {
    pub(super) other: Vreg,
    /// The offset of this register's operand minus the offset of the other register's operand, in bytes. If the two
    /// operands start at the same byte, overlap is safe. `None` if no overlap is safe.
    pub(super) shift: Option<i32>,
}

/// A restriction on the place of a virtual register by a physical operand of the same instruction. If the virtual
/// register is the destination, these are the bytes of a source, and vice versa.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fixed {
    /// First byte, counted from g0.
    pub(super) start: u32,
    /// One past the last byte.
    pub(super) end: u32,
    /// The only place of the virtual register that may overlap these bytes.
    pub(super) exact: Option<u32>,
}

/// Restrictions and hints that relate the places of operands of one instruction.
pub(super) struct Relations {
    /// For each virtual register, restrictions relative to other virtual registers.
    pub(super) hazards: Lists<Hazard>,
    /// For each virtual register, restrictions relative to physical registers.
    pub(super) fixed: Lists<Fixed>,
    /// For each virtual register, the other register of a copy and the distance in bytes from that register's place
    /// to the place at which the copy would be removable.
    pub(super) hints: Lists<(Vreg, i32)>,
    /// Whether the register is the response of a message.
    pub(super) responses: Vec<bool>,
}

impl Relations {
    /// Collects the restrictions and hints of all instructions.
    pub(super) fn new(function: &Function) -> Relations {
        let count = function.vregs.len();
        let mut all = Relations {
            hazards: Lists::with_room(count, 2 * count),
            fixed: Lists::with_room(count, count / 4),
            hints: Lists::with_room(count, count / 4),
            responses: vec![false; count],
        };
        // The lists return the newest entry first, so instructions are visited in reverse.
        for block in function.blocks.iter().rev() {
            for inst in block.insts.iter().rev() {
                match inst.dst.file {
                    File::Vgrf(dst) => all.add(inst, dst),
                    File::Grf => all.add_fixed(inst),
                    _ => {}
                }
            }
        }
        all
    }

    /// Adds the restrictions for the virtual sources of an instruction that writes physical registers.
    fn add_fixed(&mut self, inst: &Inst) {
        if inst.op.is_message() || is_one_part(inst) || is_early_clobber(inst) {
            return;
        }
        let (start, end) = (inst.dst.offset, inst.dst.offset + inst.size_written());
        for src in &inst.srcs {
            if let Some(source) = src.vreg() {
                let exact = start.checked_sub(src.offset).filter(|_| shares_lanes(inst, src));
                self.fixed.push(source.index(), Fixed { start, end, exact });
            }
        }
    }

    /// Adds the restrictions and hints of an instruction that writes the virtual register `dst`.
    fn add(&mut self, inst: &Inst, dst: Vreg) {
        if is_copy(inst)
            && let Some(src) = inst.srcs[0].vreg()
            && src != dst
        {
            let shift = inst.srcs[0].offset as i32 - inst.dst.offset as i32;
            self.hints.push(dst.index(), (src, shift));
            self.hints.push(src.index(), (dst, -shift));
        }
        if inst.op.is_message() {
            self.responses[dst.index()] = true;
            return;
        }
        if is_one_part(inst) || is_early_clobber(inst) {
            return;
        }
        for (index, src) in inst.srcs.iter().enumerate() {
            if src.file == File::Grf && !src.is_scalar() {
                let (start, end) = (src.offset, src.offset + inst.size_read(index));
                let exact = src.offset.checked_sub(inst.dst.offset);
                let exact = exact.filter(|_| shares_lanes(inst, src));
                self.fixed.push(dst.index(), Fixed { start, end, exact });
            }
            if let Some(source) = src.vreg()
                && source != dst
            {
                let shift =
                    shares_lanes(inst, src).then(|| inst.dst.offset as i32 - src.offset as i32);
                self.hazards.push(dst.index(), Hazard { other: source, shift });
                // A destination that is part of a wide value can be placed before the source, so both registers get
                // the restriction.
                let shift = shift.map(|shift| -shift);
                self.hazards.push(source.index(), Hazard { other: dst, shift });
            }
        }
    }
}

/// Whether every operand fits in one register, so that the hardware reads all sources before it writes.
fn is_one_part(inst: &Inst) -> bool {
    inst.size_written() <= GRF_BYTES
        && (0..inst.srcs.len()).all(|index| inst.size_read(index) <= GRF_BYTES)
}

/// Whether each channel's destination bytes are exactly its source bytes if the two operands start at the same byte.
///
/// For Align16 vectors of 64-bit components it suffices that the vectors coincide: each vector is read before it is
/// written.
fn shares_lanes(inst: &Inst, src: &Operand) -> bool {
    let stride = src.linear_stride(inst.exec_size);
    let vectors = src.vectors().is_some_and(|(_, step)| step == 4) && inst.dst.ty.size() == 8;
    let alike = stride.is_some() && stride == inst.dst.linear_stride(inst.exec_size);
    src.ty.size() == inst.dst.ty.size() && (alike || vectors)
}

/// Whether the instruction copies consecutive elements without changing bits.
fn is_copy(inst: &Inst) -> bool {
    inst.is_mov()
        && inst.srcs[0].ty.size() == inst.dst.ty.size()
        && inst.srcs[0].is_packed()
        && inst.dst.is_packed()
        && !inst.srcs[0].has_modifiers()
}
