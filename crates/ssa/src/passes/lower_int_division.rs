//! Replaces integer division by a constant by multiplication with its scaled inverse, and replaces divisions and
//! remainders that the back end does not have by those that it has.
//!
//! The scaled inverses are those of Warren, Hacker's Delight, chapter 10. Choose `m` such that `m * d` is `2^(32 + s)`
//! or slightly more; then the high half of `m * n`, shifted right by `s`, is the quotient `n / d`.
//!
//! The result is exact for all `n` below `2^bits` if `m * d - 2^(32 + s)` is at most `2^(32 + s - bits)`. Unsigned
//! division needs 32 bits, signed division 31.

use super::LowerOptions;
use super::util::{Action, const_src, rewrite};
use crate::ir::{AluOp, Builder, InstKind, Shader, Src, Ty, Value};

/// See the [module](self). Returns whether a division was replaced.
pub fn lower_int_division(shader: &mut Shader, options: &LowerOptions) -> bool {
    if !shader.func.may_have(|inst| matches!(inst.kind, InstKind::Alu { op, .. } if divides(op))) {
        return false;
    }
    rewrite(&mut shader.func, |b, _, inst| {
        let data = b.func.inst(inst);
        let InstKind::Alu { op, srcs, .. } = &data.kind else { return Action::Keep };
        if !divides(*op) {
            return Action::Keep;
        }
        let (op, n, d) = (*op, srcs[0], srcs[1]);
        let ty = b.func.ty(data.results[0]);
        let mut lower = Lower { b, ty };
        let by = match const_src(lower.b.func, d, ty.comps()) {
            _ if ty.bits() < 32 => Some(lower.widened(op, n, d)),
            Some(bits) if ty.bits() == 32 => lower.by_constants(op, n, &bits),
            _ => None,
        };
        let by = by.or_else(|| {
            let unsupported = options.unsupported_ops.contains(&op);
            unsupported.then(|| lower.by_other_division(op, n, d)).flatten()
        });
        by.map_or(Action::Keep, |by| Action::Replace(by.into()))
    })
}

/// Whether the operation is a quotient or a remainder.
fn divides(op: AluOp) -> bool {
    matches!(op, AluOp::UDiv | AluOp::UMod | AluOp::IDiv | AluOp::IRem | AluOp::IMod)
}

struct Lower<'b, 'f> {
    b: &'b mut Builder<'f>,
    ty: Ty,
}

impl Lower<'_, '_> {
    /// A constant of the current type, the same in all components.
    fn imm(&mut self, value: u32) -> Src {
        self.b.constant(self.ty, [u64::from(value); 4]).into()
    }

    /// An operation whose result has the current type.
    fn op(&mut self, op: AluOp, x: Src, y: Src) -> Src {
        self.b.alu_ty(op, self.ty, &[x, y]).into()
    }

    /// A comparison of two sources of the current type.
    fn compare(&mut self, op: AluOp, x: Src, y: Src) -> Src {
        let ty = Ty::BOOL.with_comps(self.ty.comps());
        self.b.alu_ty(op, ty, &[x, y]).into()
    }

    /// Divides numbers of 8 or 16 bits in 32 bits.
    fn widened(&mut self, op: AluOp, n: Src, d: Src) -> Value {
        let signed = matches!(op, AluOp::IDiv | AluOp::IRem | AluOp::IMod);
        let convert = if signed { AluOp::I2I } else { AluOp::U2U };
        let wide = Ty::X32.with_comps(self.ty.comps());
        let n = self.b.alu_ty(convert, wide, &[n]);
        let d = self.b.alu_ty(convert, wide, &[d]);
        let result = self.b.alu_ty(op, wide, &[n.into(), d.into()]);
        self.b.alu_ty(convert, self.ty, &[result.into()])
    }

    /// Divides by constants, component by component. `None` if one of them is zero.
    fn by_constants(&mut self, op: AluOp, n: Src, d: &[u64; 4]) -> Option<Value> {
        let (comps, whole) = (self.ty.comps(), self.ty);
        if d[..comps].contains(&0) {
            return None;
        }
        self.ty = whole.scalar();
        let parts: Vec<Src> = (0..comps)
            .map(|c| {
                let (n, d) = (n.select(c), d[c] as u32);
                match op {
                    AluOp::UDiv => self.udiv(n, d),
                    AluOp::UMod if d.is_power_of_two() => {
                        let mask = self.imm(d - 1);
                        self.op(AluOp::IAnd, n, mask)
                    }
                    AluOp::UMod => {
                        let quotient = self.udiv(n, d);
                        self.remainder(n, quotient, d)
                    }
                    AluOp::IDiv => self.idiv(n, d as i32),
                    AluOp::IMod if (d as i32) > 0 && d.is_power_of_two() => {
                        let mask = self.imm(d - 1);
                        self.op(AluOp::IAnd, n, mask)
                    }
                    _ => {
                        let quotient = self.idiv(n, d as i32);
                        let rest = self.remainder(n, quotient, d);
                        if op == AluOp::IMod {
                            let d = self.imm(d);
                            self.take_sign_of_divisor(rest, d)
                        } else {
                            rest
                        }
                    }
                }
            })
            .collect();
        self.ty = whole;
        Some(match parts[..] {
            [part] if self.b.func.ty(part.value).comps() == 1 => part.value,
            _ => self.b.vec(&parts),
        })
    }

