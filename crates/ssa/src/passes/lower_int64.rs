//! Replaces arithmetic on 64-bit integers by arithmetic on pairs of dwords.
//!
//! Moves and selections of 64-bit values stay, and so do operations on doubles, except the conversion from booleans.
//! The only remaining operations on 64-bit integers are conversions to and from pairs of dwords, and sums, differences,
//! negations and extensions of dwords if the back end has them ([`LowerOptions::int64_sums`]). Division is a loop that
//! computes one bit of the quotient in each of 64 iterations.

use super::LowerOptions;
use super::util::{Action, rewrite};
use crate::ir::{AluOp, Builder, InstKind, Shader, Src, Srcs, Ty, Value};

/// See the [module](self). Returns whether an operation was replaced.
pub fn lower_int64(shader: &mut Shader, options: &LowerOptions) -> bool {
    let sums = options.int64_sums;
    rewrite(&mut shader.func, |b, _, inst| {
        let data = b.func.inst(inst);
        let InstKind::Alu { op, srcs, .. } = &data.kind else { return Action::Keep };
        let (op, srcs) = (*op, srcs.clone());
        let ty = b.func.ty(data.results[0]);
        let wide = ty.bits() == 64 || srcs.iter().any(|src| b.func.ty(src.value).bits() == 64);
        if !wide || ty.comps() != 1 {
            return Action::Keep;
        }
        let by = Lower { b, sums }.replacement(op, &srcs, ty);
        by.map_or(Action::Keep, |by| Action::Replace(by.into()))
    })
}

/// A 64-bit number as its low and high dword.
#[derive(Clone, Copy)]
struct Pair {
    low: Value,
    high: Value,
}

struct Lower<'b, 'f> {
    b: &'b mut Builder<'f>,
    /// See [`LowerOptions::int64_sums`].
    sums: bool,
}

impl Lower<'_, '_> {
    /// Builds the replacement of an operation; `None` if it stays.
    fn replacement(&mut self, op: AluOp, srcs: &Srcs, ty: Ty) -> Option<Value> {
        use AluOp::*;
        let wide_float = ty.bits() == 64 && matches!(op, I2F | U2F)
            || self.b.func.ty(srcs[0].value).bits() == 64 && matches!(op, F2I | F2U);
        let of_dword = ty.bits() == 64 && self.b.func.ty(srcs[0].value).bits() == 32;
        let pair = match op {
            IAdd | ISub | INeg if self.sums => return None,
            I2I | U2U if self.sums && of_dword => return None,
            I2I | U2U if ty.bits() == 64 => self.extended(op, srcs[0]),
            I2I | U2U => {
                let low = self.pair(srcs[0]).low;
                return Some(match ty.bits() {
                    32 => low,
                    _ => self.b.alu_ty(U2U, ty, &[low.into()]),
                });
            }
            B2I => {
                let low = self.b.alu_ty(B2I, Ty::X32, &[srcs[0]]);
                Pair { low, high: self.imm(0) }
            }
            B2F if ty.bits() == 64 => {
                let (one, zero) = (self.imm((1f64.to_bits() >> 32) as u32), self.imm(0));
                let cond = self.scalar(srcs[0]);
                Pair { low: zero, high: self.b.alu(Select, &[cond, one, zero]) }
            }
            I2F | U2F if self.is_wide(srcs[0]) => {
                let x = self.pair(srcs[0]);
                return Some(self.float_of(x, op == I2F, ty));
            }
            F2I | F2U if ty.bits() == 64 => self.pair_of(srcs[0], op == F2I),
            _ if wide_float => return None,
            IAnd | IOr | IXor => {
                let (x, y) = (self.pair(srcs[0]), self.pair(srcs[1]));
                Pair { low: self.op(op, x.low, y.low), high: self.op(op, x.high, y.high) }
            }
            INot => {
                let x = self.pair(srcs[0]);
                Pair { low: self.b.alu(INot, &[x.low]), high: self.b.alu(INot, &[x.high]) }
            }
            IAdd | ISub | IMul | UMulHigh | IMulHigh | IMin | IMax | UMin | UMax | UDiv | UMod
            | IDiv | IRem | IMod => {
                let (x, y) = (self.pair(srcs[0]), self.pair(srcs[1]));
                self.binary(op, x, y)
            }
            UAddCarry | USubBorrow => {
                let (x, y) = (self.pair(srcs[0]), self.pair(srcs[1]));
                let over = if op == UAddCarry {
                    let sum = self.add(x, y);
                    self.compare(ULt, sum, x)
                } else {
                    self.compare(ULt, x, y)
                };
                let low = self.b.alu_ty(B2I, Ty::X32, &[over.into()]);
                Pair { low, high: self.imm(0) }
            }
            INeg => {
                let x = self.pair(srcs[0]);
                self.negated(x)
            }
            IAbs => {
                let x = self.pair(srcs[0]);
                self.absolute(x).0
            }
            ISign => {
                // The high dword is the sign; the low dword is the sign, or 1 for positive numbers.
                let x = self.pair(srcs[0]);
                let high = self.op_imm(IShr, x.high, 31);
                let any = self.op(IOr, x.low, x.high);
                let zero = self.imm(0);
                let any = self.b.alu(INe, &[any, zero]);
                let any = self.b.alu_ty(B2I, Ty::X32, &[any.into()]);
                Pair { low: self.op(IOr, high, any), high }
            }
            IShl | IShr | UShr => {
                let x = self.pair(srcs[0]);
                let count = self.scalar(srcs[1]);
                self.shift(op, x, count)
            }
            IEq | INe | ILt | IGe | ULt | UGe => {
                let (x, y) = (self.pair(srcs[0]), self.pair(srcs[1]));
                return Some(self.compare(op, x, y));
            }
            BitCount => {
                let x = self.pair(srcs[0]);
                let counts = [x.low, x.high].map(|half| self.b.alu(BitCount, &[half]));
                return Some(self.op(IAdd, counts[0], counts[1]));
            }
            BitReverse => {
                let x = self.pair(srcs[0]);
                Pair { low: self.b.alu(op, &[x.high]), high: self.b.alu(op, &[x.low]) }
            }
            FindLsb | FindUMsb => {
                let x = self.pair(srcs[0]);
                return Some(self.find(op, x));
            }
            _ => return None,
        };
        Some(self.join(pair))
    }

