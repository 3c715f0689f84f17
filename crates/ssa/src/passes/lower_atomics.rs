//! Replaces atomics that the device does not have by a loop around a compare-exchange. These are additions of floats,
//! minimum and maximum of floats on devices without such messages, on images, and of 64 bits, and all atomics of 16
//! bits, which become atomics of the dword around them.
//!
//! ```text
//! %1 = atomic fadd ssbo b0, %offset, %data
//! ```
//!
//! becomes
//!
//! ```text
//! %1 = loop (%expected = 0) {
//!     %new = fadd %expected, %data
//!     %old = atomic compare_exchange ssbo b0, %offset, %new, %expected
//!     if %old == %expected { break %old } else { yield }
//!     continue %old
//! }
//! ```
//!
//! The first iteration writes only if the number in memory is 0; otherwise it is the read. Out of bounds, atomics
//! return 0, so the loop ends after one iteration. In a fragment shader, atomics of helper invocations do nothing and
//! return an undefined value, so helper invocations skip the loop.

use super::LowerOptions;
use super::util::{Action, rewrite};
use crate::ir::{
    AluOp, AtomicOp, Builder, InstData, InstKind, Memory, Shader, Src, Stage, Ty, Value,
};

/// See the [module](self). Returns whether an atomic was replaced. Without a device in the options, atomics stay.
pub fn lower_atomics(shader: &mut Shader, options: &LowerOptions) -> bool {
    let Some(device) = &options.images else { return false };
    let native_floats = device.has_float_atomics();
    let helpers = shader.stage.stage() == Stage::Fragment;
    let mut progress = false;
    rewrite(&mut shader.func, |b, _, inst| {
        let data = b.func.inst(inst).clone();
        let Some(atomic) = lowered(b, &data, native_floats) else { return Action::Keep };
        progress = true;
        let kind = if helpers {
            // The `If` replaces the instruction in place, so it keeps the results.
            let outer = b.region();
            let is_helper = b.inst(InstKind::IsHelper, &[Ty::BOOL]);
            let is_helper = b.func.inst(is_helper).results[0];
            let zero = b.constant(atomic.ty, [0; 4]);
            let (then, else_) = (b.func.add_region(), b.func.add_region());
            b.switch_to(then);
            b.yield_(&[zero]);
            b.switch_to(else_);
            let ty = atomic.ty;
            let kind = atomic.attempts(b);
            let made = b.inst(kind, &[ty]);
            let old = b.func.inst(made).results[0];
            b.yield_(&[old]);
            b.switch_to(outer);
            InstKind::If { cond: is_helper.into(), then, else_ }
        } else {
            atomic.attempts(b)
        };
        *b.func.kind_mut(inst) = kind;
        Action::Keep
    });
    progress
}

/// An atomic to be replaced.
struct Lowered {
    /// The instruction.
    kind: InstKind,
    /// Its operation.
    op: AtomicOp,
    /// Its operand.
    data: Value,
    /// The expected value of a compare-exchange.
    compare: Option<Value>,
    /// The type of its operand and result.
    ty: Ty,
}

/// The atomic, if the device does not have it.
fn lowered(b: &mut Builder<'_>, inst: &InstData, native_floats: bool) -> Option<Lowered> {
    let (op, data, compare, native) = match &inst.kind {
        InstKind::Atomic { op, data, compare, .. } => (*op, *data, *compare, native_floats),
        InstKind::ImageAtomic { op, data, compare, .. } => (*op, *data, *compare, false),
        _ => return None,
    };
    let ty = b.func.ty(data.value).scalar();
    let is_lowered = match op {
        AtomicOp::FAdd => true,
        AtomicOp::FMin | AtomicOp::FMax => !native || ty.bits() != 32,
        _ => ty.bits() == 16,
    };
    if !is_lowered {
        return None;
    }
    let mut scalar = |src: Src| b.alu_ty(AluOp::Mov, ty, &[src]);
    let (data, compare) = (scalar(data), compare.map(&mut scalar));
    Some(Lowered { kind: inst.kind.clone(), op, data, compare, ty })
}