    /// The remainder `n - quotient * d`.
    fn remainder(&mut self, n: Src, quotient: Src, d: u32) -> Src {
        let d = self.imm(d);
        let whole = self.op(AluOp::IMul, quotient, d);
        self.op(AluOp::ISub, n, whole)
    }

    /// Changes a remainder to the sign of the divisor: `rest + d` if `rest` is not zero and their signs differ, else
    /// `rest`.
    fn take_sign_of_divisor(&mut self, rest: Src, d: Src) -> Src {
        let zero = self.imm(0);
        let differ = self.op(AluOp::IXor, rest, d);
        let differ = self.compare(AluOp::ILt, differ, zero);
        let inexact = self.compare(AluOp::INe, rest, zero);
        let ty = Ty::BOOL.with_comps(self.ty.comps());
        let adjust = self.b.alu_ty(AluOp::IAnd, ty, &[differ, inexact]).into();
        let other = self.op(AluOp::IAdd, rest, d);
        self.b.alu_ty(AluOp::Select, self.ty, &[adjust, other, rest]).into()
    }

    /// Shifts by a constant.
    fn shift(&mut self, op: AluOp, n: Src, count: u32) -> Src {
        if count == 0 {
            return n;
        }
        let count = self.imm(count);
        self.op(op, n, count)
    }

    /// The unsigned quotient by a constant that is not 0.
    fn udiv(&mut self, n: Src, d: u32) -> Src {
        if d.is_power_of_two() {
            return self.shift(AluOp::UShr, n, d.trailing_zeros());
        }
        let (inverse, shift, add) = unsigned_inverse(d);
        if add && d.is_multiple_of(2) {
            // If the divisor is even, its factor of two is removed first. The smaller numbers then need no 33rd bit.
            let twos = d.trailing_zeros();
            let n = self.shift(AluOp::UShr, n, twos);
            let (inverse, shift) = short_inverse(d >> twos, 32 - twos);
            let inverse = self.imm(inverse);
            let high = self.op(AluOp::UMulHigh, n, inverse);
            return self.shift(AluOp::UShr, high, shift);
        }
        let inverse = self.imm(inverse);
        let high = self.op(AluOp::UMulHigh, n, inverse);
        if !add {
            return self.shift(AluOp::UShr, high, shift);
        }
        // The inverse has 33 bits: its top bit adds `n` once more. Half of the rest is added, so that the sum cannot
        // overflow.
        let rest = self.op(AluOp::ISub, n, high);
        let half = self.shift(AluOp::UShr, rest, 1);
        let sum = self.op(AluOp::IAdd, half, high);
        self.shift(AluOp::UShr, sum, shift - 1)
    }

    /// The signed quotient by a constant that is not 0.
    fn idiv(&mut self, n: Src, d: i32) -> Src {
        let size = d.unsigned_abs();
        let quotient = match size {
            1 => n,
            _ if size.is_power_of_two() => {
                // Add `size - 1` to negative numbers, so that the shift rounds toward zero.
                let power = size.trailing_zeros();
                let sign = self.shift(AluOp::IShr, n, 31);
                let bias = self.shift(AluOp::UShr, sign, 32 - power);
                let sum = self.op(AluOp::IAdd, n, bias);
                self.shift(AluOp::IShr, sum, power)
            }
            _ => {
                let (inverse, shift) = signed_inverse(size);
                let factor = self.imm(inverse);
                let mut high = self.op(AluOp::IMulHigh, n, factor);
                if inverse >= 1 << 31 {
                    // `imul_high` reads the inverse as a negative number, which is 2^32 too small.
                    high = self.op(AluOp::IAdd, high, n);
                }
                let floor = self.shift(AluOp::IShr, high, shift);
                let sign = self.shift(AluOp::UShr, n, 31);
                self.op(AluOp::IAdd, floor, sign)
            }
        };
        if d < 0 { self.b.alu_ty(AluOp::INeg, self.ty, &[quotient]).into() } else { quotient }
    }

