//! 64-bit floats, and sums of 64-bit integers: arithmetic on registers that contain both dwords of each element.
//!
//! The two dwords of a 64-bit value can be in different registers. The results of operations here are 64-bit
//! elements, which the next operation can read. If a value is composed of two dwords and an operation on 64 bits
//! reads it, the dwords are moved to one register where the value is defined; in other cases, they are moved together
//! before the operation that reads them.

use crate::target::Target;
use crestline_isa::{CondMod, Opcode, Type};
use crestline_ssa::ir::{AluOp, Function, InstKind, Memory, Src, Value};

use super::Selector;
use super::location::{ValueLocation, together};
use super::operands::is_thread_scalar;
use crate::ir::{Op, Operand};
use crate::select::{Class, Rule, rule};
use crate::target::Mode;

/// For each value, whether an operation on 64 bits reads it, or a message as an address.
pub(super) fn read_as_doubles(func: &Function, target: &Target) -> Vec<bool> {
    let computes = |op| {
        target.is_native(op, 64)
            && target.selects(Mode::Scalar, op, 64)
            && rule(op) != Rule::Components
    };
    let mut read = vec![false; func.num_values()];
    let mut stack = vec![func.body()];
    while let Some(region) = stack.pop() {
        for &id in &func.region(region).insts {
            let kind = &func.inst(id).kind;
            stack.extend(kind.regions());
            // Messages read addresses whole.
            if let InstKind::Load { memory, .. }
            | InstKind::Store { memory, .. }
            | InstKind::Atomic { memory, .. } = kind
                && let Memory::Global(address) = memory
            {
                read[address.value.index()] = true;
            }
            let &InstKind::Alu { op, ref srcs, .. } = kind else { continue };
            for src in srcs.iter().filter(|_| computes(op)) {
                // A value is also read if its negation, absolute value or copy is read.
                let mut value = Some(src.value);
                while let Some(next) = value {
                    read[next.index()] = true;
                    value = match func.def(next).map(|inst| &inst.kind) {
                        Some(InstKind::Alu {
                            op: AluOp::FNeg | AluOp::FAbs | AluOp::INeg | AluOp::Mov,
                            srcs,
                            ..
                        }) => Some(srcs[0].value),
                        _ => None,
                    };
                }
            }
        }
    }
    read
}

/// Whether [`Selector::compute_wide_integer`] selects an operation.
pub(super) fn is_integer(op: AluOp) -> bool {
    use AluOp::{I2I, IAbs, IAdd, INeg, ISub, U2U};
    matches!(op, IAdd | ISub | INeg | IAbs | I2I | U2U)
}