impl Lowered {
    /// Builds the loop, without adding it to the current region. Its result is the old value.
    fn attempts(mut self, b: &mut Builder<'_>) -> InstKind {
        let half = if self.ty.bits() == 16 { self.widen(b) } else { None };
        let word = if half.is_some() { Ty::X32 } else { self.ty };
        let zero = b.constant(word, [0; 4]);
        let outer = b.region();
        let body = b.func.add_region();
        let expected = b.func.add_param(body, word);
        b.switch_to(body);
        let new = match half {
            Some(shift) => {
                let number = low_half(b, expected, shift);
                let new = self.combine(b, number);
                insert_half(b, expected, new, shift)
            }
            None => self.combine(b, expected),
        };
        self.exchange(new, expected);
        let made = b.inst(self.kind, &[word]);
        let old = b.func.inst(made).results[0];
        let same = b.alu(AluOp::IEq, &[old, expected]);
        let (_, then, else_) = b.if_(same);
        b.switch_to(then);
        let result = half.map_or(old, |shift| low_half(b, old, shift));
        b.break_(&[result]);
        b.switch_to(else_);
        b.yield_(&[]);
        b.switch_to(body);
        b.continue_(&[old]);
        b.switch_to(outer);
        InstKind::Loop { init: [Src::new(zero)].into_iter().collect(), body, continuing: None }
    }

    /// Makes the atomic one of the dword around its two bytes. Returns the number of bits below them in the dword.
    fn widen(&mut self, b: &mut Builder<'_>) -> Option<Value> {
        let InstKind::Atomic { memory, offset, .. } = &mut self.kind else { return None };
        // An address need not be a multiple of 4, so its low bits count too.
        let mut at = b.alu_ty(AluOp::Mov, Ty::X32, &[*offset]);
        let low = match memory {
            Memory::Global(address) => {
                let ty = b.func.ty(address.value).scalar();
                let base = b.alu_ty(AluOp::Mov, ty, &[*address]);
                if ty != Ty::X32 {
                    at = b.convert(AluOp::I2I, ty.bits(), at);
                }
                let sum = b.alu(AluOp::IAdd, &[base, at]);
                let keep = b.constant(ty, [!3 & ty.mask(), 0, 0, 0]);
                *address = b.alu(AluOp::IAnd, &[sum, keep]).into();
                *offset = b.imm(0).into();
                if ty == Ty::X32 { sum } else { b.convert(AluOp::U2U, 32, sum) }
            }
            _ => {
                let keep = b.imm(!3);
                *offset = b.alu(AluOp::IAnd, &[at, keep]).into();
                at
            }
        };
        let two = b.imm(2);
        let byte = b.alu(AluOp::IAnd, &[low, two]);
        let eight = b.imm(3);
        Some(b.alu(AluOp::IShl, &[byte, eight]))
    }

    /// The number that the operation writes where `old` was.
    fn combine(&self, b: &mut Builder<'_>, old: Value) -> Value {
        let op = match self.op {
            AtomicOp::IAdd => AluOp::IAdd,
            AtomicOp::IMin => AluOp::IMin,
            AtomicOp::IMax => AluOp::IMax,
            AtomicOp::UMin => AluOp::UMin,
            AtomicOp::UMax => AluOp::UMax,
            AtomicOp::And => AluOp::IAnd,
            AtomicOp::Or => AluOp::IOr,
            AtomicOp::Xor => AluOp::IXor,
            AtomicOp::FAdd => AluOp::FAdd,
            AtomicOp::FMin => AluOp::FMin,
            AtomicOp::FMax => AluOp::FMax,
            AtomicOp::Exchange => return self.data,
            AtomicOp::CompareExchange => {
                let Some(compare) = self.compare else { return self.data };
                let same = b.alu(AluOp::IEq, &[old, compare]);
                return b.alu(AluOp::Select, &[same, self.data, old]);
            }
        };
        b.alu(op, &[old, self.data])
    }

    /// Makes the instruction a compare-exchange.
    fn exchange(&mut self, new: Value, expected: Value) {
        if let InstKind::Atomic { op, data, compare, .. }
        | InstKind::ImageAtomic { op, data, compare, .. } = &mut self.kind
        {
            *op = AtomicOp::CompareExchange;
            (*data, *compare) = (new.into(), Some(expected.into()));
        }
    }
}

/// The 16 bits of a dword from bit `shift` on.
fn low_half(b: &mut Builder<'_>, word: Value, shift: Value) -> Value {
    let half = b.alu(AluOp::UShr, &[word, shift]);
    b.convert(AluOp::U2U, 16, half)
}

/// The dword with the 16 bits from bit `shift` on replaced.
fn insert_half(b: &mut Builder<'_>, word: Value, half: Value, shift: Value) -> Value {
    let mask = b.imm(0xffff);
    let mask = b.alu(AluOp::IShl, &[mask, shift]);
    let mask = b.alu(AluOp::INot, &[mask]);
    let rest = b.alu(AluOp::IAnd, &[word, mask]);
    let half = b.convert(AluOp::U2U, 32, half);
    let half = b.alu(AluOp::IShl, &[half, shift]);
    b.alu(AluOp::IOr, &[rest, half])
}