    fn is_wide(&self, src: Src) -> bool {
        self.b.func.ty(src.value).bits() == 64
    }

    fn imm(&mut self, value: u32) -> Value {
        self.b.imm(value)
    }

    /// One component of a source as a value.
    fn scalar(&mut self, src: Src) -> Value {
        self.b.comp(src.value, usize::from(src.swizzle[0]))
    }

    /// The number of 64 bits that a source of 32 bits is extended to.
    fn extended(&mut self, op: AluOp, src: Src) -> Pair {
        let low = self.scalar(src);
        let signed = op == AluOp::I2I;
        let high = if signed { self.op_imm(AluOp::IShr, low, 31) } else { self.imm(0) };
        Pair { low, high }
    }

    /// Splits a 64-bit source.
    fn pair(&mut self, src: Src) -> Pair {
        if let Some(InstKind::Alu { op: op @ (AluOp::I2I | AluOp::U2U), srcs, .. }) =
            self.b.func.def(src.value).map(|def| &def.kind)
        {
            let (op, from, comps) = (*op, srcs[0], self.b.func.ty(src.value).comps());
            if comps == 1 && self.b.func.ty(from.value).bits() == 32 {
                return self.extended(op, from);
            }
        }
        let halves = self.b.alu_ty(AluOp::Unpack64To32, Ty::X32.with_comps(2), &[src]);
        Pair { low: self.b.comp(halves, 0), high: self.b.comp(halves, 1) }
    }

    /// Joins a pair to a 64-bit value.
    fn join(&mut self, pair: Pair) -> Value {
        let halves = self.b.vec(&[pair.low.into(), pair.high.into()]);
        self.b.alu(AluOp::Pack64From32, &[halves])
    }

    fn op(&mut self, op: AluOp, x: Value, y: Value) -> Value {
        self.b.alu(op, &[x, y])
    }

    fn op_imm(&mut self, op: AluOp, x: Value, y: u32) -> Value {
        let y = self.imm(y);
        self.b.alu(op, &[x, y])
    }

    fn select(&mut self, cond: Value, x: Pair, y: Pair) -> Pair {
        Pair {
            low: self.b.alu(AluOp::Select, &[cond, x.low, y.low]),
            high: self.b.alu(AluOp::Select, &[cond, x.high, y.high]),
        }
    }

