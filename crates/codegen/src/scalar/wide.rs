//! Doubles: arithmetic of 64 bits on registers that hold both dwords of each element.
//!
//! A value of 64 bits has two places, one for each dword. What is computed here has both in one register, so that the
//! next operation reads that. What is put together of dwords is put into one register where it is made, if an operation
//! on doubles reads it; what comes from elsewhere is moved together first.

use crestline_isa::{CondMod, Opcode, Type};
use crestline_ssa::ir::{AluOp, Function, InstKind, Src, Value};

use super::Selector;
use super::operands::{Half, is_thread_scalar};
use crate::ir::{Op, Operand};
use crate::select::Class;

/// Whether there are instructions (or short sequences) for an operation on doubles.
pub(super) fn computes(op: AluOp) -> bool {
    use AluOp::*;
    let arithmetic = matches!(op, FNeg | FAbs | FSat | FAdd | FSub | FMul | FMin | FMax | FFma);
    let conversion = matches!(op, F2F | F2I | F2U | I2F | U2F);
    arithmetic || conversion || matches!(op, FEq | FNe | FLt | FGe)
}

/// For each value whether an operation on doubles reads it.
pub(super) fn read_as_doubles(func: &Function) -> Vec<bool> {
    let mut read = vec![false; func.num_values()];
    let mut stack = vec![func.body()];
    while let Some(region) = stack.pop() {
        for &id in &func.region(region).insts {
            let kind = &func.inst(id).kind;
            stack.extend(kind.regions());
            let InstKind::Alu { op, srcs, .. } = kind else { continue };
            for src in srcs.iter().filter(|_| computes(*op)) {
                // Modifiers and copies are looked through.
                let mut value = Some(src.value);
                while let Some(next) = value {
                    read[next.index()] = true;
                    value = match func.def(next).map(|inst| &inst.kind) {
                        Some(InstKind::Alu {
                            op: AluOp::FNeg | AluOp::FAbs | AluOp::Mov,
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

impl Selector<'_> {
    /// Makes a result of its dwords, in one register if an operation on doubles reads it.
    pub(super) fn put_together(&mut self, result: Value, halves: [Operand; 2]) {
        let constant = halves.iter().all(Operand::is_imm);
        let apart = self.doubles[result.index()] && !constant && together(&halves).is_none();
        if !apart {
            let places = [Half::Low, Half::High].into_iter().zip(halves);
            return places.for_each(|(half, dword)| self.set_half(result, 0, half, dword));
        }
        let whole = self.define_double(result);
        for (index, half) in halves.into_iter().enumerate() {
            let place = self.dword_in(whole, index);
            self.b_for(result, |b| _ = b.mov(place, half.retype(Type::Ud)));
        }
    }

    /// A register for one dword of a result that is selected by dwords.
    pub(super) fn new_dword(&mut self, result: Value, half: Half) -> Operand {
        if self.bits(result) == 64 && self.doubles[result.index()] {
            if half == Half::Low {
                self.define_double(result);
            }
            return self.read_half(Src::new(result), half);
        }
        let dst = self.new_register(result);
        self.set_half(result, 0, half, dst);
        dst
    }

    /// A double as one operand.
    pub(super) fn double(&mut self, src: Src) -> Operand {
        let peeled = self.peel(src, Class::Float);
        let mut operand = self.whole(peeled.src);
        operand.negate = peeled.negate;
        operand.abs = peeled.abs;
        operand
    }

    /// Both dwords of a source as one operand of type DF.
    pub(super) fn whole(&mut self, src: Src) -> Operand {
        let halves = [Half::Low, Half::High].map(|half| self.read_half(src, half));
        together(&halves).unwrap_or_else(|| self.collected(halves))
    }

    /// Number `index` of the dwords of each element.
    pub(super) fn dword_in(&self, whole: Operand, index: usize) -> Operand {
        self.part(whole, Type::Ud, index as u32)
    }

    /// A register with two dwords for each element.
    fn collected(&mut self, halves: [Operand; 2]) -> Operand {
        if let [Some(low), Some(high)] = halves.map(|half| half.imm_bits()) {
            return self.pool.get_double(&mut self.out, low & 0xffff_ffff | high << 32);
        }
        let scalar = halves.iter().all(is_thread_scalar);
        let whole = if scalar { self.out.scalar(Type::Df) } else { self.out.lanes(Type::Df, 1) };
        for (index, half) in halves.into_iter().enumerate() {
            let place = self.dword_in(whole, index);
            let mut b = self.b();
            let mut b = if scalar { b.uniform() } else { b };
            b.mov(place, half.retype(Type::Ud));
        }
        whole
    }

    /// A new register for a double, the place of a result.
    pub(super) fn define_double(&mut self, result: Value) -> Operand {
        let scalar = self.uniform.is(result);
        let whole = if scalar { self.out.scalar(Type::Df) } else { self.out.lanes(Type::Df, 1) };
        self.set_half(result, 0, Half::Low, self.dword_in(whole, 0));
        self.set_half(result, 0, Half::High, self.dword_in(whole, 1));
        whole
    }

    /// Selects an operation on doubles, or a conversion from or to them.
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

fn dword(whole: Operand, index: usize) -> Option<Operand> {
    whole.subscript(Type::Ud, index as u32)
}

/// The doubles of which the operands are the low and high dwords, if they lie so.
fn together(halves: &[Operand; 2]) -> Option<Operand> {
    let [low, high] = halves.map(|half| half.retype(Type::Ud));
    let whole = Operand { ty: Type::Df, ..low };
    [0, 1].into_iter().find_map(|stride| {
        let whole = whole.with_stride(stride);
        let aligned = low.in_grf() && low.offset.is_multiple_of(Type::Df.size());
        (aligned && dword(whole, 0) == Some(low) && dword(whole, 1) == Some(high)).then_some(whole)
    })
}
