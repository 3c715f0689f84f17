//! `lower_cross_channel`: replaces `shuffle` and `broadcast` by indirect moves, and `find_live_channel` and
//! `live_channels` by reads of the architecture registers with the channel enables.

use crate::target::Target;
use crestline_isa::{ArfKind, CondMod, Opcode, Type};

use super::PassError;
use crate::ir::{Builder, Flag, Function, Inst, Op, Operand};

/// Byte offset of the dispatch mask in the state registers (sr0.2).
const DISPATCH_MASK: u32 = 8;

/// Lowers `shuffle`, `broadcast`, `find_live_channel` and `live_channels`. Returns whether the function changed.
///
/// # Errors
/// A value whose channels are not at a constant distance that is a power of two.
pub fn lower_cross_channel(function: &mut Function, target: &Target) -> Result<bool, PassError> {
    let crosses = |inst: &Inst| {
        matches!(inst.op, Op::Shuffle | Op::Broadcast | Op::FindLiveChannel | Op::LiveChannels)
    };
    function.try_rewrite(crosses, |inst, b| {
        match inst.op {
            Op::FindLiveChannel => {
                let mask = b.scalar(Type::Ud);
                live_channels(mask, target, b);
                b.uniform().emit(Op::Hw(Opcode::Fbl), inst.dst.with_stride(0), &[mask]);
            }
            Op::LiveChannels => live_channels(inst.dst.with_stride(0), target, b),
            _ => pick(&inst, b)?,
        }
        Ok(true)
    })
}

/// Computes the mask of the enabled channels: the channel enables, without channels that the thread was not
/// dispatched with.
fn live_channels(dst: Operand, target: &Target, b: &mut Builder<'_>) {
    if !target.has_readable_channel_enables() {
        return live_channels_by_flag(dst, b);
    }
    let dispatched = b.scalar(Type::Ud);
    let enabled = Operand::arf(ArfKind::ChannelEnable, 0, Type::Ud).with_stride(0);
    let mut b = b.uniform();
    b.mov(dispatched, Operand::arf(ArfKind::State, DISPATCH_MASK, Type::Ud).with_stride(0));
    b.and(dst, enabled, dispatched);
}

/// The same as [`live_channels`] on devices where the channel enables cannot be read. Each enabled channel sets its
/// bit of a flag register with a comparison that is always true.
fn live_channels_by_flag(dst: Operand, b: &mut Builder<'_>) {
    let width = b.dispatch_width();
    let Flag::Virtual(vreg) = b.flag() else { return };
    let bits = Operand::scalar(vreg, if width > 16 { Type::Ud } else { Type::Uw });
    b.uniform().mov(bits, Operand::imm(0, bits.ty));
    let mut mark =
        Inst::new(Op::Hw(Opcode::Mov), width, Operand::null(Type::Ud), &[Operand::imm_ud(0)]);
    mark.cond_mod = CondMod::Z;
    mark.flag = Flag::Virtual(vreg);
    b.push(mark);
    b.uniform().mov(dst, bits);
}

/// Replaces `shuffle` or `broadcast`. If the channel number is a constant, reads its element directly; otherwise
/// computes the byte index from the channel number.
fn pick(inst: &Inst, b: &mut Builder<'_>) -> Result<(), PassError> {
    let (value, channel) = (inst.srcs[0], inst.srcs[1]);
    if value.is_scalar() {
        b.mov(inst.dst, value);
        return Ok(());
    }
    if let Some(number) = channel.imm_bits() {
        let element = value.byte_offset(value.channel_offset(number as u32)).with_stride(0);
        b.mov(inst.dst, element);
        return Ok(());
    }
    let step = value
        .byte_stride(inst.exec_size)
        .filter(|step| step.is_power_of_two())
        .ok_or_else(|| PassError::operand("lower_cross_channel", &value))?;
    let shift = Operand::imm_ud(step.trailing_zeros());
    let index = if channel.is_scalar() {
        let index = b.scalar(Type::Ud);
        b.uniform().shl(index, channel, shift);
        index
    } else {
        let index = b.lanes(Type::Ud, 1);
        b.shl(index, channel, shift);
        index
    };
    let range = Operand::imm_ud(inst.size_read(0));
    let mut moved = Inst { op: Op::MovIndirect, ..inst.clone() };
    moved.srcs = smallvec::smallvec![value.with_stride(0), index, range];
    b.push(moved);
    Ok(())
}