    /// Builds an operation with two 64-bit sources and a 64-bit result.
    fn binary(&mut self, op: AluOp, x: Pair, y: Pair) -> Pair {
        use AluOp::*;
        match op {
            IAdd => self.add(x, y),
            ISub => {
                let borrow = self.op(ULt, x.low, y.low);
                let borrow = self.b.alu_ty(B2I, Ty::X32, &[borrow.into()]);
                let high = self.op(ISub, x.high, y.high);
                Pair { low: self.op(ISub, x.low, y.low), high: self.op(ISub, high, borrow) }
            }
            IMul => {
                let crossed = [self.op(IMul, x.low, y.high), self.op(IMul, x.high, y.low)];
                let crossed = self.op(IAdd, crossed[0], crossed[1]);
                let high = self.op(UMulHigh, x.low, y.low);
                Pair { low: self.op(IMul, x.low, y.low), high: self.op(IAdd, high, crossed) }
            }
            UMulHigh => self.high_product(x, y),
            IMulHigh => {
                // A negative number is 2^64 less than its bits say, so the product is too large by 2^64 times the other.
                let mut high = self.high_product(x, y);
                for (x, y) in [(x, y), (y, x)] {
                    let sign = self.op_imm(IShr, x.high, 31);
                    let excess =
                        Pair { low: self.op(IAnd, y.low, sign), high: self.op(IAnd, y.high, sign) };
                    high = self.binary(ISub, high, excess);
                }
                high
            }
            IMin | UMin => {
                let less = self.compare(if op == IMin { ILt } else { ULt }, x, y);
                self.select(less, x, y)
            }
            IMax | UMax => {
                let less = self.compare(if op == IMax { ILt } else { ULt }, x, y);
                self.select(less, y, x)
            }
            UDiv => self.divide(x, y).0,
            UMod => self.divide(x, y).1,
            _ => {
                let ((n, n_sign), (d, d_sign)) = (self.absolute(x), self.absolute(y));
                let (quotient, rest) = self.divide(n, d);
                if op == IDiv {
                    let sign = self.op(IXor, n_sign, d_sign);
                    return self.signed(quotient, sign);
                }
                let rest = self.signed(rest, n_sign);
                if op == IRem {
                    return rest;
                }
                // The remainder must have the sign of the divisor: if it has the other sign, the divisor is added.
                let differ = self.op(IXor, n_sign, d_sign);
                let any = self.op(IOr, rest.low, rest.high);
                let zero = self.imm(0);
                let any = self.op(INe, any, zero);
                let differ = self.op(INe, differ, zero);
                let adjust = self.op(IAnd, any, differ);
                let more = self.add(rest, y);
                self.select(adjust, more, rest)
            }
        }
    }

    /// The upper 64 bits of the product of two unsigned integers.
    fn high_product(&mut self, x: Pair, y: Pair) -> Pair {
        let mut of =
            |x, y| Pair { low: self.op(AluOp::IMul, x, y), high: self.op(AluOp::UMulHigh, x, y) };
        let (lowest, highest) = (of(x.low, y.low), of(x.high, y.high));
        let crossed = [of(x.low, y.high), of(x.high, y.low)];
        let zero = self.imm(0);
        let dword = |low| Pair { low, high: zero };
        let mut middle = dword(lowest.high);
        for part in crossed {
            middle = self.add(middle, dword(part.low));
        }
        let mut high = self.add(highest, dword(middle.high));
        for part in crossed {
            high = self.add(high, dword(part.high));
        }
        high
    }

    /// The sum of two 64-bit integers, modulo 2^64.
    fn add(&mut self, x: Pair, y: Pair) -> Pair {
        let low = self.op(AluOp::IAdd, x.low, y.low);
        let carry = self.op(AluOp::ULt, low, x.low);
        let carry = self.b.alu_ty(AluOp::B2I, Ty::X32, &[carry.into()]);
        let high = self.op(AluOp::IAdd, x.high, y.high);
        Pair { low, high: self.op(AluOp::IAdd, high, carry) }
    }

    fn negated(&mut self, x: Pair) -> Pair {
        let zero = self.imm(0);
        self.binary(AluOp::ISub, Pair { low: zero, high: zero }, x)
    }

    /// The number, negated if `sign` is all ones. `sign` must be all ones or 0.
    fn signed(&mut self, x: Pair, sign: Value) -> Pair {
        let flipped = Pair {
            low: self.op(AluOp::IXor, x.low, sign),
            high: self.op(AluOp::IXor, x.high, sign),
        };
        self.binary(AluOp::ISub, flipped, Pair { low: sign, high: sign })
    }

    /// The absolute value, and the sign: all ones for a negative number, else 0.
    fn absolute(&mut self, x: Pair) -> (Pair, Value) {
        let sign = self.op_imm(AluOp::IShr, x.high, 31);
        (self.signed(x, sign), sign)
    }