    /// Computes a remainder from the quotient or from the other kind of remainder; `None` for quotients.
    fn by_other_division(&mut self, op: AluOp, n: Src, d: Src) -> Option<Value> {
        let by = match op {
            AluOp::IMod => {
                let rest = self.op(AluOp::IRem, n, d);
                self.take_sign_of_divisor(rest, d)
            }
            AluOp::IRem | AluOp::UMod => {
                let div = if op == AluOp::IRem { AluOp::IDiv } else { AluOp::UDiv };
                let quotient = self.op(div, n, d);
                let whole = self.op(AluOp::IMul, quotient, d);
                self.op(AluOp::ISub, n, whole)
            }
            _ => return None,
        };
        Some(by.value)
    }
}

/// The scaled inverse of `d`, no power of two, for all 32-bit numbers. Returns its low 32 bits, the shift, and whether
/// it has a 33rd bit.
fn unsigned_inverse(d: u32) -> (u32, u32, bool) {
    let d = u128::from(d);
    let log = 128 - (d - 1).leading_zeros();
    // An inverse of 33 bits always exists. Look for one of 32 bits.
    for shift in 0..log {
        let inverse = (1_u128 << (32 + shift)).div_ceil(d);
        let excess = inverse * d - (1_u128 << (32 + shift));
        if inverse < 1 << 32 && excess <= 1 << shift {
            return (inverse as u32, shift, false);
        }
    }
    let inverse = (1_u128 << (32 + log)).div_ceil(d);
    (inverse as u32, log, true)
}

/// The scaled inverse of an odd `d` for unsigned numbers of `bits` bits, less than 32, and the shift.
fn short_inverse(d: u32, bits: u32) -> (u32, u32) {
    let d = u128::from(d);
    let log = 128 - (d - 1).leading_zeros();
    // Since the numbers have fewer bits, a larger excess is allowed.
    let shift = (0..=log)
        .find(|&shift| {
            let one = 1_u128 << (32 + shift);
            let inverse = one.div_ceil(d);
            inverse < 1 << 32 && inverse * d - one <= 1 << (shift + 32 - bits)
        })
        .unwrap_or(log);
    ((1_u128 << (32 + shift)).div_ceil(d) as u32, shift)
}

/// The scaled inverse of `d`, no power of two, for signed 32-bit numbers, and the shift.
fn signed_inverse(d: u32) -> (u32, u32) {
    let d = u128::from(d);
    let log = 128 - (d - 1).leading_zeros();
    let shift = (0..log)
        .find(|&shift| {
            let one = 1_u128 << (32 + shift);
            let excess = one.div_ceil(d) * d - one;
            excess <= 1 << (shift + 1)
        })
        .unwrap_or(log - 1);
    ((1_u128 << (32 + shift)).div_ceil(d) as u32, shift)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interp::alu::eval_component;
    use crate::passes::{opt_constant_folding, opt_copy_propagation};

    /// The result of a division of constants, computed by the pass and constant folding.
    fn divide(op: AluOp, n: u32, d: u32) -> u32 {
        let mut shader = Shader::new_compute("t");
        let body = shader.func.body();
        let mut b = Builder::new(&mut shader.func, body);
        let (n, d) = (b.imm(n), b.imm(d));
        let result = b.alu(op, &[n, d]);
        let out = b.alu(AluOp::INot, &[result]);
        b.return_();
        assert!(lower_int_division(&mut shader, &LowerOptions::default()));
        opt_copy_propagation(&mut shader);
        opt_constant_folding(&mut shader);
        !shader.func.as_const(out).expect("folds")[0] as u32
    }

    #[test]
    fn division_by_constants_is_exact() {
        let edges: [u32; 29] = [
            0,
            1,
            2,
            3,
            5,
            6,
            7,
            9,
            10,
            11,
            12,
            14,
            25,
            28,
            100,
            125,
            625,
            641,
            1000,
            0xffff,
            0x10000,
            0x10001,
            0x7fff_fffe,
            0x7fff_ffff,
            0x8000_0000,
            0x8000_0001,
            0xaaaa_aaab,
            0xffff_fffe,
            0xffff_ffff,
        ];
        for d in edges.into_iter().skip(1).chain(13..64) {
            for n in edges.into_iter().chain([d.wrapping_mul(3), d.wrapping_mul(7).wrapping_sub(1)])
            {
                for op in [AluOp::UDiv, AluOp::UMod, AluOp::IDiv, AluOp::IRem, AluOp::IMod] {
                    if n == 1 << 31 && d == u32::MAX && op != AluOp::UDiv && op != AluOp::UMod {
                        continue;
                    }
                    let expected = eval_component(op, 32, 32, [n.into(), d.into(), 0, 0]) as u32;
                    assert_eq!(divide(op, n, d), expected, "{op:?} {n:#x} {d:#x}");
                }
            }
        }
    }
}
