//! Adds the offset of each memory access by address to the address, so that the offset is 0:
//!
//! ```text
//! before:                                 after:
//! %2 = load global %0, %1, align 4        low = low half of %0 + %1;  carry = low < %1
//!                                         high = high half of %0 + sign of %1 + carry
//!                                         %2 = load global (low, high), 0, align 4
//! ```
//!
//! The sum is computed on dwords, as [`lower_int64`](super::lower_int64()) does it. A store with gaps between its
//! components becomes several stores, since messages write consecutive dwords.
//!
//! The pass runs last. Before it, passes compare the offsets of accesses at one address.

use super::util::{Action, const_scalar, rewrite};
use crate::ir::{AluOp, Builder, InstId, InstKind, Memory, Shader, Src, Ty, WriteMask};

/// See the [module](self). Returns whether an access was changed.
pub fn lower_address_offsets(shader: &mut Shader) -> bool {
    let mut changed = false;
    rewrite(&mut shader.func, |b, _, inst| {
        match b.func.inst(inst).kind {
            InstKind::Load { memory: Memory::Global(address), offset, .. }
            | InstKind::Atomic { memory: Memory::Global(address), offset, .. } => {
                changed |= move_to(b, inst, address, offset, 0);
            }
            InstKind::Store { memory: Memory::Global(address), offset, .. } => {
                changed |= store(b, inst, address, offset);
            }
            _ => {}
        }
        Action::Keep
    }) || changed
}

/// Splits a store at the gaps of its mask, and lowers the offsets of the parts. The last part replaces the store.
fn store(b: &mut Builder<'_>, inst: InstId, address: Src, offset: Src) -> bool {
    let InstKind::Store { data, mask, .. } = b.func.inst(inst).kind else { return false };
    let mut changed = false;
    let mut comp = 0;
    loop {
        while comp < 4 && !mask.has(comp) {
            comp += 1;
        }
        let run = (comp..4).take_while(|&c| mask.has(c)).count();
        let is_last = mask.0 >> (comp + run) == 0;
        let bytes = comp as u32 * b.func.ty(data.value).comp_bytes();
        let mut part = b.func.inst(inst).kind.clone();
        if let InstKind::Store { data: of, comps, mask, align, .. } = &mut part
            && (comp > 0 || !is_last)
        {
            let from = |c: usize| data.swizzle[(comp + c).min(3)];
            *of = Src { value: data.value, swizzle: [from(0), from(1), from(2), from(3)] };
            (*comps, *mask) = (run as u8, WriteMask::all(run));
            *align = align.plus(bytes);
            changed = true;
        }
        if is_last {
            *b.func.kind_mut(inst) = part;
            return move_to(b, inst, address, offset, bytes) || changed;
        }
        let piece = b.func.add_inst(part, &[]);
        move_to(b, piece, address, offset, bytes);
        b.insert(piece);
        comp += run;
    }
}

/// Gives an access the address `address` + `offset` + `bytes` and the offset 0.
fn move_to(b: &mut Builder<'_>, inst: InstId, address: Src, offset: Src, bytes: u32) -> bool {
    let known = const_scalar(b.func, offset).map(|bits| (bits as u32).wrapping_add(bytes));
    if known == Some(0) && bytes == 0 {
        return false;
    }
    let offset = match known {
        Some(bytes) => b.imm(bytes).into(),
        None if bytes == 0 => offset,
        None => {
            let bytes = b.imm(bytes);
            b.alu_ty(AluOp::IAdd, Ty::X32, &[offset, bytes.into()]).into()
        }
    };
    let sum = if known == Some(0) {
        address
    } else if b.func.ty(address.value).bits() == 32 {
        b.alu_ty(AluOp::IAdd, Ty::X32, &[address, offset]).into()
    } else {
        let [low, high] = [AluOp::Unpack64Low, AluOp::Unpack64High]
            .map(|half| b.alu_ty(half, Ty::X32, &[address]));
        let sum = b.alu_ty(AluOp::IAdd, Ty::X32, &[low.into(), offset]);
        let carry = b.alu(AluOp::ULt, &[sum, low]);
        let carry = b.alu_ty(AluOp::B2I, Ty::X32, &[carry.into()]);
        let high = match known {
            Some(bytes) if bytes < 1 << 31 => high,
            Some(_) => {
                let minus = b.imm(u32::MAX);
                b.alu(AluOp::IAdd, &[high, minus])
            }
            None => {
                let shift = b.imm(31);
                let sign = b.alu_ty(AluOp::IShr, Ty::X32, &[offset, shift.into()]);
                b.alu(AluOp::IAdd, &[high, sign])
            }
        };
        let high = b.alu(AluOp::IAdd, &[high, carry]);
        b.alu(AluOp::Pack64FromHalves, &[sum, high]).into()
    };
    let zero = Src::new(b.imm(0));
    if let InstKind::Load { memory, offset, .. }
    | InstKind::Store { memory, offset, .. }
    | InstKind::Atomic { memory, offset, .. } = b.func.kind_mut(inst)
    {
        *memory = Memory::Global(sum);
        *offset = zero;
    }
    true
}
