//! Adds the offset of each memory access by address to the address, so that the offset is 0:
//!
//! ```text
//! before:                                 after:
//! %2 = load global %0, %1, align 4        low = low half of %0 + %1;  carry = low < %1
//!                                         high = high half of %0 + sign of %1 + carry
//!                                         %2 = load global (low, high), 0, align 4
//! ```
//!
//! The sum is computed on dwords, as [`lower_int64`](super::lower_int64()) does it, or on 64 bits if the back end does
//! so ([`LowerOptions::int64_sums`]). Then a small constant part of the offset is added last, so that accesses that differ
//! in it have the rest of the sum in common. A store with gaps between its components becomes several stores, since messages
//! write consecutive dwords.
//!
//! The pass runs last. Before it, passes compare the offsets of accesses at one address.

use super::LowerOptions;
use super::util::{Action, const_scalar, rewrite};
use crate::analysis::Address;
use crate::ir::{AluOp, Builder, InstId, InstKind, Memory, Shader, Src, Ty, WriteMask};

/// See the [module](self). Returns whether an access was changed.
pub fn lower_address_offsets(shader: &mut Shader, options: &LowerOptions) -> bool {
    let sums = options.int64_sums;
    let mut changed = false;
    rewrite(&mut shader.func, |b, _, inst| {
        match b.func.inst(inst).kind {
            InstKind::Load { memory: Memory::Global(address), offset, .. }
            | InstKind::Atomic { memory: Memory::Global(address), offset, .. } => {
                changed |= move_to(b, inst, (address, offset, 0), sums);
            }
            InstKind::Store { memory: Memory::Global(address), offset, .. } => {
                changed |= store(b, inst, (address, offset), sums);
            }
            _ => {}
        }
        Action::Keep
    }) || changed
}

/// Splits a store at the gaps of its mask, and lowers the offsets of the parts. The last part replaces the store.
fn store(b: &mut Builder<'_>, inst: InstId, (address, offset): (Src, Src), sums: bool) -> bool {
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
            return move_to(b, inst, (address, offset, bytes), sums) || changed;
        }
        let piece = b.func.add_inst(part, &[]);
        move_to(b, piece, (address, offset, bytes), sums);
        b.insert(piece);
        comp += run;
    }
}

/// Gives an access the address `address` + `offset` + `bytes` and the offset 0. `sums` states whether 64-bit integers
/// are added as such.
fn move_to(
    b: &mut Builder<'_>,
    inst: InstId,
    (address, offset, bytes): (Src, Src, u32),
    sums: bool,
) -> bool {
    let known = const_scalar(b.func, offset).map(|bits| (bits as u32).wrapping_add(bytes));
    if known == Some(0) && bytes == 0 {
        return false;
    }
    let wide = b.func.ty(address.value).bits() == 64;
    let sum = if known == Some(0) {
        address
    } else if wide && sums {
        wide_sum(b, address, offset, bytes)
    } else {
        let offset = match known {
            Some(bytes) => b.imm(bytes).into(),
            None if bytes == 0 => offset,
            None => {
                let bytes = b.imm(bytes);
                b.alu_ty(AluOp::IAdd, Ty::X32, &[offset, bytes.into()]).into()
            }
        };
        match wide {
            true => sum_of_dwords(b, address, offset, known),
            false => b.alu_ty(AluOp::IAdd, Ty::X32, &[address, offset]).into(),
        }
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

/// The sum of a 64-bit address and a 32-bit offset, which is signed. `known` is the offset if it is constant.
fn sum_of_dwords(b: &mut Builder<'_>, address: Src, offset: Src, known: Option<u32>) -> Src {
    let [low, high] =
        [AluOp::Unpack64Low, AluOp::Unpack64High].map(|half| b.alu_ty(half, Ty::X32, &[address]));
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
}

/// Largest magnitude of a constant that is added to the address instead of the offset. A sum of 32 bits that wraps with such
/// a constant is within 1 MB of 2^31 or -2^31, where no object has bytes: the offsets in it are less.
const SMALL: u32 = 1 << 20;

/// The sum of a 64-bit address, a signed 32-bit offset and `bytes`.
fn wide_sum(b: &mut Builder<'_>, address: Src, offset: Src, bytes: u32) -> Src {
    let Address { base, fixed } = Address::of(b.func, offset);
    let all = fixed.wrapping_add(bytes) as i32;
    let (rest, fixed) = match base {
        Some((value, comp)) if all.unsigned_abs() <= SMALL => {
            (Some(Src::new(value).select(usize::from(comp))), all)
        }
        Some(_) => (Some(offset), bytes as i32),
        None => (None, all),
    };
    let mut sum = address;
    if let Some(rest) = rest {
        let rest = b.alu_ty(AluOp::I2I, Ty::X64, &[rest]);
        sum = b.alu_ty(AluOp::IAdd, Ty::X64, &[sum, rest.into()]).into();
    }
    if fixed != 0 {
        let fixed = b.constant(Ty::X64, [i64::from(fixed) as u64, 0, 0, 0]);
        sum = b.alu_ty(AluOp::IAdd, Ty::X64, &[sum, fixed.into()]).into();
    }
    sum
}