impl Selector<'_> {
    /// Composes a 64-bit result of its dwords, in one register if an operation on 64 bits reads it.
    pub(super) fn put_together(&mut self, result: Value, dwords: [Operand; 2]) {
        let constant = dwords.iter().all(Operand::is_imm);
        let apart = self.doubles[result.index()] && !constant && together(dwords).is_none();
        if !apart {
            return self.locate_dwords(result, 0, dwords);
        }
        let whole = self.define_double(result);
        for (index, dword) in dwords.into_iter().enumerate() {
            let part = self.dword_in(whole, index);
            self.b_for(result, |b| _ = b.mov(part, dword.retype(Type::Ud)));
        }
    }

    /// A source as one operand of type DF, with source modifiers.
    pub(super) fn double(&mut self, src: Src) -> Operand {
        let peeled = self.peel(src, Class::Float);
        let mut operand = self.whole(peeled.src);
        operand.negate = peeled.negate;
        operand.abs = peeled.abs;
        operand
    }

    /// A 64-bit source as one operand of type DF.
    pub(super) fn whole(&mut self, src: Src) -> Operand {
        match self.location(src) {
            ValueLocation::Constant(bits, _) => self.pool.get_double(&mut self.out, bits),
            ValueLocation::Elements(elements) => self.readable(elements.operand(Type::Df)),
            location @ (ValueLocation::Dwords(_) | ValueLocation::Flags) => {
                let dwords = [0, 1].map(|index| self.readable(location.dword(index)));
                self.collected(dwords)
            }
        }
    }

    /// Dword `index` of each element of a 64-bit operand.
    pub(super) fn dword_in(&self, whole: Operand, index: usize) -> Operand {
        self.part(whole, Type::Ud, index as u32)
    }

    /// Moves two dwords to a new register with 64-bit elements.
    fn collected(&mut self, dwords: [Operand; 2]) -> Operand {
        let scalar = dwords.iter().all(is_thread_scalar);
        let whole = if scalar { self.out.scalar(Type::Df) } else { self.out.lanes(Type::Df, 1) };
        for (index, dword) in dwords.into_iter().enumerate() {
            let part = self.dword_in(whole, index);
            let mut b = self.b();
            let mut b = if scalar { b.uniform() } else { b };
            b.mov(part, dword.retype(Type::Ud));
        }
        whole
    }

    /// Allocates a register for a 64-bit result and makes it the result's location.
    pub(super) fn define_double(&mut self, result: Value) -> Operand {
        let scalar = self.uniform.is(result);
        let whole = if scalar { self.out.scalar(Type::Df) } else { self.out.lanes(Type::Df, 1) };
        let dwords = [0, 1].map(|index| self.dword_in(whole, index));
        self.locate_dwords(result, 0, dwords);
        whole
    }

    /// Selects a sum, difference, negation or absolute value of 64-bit integers, or a conversion between integers of 64
    /// bits and of fewer.
    pub(super) fn compute_wide_integer(&mut self, op: AluOp, srcs: &[Src], result: Value) {
        if self.bits(result) < 64 {
            let dword = self.read_dword(srcs[0], 0);
            return self.locate(result, 0, dword);
        }
        let dst = |selector: &mut Self| selector.define_double(result).retype(Type::Q);
        match op {
            AluOp::I2I | AluOp::U2U => {
                let class = if op == AluOp::I2I { Class::Signed } else { Class::Unsigned };
                let (source, dst) = (self.src(srcs[0], class), dst(self));
                self.b_for(result, |b| _ = b.mov(dst, source));
            }
            AluOp::IAdd | AluOp::ISub => {
                let minus = op == AluOp::ISub;
                let [mut x, mut y] = [srcs[0], srcs[1]];
                // The first term has 64 bits, so that the sum is computed with as many.
                if !minus && (self.small_constant(x).is_some() || self.extended(x).is_some()) {
                    std::mem::swap(&mut x, &mut y);
                }
                let first = self.wide_integer(x);
                let constant = self.small_constant(y).filter(|c| !minus || *c != i32::MIN);
                let second = match (constant, self.extended(y)) {
                    (Some(bits), _) => Operand::imm_d(if minus { -bits } else { bits }),
                    (None, Some((dword, class))) if !minus => self.src(dword, class),
                    (None, _) if minus => self.whole(y).retype(Type::Q).negated(),
                    (None, _) => self.wide_integer(y),
                };
                let dst = dst(self);
                self.b_for(result, |b| _ = b.add(dst, first, second));
            }
            _ => {
                let source = self.whole(srcs[0]).retype(Type::Q);
                let source = if op == AluOp::INeg { source.negated() } else { source.absolute() };
                let dst = dst(self);
                self.b_for(result, |b| _ = b.mov(dst, source));
            }
        }
    }

    /// A 64-bit constant that a sum can have as an immediate of 32 bits, which the hardware extends by its sign.
    fn small_constant(&self, src: Src) -> Option<i32> {
        match self.location(src) {
            ValueLocation::Constant(bits, _) => i32::try_from(bits as i64).ok(),
            _ => None,
        }
    }

    /// The dword that a 64-bit integer is extended from, and how. (IGC's code for Skylake has numbers of type UD as second
    /// terms of sums of type Q.)
    fn extended(&self, src: Src) -> Option<(Src, Class)> {
        let func = &self.shader.func;
        let InstKind::Alu { op, srcs, .. } = &func.def(src.value)?.kind else { return None };
        let class = match op {
            AluOp::I2I => Class::Signed,
            AluOp::U2U => Class::Unsigned,
            _ => return None,
        };
        let variable = func.as_const(srcs[0].value).is_none();
        (variable && func.ty(srcs[0].value).bits() == 32).then_some((srcs[0], class))
    }

    /// A 64-bit integer as one operand of type Q, with a source modifier.
    fn wide_integer(&mut self, src: Src) -> Operand {
        let peeled = self.peel(src, Class::Wrapping);
        let whole = self.whole(peeled.src).retype(Type::Q);
        if peeled.negate { whole.negated() } else { whole }
    }

    /// Selects an operation on doubles, or a conversion from or to doubles.
    pub(super) fn compute_double(&mut self, op: AluOp, srcs: &[Src], result: Value) {
        let mut operands: Vec<Operand> = Vec::with_capacity(3);
        for &src in srcs {
            operands.push(match (self.bits(src.value), op) {
                (64, _) => self.double(src),
                (_, AluOp::I2F) => self.src(src, Class::Signed),
                (_, AluOp::U2F) => self.src(src, Class::Unsigned),
                _ => self.src(src, Class::Float),
            });
        }
        let dst = match (self.bits(result), op) {
            (64, _) => self.define_double(result),
            (_, AluOp::F2I) => self.define(result, 0, Class::Signed),
            (_, AluOp::F2U) => self.define(result, 0, Class::Unsigned),
            _ => self.define(result, 0, Class::Float),
        };
        let negated = |operand: Operand| operand.negated();
        match (op, &operands[..]) {
            (AluOp::FNeg, &[x]) => self.b_for(result, |b| _ = b.mov(dst, negated(x))),
            (AluOp::FAbs, &[x]) => self.b_for(result, |b| _ = b.mov(dst, x.absolute())),
            (AluOp::FSat, &[x]) => self.b_for(result, |b| b.mov(dst, x).saturate = true),
            (AluOp::FAdd, &[x, y]) => self.b_for(result, |b| _ = b.add(dst, x, y)),
            (AluOp::FSub, &[x, y]) => self.b_for(result, |b| _ = b.add(dst, x, negated(y))),
            (AluOp::FMul, &[x, y]) => self.b_for(result, |b| _ = b.mul(dst, x, y)),
            (AluOp::FMin, &[x, y]) => {
                self.b_for(result, |b| _ = b.min_max(dst, x, y, CondMod::L));
            }
            (AluOp::FMax, &[x, y]) => {
                self.b_for(result, |b| _ = b.min_max(dst, x, y, CondMod::Ge));
            }
            (AluOp::FFma, &[x, y, z]) => self.b_for(result, |b| _ = b.mad(dst, z, x, y)),
            (_, &[x, ..]) => self.b_for(result, |b| _ = b.emit(Op::Hw(Opcode::Mov), dst, &[x])),
            (_, []) => {}
        }
    }
}
