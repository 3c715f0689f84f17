//! `lower_indirect_writes`: splits Align1 indirect writes with one index per channel into one write per channel,
//! because an indirect destination has only one address. Runs before register allocation.

use crate::target::Target;
use crestline_isa::{AccessMode, CondMod, Opcode, Type};

use super::PassError;
use crate::ir::{Builder, Function, Inst, Op, Operand};

/// Splits indirect writes with one index per channel. Returns whether the function changed.
///
/// # Errors
/// None.
pub fn lower_indirect_writes(function: &mut Function, _target: &Target) -> Result<bool, PassError> {
    let parted = |inst: &Inst| {
        let align1 = inst.access_mode == AccessMode::Align1;
        align1 && inst.op == Op::MovIndirectDst && !inst.srcs[1].is_scalar()
    };
    function.try_rewrite(parted, |inst, b| {
        channel_by_channel(&inst, b);
        Ok(true)
    })
}

/// Emits one predicated write for each channel of an indirect write.
fn channel_by_channel(inst: &Inst, b: &mut Builder<'_>) {
    let wanted = b.lanes(Type::Ud, 1);
    b.no_mask().mov(wanted, Operand::imm_ud(0));
    // 1 in the channels that are enabled and, if there is a predicate, selected by it.
    b.push(Inst {
        op: Op::Hw(Opcode::Mov),
        dst: wanted,
        srcs: smallvec::smallvec![Operand::imm_ud(1)],
        ..inst.clone()
    });
    let bytes = inst.srcs[2].imm_bits().map_or(0, |bytes| bytes as u32);
    for channel in 0..u32::from(inst.exec_size) {
        let own =
            |operand: Operand| operand.byte_offset(operand.channel_offset(channel)).with_stride(0);
        let flag = b.flag();
        let mut b = b.uniform();
        b.cmp(Operand::null(Type::Ud), own(wanted), CondMod::Nz, Operand::imm_ud(0), flag);
        let before = inst.dst.channel_offset(channel);
        let left = Operand::imm_ud(bytes.saturating_sub(before));
        let dst = inst.dst.byte_offset(before);
        let mut b = b.predicated(flag, false);
        b.emit(Op::MovIndirectDst, dst, &[own(inst.srcs[0]), own(inst.srcs[1]), left]);
    }
}