    /// Shifts by a count modulo 64. The bits that move from one half to the other are shifted in two steps, since a
    /// shift by 32 would be one by 0.
    fn shift(&mut self, op: AluOp, x: Pair, count: Value) -> Pair {
        use AluOp::*;
        let beyond = self.op_imm(IAnd, count, 32);
        let zero = self.imm(0);
        let beyond = self.op(INe, beyond, zero);
        let count = self.op_imm(IAnd, count, 31);
        let rest = self.op_imm(IXor, count, 31);
        let (from, to, back) =
            if op == IShl { (x.low, x.high, UShr) } else { (x.high, x.low, IShl) };
        let along = if op == IShl { IShl } else { UShr };
        let from_shifted = self.op(op, from, count);
        let passed = self.op_imm(back, from, 1);
        let passed = self.op(back, passed, rest);
        let to_shifted = self.op(along, to, count);
        let to_shifted = self.op(IOr, to_shifted, passed);
        let empty = if op == IShr { self.op_imm(IShr, from, 31) } else { zero };
        let to = self.b.alu(Select, &[beyond, from_shifted, to_shifted]);
        let from = self.b.alu(Select, &[beyond, empty, from_shifted]);
        if op == IShl { Pair { low: from, high: to } } else { Pair { low: to, high: from } }
    }

    /// Compares two 64-bit integers. The high dwords decide unless they are equal.
    fn compare(&mut self, op: AluOp, x: Pair, y: Pair) -> Value {
        use AluOp::*;
        match op {
            IEq | INe => {
                let low = self.op(op, x.low, y.low);
                let high = self.op(op, x.high, y.high);
                self.op(if op == IEq { IAnd } else { IOr }, low, high)
            }
            ILt | ULt => {
                let less = self.op(op, x.high, y.high);
                let equal = self.op(IEq, x.high, y.high);
                let low = self.op(ULt, x.low, y.low);
                let low = self.op(IAnd, equal, low);
                self.op(IOr, less, low)
            }
            _ => {
                let less = self.compare(if op == IGe { ILt } else { ULt }, x, y);
                self.b.alu(INot, &[less])
            }
        }
    }

    /// The position of the lowest or highest set bit: that of the preferred half if it has one, else that of the
    /// other half. Positions in the high half are 32 higher.
    fn find(&mut self, op: AluOp, x: Pair) -> Value {
        let found = [x.low, x.high].map(|half| self.b.alu(op, &[half]));
        let none = self.imm(u32::MAX);
        let zero = self.imm(0);
        let moved = self.op_imm(AluOp::IAdd, found[1], 32);
        let in_high = self.op(AluOp::INe, x.high, zero);
        let high = self.b.alu(AluOp::Select, &[in_high, moved, none]);
        if op == AluOp::FindLsb {
            let in_low = self.op(AluOp::INe, x.low, zero);
            return self.b.alu(AluOp::Select, &[in_low, found[0], high]);
        }
        self.b.alu(AluOp::Select, &[in_high, moved, found[0]])
    }

    /// Unsigned quotient and remainder, by shift and subtract.
    fn divide(&mut self, n: Pair, d: Pair) -> (Pair, Pair) {
        use AluOp::*;
        let zero = self.imm(0);
        let outside = self.b.region();
        // One pair holds both numerator and quotient: bits of the numerator leave at the top while bits of the quotient
        // enter at the bottom.
        let (looped, body) = self.b.loop_(&[zero, n.low, n.high, zero, zero]);
        let [round, low, high, rest_low, rest_high] =
            std::array::from_fn(|i| self.b.func.region(body).params[i]);
        self.b.switch_to(body);
        let done = self.op_imm(UGe, round, 64);
        let (_, then, else_) = self.b.if_(done);
        self.b.switch_to(then);
        self.b.break_(&[low, high, rest_low, rest_high]);
        self.b.switch_to(else_);
        self.b.yield_(&[]);
        self.b.switch_to(body);
        let doubled = |this: &mut Self, x: Pair, bit: Value| {
            let carry = this.op_imm(UShr, x.low, 31);
            let low = this.op_imm(IShl, x.low, 1);
            let high = this.op_imm(IShl, x.high, 1);
            Pair { low: this.op(IOr, low, bit), high: this.op(IOr, high, carry) }
        };
        let top = self.op_imm(UShr, high, 31);
        let lost = self.op_imm(UShr, rest_high, 31);
        let rest = doubled(self, Pair { low: rest_low, high: rest_high }, top);
        // If a bit was shifted out of the remainder, it is greater than any divisor.
        let lost = self.op(INe, lost, zero);
        let fits = self.compare(UGe, rest, d);
        let fits = self.op(IOr, lost, fits);
        let less = self.binary(ISub, rest, d);
        let rest = self.select(fits, less, rest);
        let bit = self.b.alu_ty(B2I, Ty::X32, &[fits.into()]);
        let number = doubled(self, Pair { low, high }, bit);
        let next = self.op_imm(IAdd, round, 1);
        self.b.continue_(&[next, number.low, number.high, rest.low, rest.high]);
        let [low, high, rest_low, rest_high] =
            std::array::from_fn(|_| self.b.func.add_result(looped, Ty::X32));
        self.b.switch_to(outside);
        (Pair { low, high }, Pair { low: rest_low, high: rest_high })
    }

    /// Converts to a float. For a 32-bit float, the number is shifted so that its highest set bit is bit 63; the
    /// upper dword is converted. Its last bit is set if any lower bit is set, so that the conversion rounds the whole
    /// number correctly. For a 64-bit float, the conversions of both halves are exact, and their sum is rounded once.
    fn float_of(&mut self, x: Pair, signed: bool, ty: Ty) -> Value {
        use AluOp::*;
        let (x, sign) = if signed { self.absolute(x) } else { (x, self.imm(0)) };
        let value = if ty.bits() == 64 {
            let [low, high] = [x.low, x.high].map(|half| self.b.alu_ty(U2F, ty, &[half.into()]));
            let scale = self.b.constant(ty, [(2f64.powi(32)).to_bits(), 0, 0, 0]);
            let high = self.op(FMul, high, scale);
            self.op(FAdd, high, low)
        } else {
            let last = self.b.alu(FindUMsb, &[x.high]);
            let count = self.imm(31);
            let count = self.op(ISub, count, last);
            let shifted = self.shift(IShl, x, count);
            let zero = self.imm(0);
            let follow = self.op(INe, shifted.low, zero);
            let follow = self.b.alu_ty(B2I, Ty::X32, &[follow.into()]);
            let top = self.op(IOr, shifted.high, follow);
            let top = self.b.alu_ty(U2F, Ty::X32, &[top.into()]);
            // 2^(32 - count), built from its exponent.
            let exponent = self.imm(127 + 32);
            let exponent = self.op(ISub, exponent, count);
            let scale = self.op_imm(IShl, exponent, 23);
            let large = self.op(FMul, top, scale);
            let small = self.b.alu_ty(U2F, Ty::X32, &[x.low.into()]);
            let fits = self.op(IEq, x.high, zero);
            let value = self.b.alu(Select, &[fits, small, large]);
            if ty.bits() == 32 { value } else { self.b.alu_ty(F2F, ty, &[value.into()]) }
        };
        if !signed {
            return value;
        }
        let zero = self.imm(0);
        let negative = self.op(INe, sign, zero);
        let negated = self.b.alu(FNeg, &[value]);
        self.b.alu(Select, &[negative, negated, value])
    }

    /// Converts from a float that is in range: first the multiple of 2^32, then the rest. Both are exact.
    fn pair_of(&mut self, src: Src, signed: bool) -> Pair {
        use AluOp::*;
        let ty = self.b.func.ty(src.value).scalar();
        let constant = |this: &mut Self, value: f64| {
            let bits =
                if ty.bits() == 64 { value.to_bits() } else { (value as f32).to_bits().into() };
            this.b.constant(ty, [bits, 0, 0, 0])
        };
        let value = self.scalar(src);
        let zero = constant(self, 0.0);
        let size = if signed { self.b.alu(FAbs, &[value]) } else { value };
        let (down, up) = (constant(self, 2f64.powi(-32)), constant(self, -(2f64.powi(32))));
        let high = self.op(FMul, size, down);
        let high = self.b.alu_ty(F2U, Ty::X32, &[high.into()]);
        let whole = self.b.alu_ty(U2F, ty, &[high.into()]);
        let whole = self.op(FMul, whole, up);
        let low = self.op(FAdd, size, whole);
        let low = self.b.alu_ty(F2U, Ty::X32, &[low.into()]);
        let pair = Pair { low, high };
        if !signed {
            return pair;
        }
        let negative = self.op(FLt, value, zero);
        let negated = self.negated(pair);
        self.select(negative, negated, pair)
    }
}
