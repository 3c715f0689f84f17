//! Booleans: flags for those that decide, masks for those that are data.
//!
//! A comparison costs one instruction wherever it is made, so it is made where its outcome is needed: with null
//! destination into a flag just before the branch or selection, predicated on the flag so far where it is a part of a
//! conjunction or disjunction. Only what is read as data (arithmetic on booleans, region results, conversions) becomes a
//! mask at its definition, 32 bits of all ones or zeros.

use crestline_isa::{CondMod, Opcode};
use crestline_ssa::ir::{AluOp, InstKind, Src, Value};

use super::Selector;
use crate::ir::{Builder, Flag, Op, Operand};
use crate::select::{Class, comparison, mirrored, opposite};

/// A condition in a flag: true where the bit is set, or clear if `inverse`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cond {
    pub(super) flag: Flag,
    pub(super) inverse: bool,
}

/// How a flag is written.
#[derive(Clone, Copy)]
struct Test {
    flag: Flag,
    /// For all channels, enabled or not.
    all: bool,
    /// Only for channels whose bit in the flag is set (`Some(false)`) or clear (`Some(true)`), so that the flag becomes a
    /// conjunction or disjunction.
    within: Option<bool>,
}

/// Flags that already hold a value, newest last. Few, since each entry that is used again keeps its flag busy.
#[derive(Clone, Debug, Default)]
pub(super) struct FlagCache {
    entries: Vec<(Value, Cond)>,
}

const CACHED_FLAGS: usize = 2;

impl FlagCache {
    fn get(&self, value: Value) -> Option<Cond> {
        self.entries.iter().find(|e| e.0 == value).map(|e| e.1)
    }

    fn put(&mut self, value: Value, cond: Cond) {
        if self.entries.len() == CACHED_FLAGS {
            self.entries.remove(0);
        }
        self.entries.push((value, cond));
    }
}

impl Selector<'_> {
    /// The condition in a flag. Its bits of all enabled channels count; of a uniform condition all bits, so that it
    /// serves instructions of one channel too.
    pub(super) fn cond(&mut self, src: Src) -> Cond {
        let (src, inverse) = self.through_not(src);
        let cond = self.flags.get(src.value).unwrap_or_else(|| {
            let flag = self.b().flag();
            let negate = !self.booleans.form(src.value).direct;
            let test = Test { flag, all: self.uniform.is(src.value), within: None };
            self.write_flag(src, negate, test);
            let cond = Cond { flag, inverse: negate };
            self.flags.put(src.value, cond);
            cond
        });
        Cond { inverse: cond.inverse ^ inverse, ..cond }
    }

    /// The source behind negations and copies, and whether there was an odd number of negations.
    fn through_not(&self, mut src: Src) -> (Src, bool) {
        let mut inverse = false;
        while !self.booleans.is_mask(src.value)
            && let Some(inst) = self.shader.func.def(src.value)
            && let InstKind::Alu { op: op @ (AluOp::INot | AluOp::Mov), srcs, .. } = &inst.kind
        {
            inverse ^= *op == AluOp::INot;
            src = srcs[0].select(usize::from(src.swizzle[0]));
        }
        (src, inverse)
    }

    /// Writes a boolean (negated, if `negate`) to a flag.
    fn write_flag(&mut self, src: Src, negate: bool, test: Test) {
        let (src, inverse) = self.through_not(src);
        let negate = negate ^ inverse;
        let form = self.booleans.form(src.value);
        let parts = match self.shader.func.def(src.value).map(|inst| &inst.kind) {
            Some(InstKind::Alu { op: op @ (AluOp::IAnd | AluOp::IOr), srcs, .. }) if !form.mask => {
                // The negation of a conjunction is the disjunction of the negations.
                Some(((*op == AluOp::IOr) ^ negate, [srcs[0], srcs[1]]))
            }
            _ => None,
        };
        let Some((either, [a, b])) = parts else {
            return self.compare(src, negate, test);
        };
        let b_last = self.booleans.form(b.value).is_leaf(negate);
        let (first, last) = if b_last { (a, b) } else { (b, a) };
        self.write_flag(first, negate, test);
        self.write_flag(last, negate, Test { within: Some(either), ..test });
    }

    /// Writes a comparison or mask to `flag`.
    fn compare(&mut self, src: Src, negate: bool, test: Test) {
        let func = &self.shader.func;
        let compared = func.def(src.value).and_then(|inst| match &inst.kind {
            InstKind::Alu { op, srcs, .. } if !self.booleans.is_mask(src.value) => {
                comparison(*op).map(|c| (c, srcs.clone()))
            }
            _ => None,
        });
        let (a, cond_mod, b) = match compared {
            Some(((cond_mod, class), srcs)) => self.compared(&srcs, cond_mod, class),
            None => {
                let mask = self.src(src, Class::Signed);
                (self.in_register(mask), CondMod::Nz, Operand::imm_d(0))
            }
        };
        let cond_mod = if negate { opposite(cond_mod) } else { cond_mod };
        let mut b_ = Builder::new(&mut self.out);
        let mut b_ = if test.all { b_.no_mask() } else { b_ };
        let mut b_ = match test.within {
            Some(clear) => b_.predicated(test.flag, clear),
            None => b_,
        };
        b_.cmp(Operand::null(a.ty), a, cond_mod, b, test.flag);
    }

    /// The operands of a comparison, in an order the hardware takes, and the condition in that order.
    fn compared(
        &mut self,
        srcs: &[Src],
        cond_mod: CondMod,
        class: Class,
    ) -> (Operand, CondMod, Operand) {
        if self.bits(srcs[0].value) == 64 {
            return (self.double(srcs[0]), cond_mod, self.double(srcs[1]));
        }
        let a = self.src(srcs[0], class);
        let b = self.src(srcs[1], class);
        let (a, b, swapped) = self.two_sources(a, b, true);
        (a, if swapped { mirrored(cond_mod) } else { cond_mod }, b)
    }

    /// Computes a boolean as a mask of all ones or zeros, if it is kept as one.
    pub(super) fn boolean(&mut self, op: AluOp, srcs: &[Src], result: Value) {
        if !self.booleans.is_mask(result) {
            return;
        }
        if let Some((cond_mod, class)) = comparison(op) {
            let (a, cond_mod, b) = self.compared(srcs, cond_mod, class);
            let dst = self.define(result, 0, Class::Signed);
            if a.ty.size() > dst.ty.size() {
                // The mask would be wider: the condition picks one.
                let flag = self.b().flag();
                return self.b_for(result, |b_| {
                    b_.cmp(Operand::null(a.ty), a, cond_mod, b, flag);
                    b_.mov(dst, Operand::imm_d(0));
                    b_.predicated(flag, false).mov(dst, Operand::imm_d(-1));
                });
            }
            // The mask is written in the sources' own type: no conversion, all bits set.
            let dst = if a.ty.size() == dst.ty.size() { dst.retype(a.ty) } else { dst };
            let flag = self.b().flag();
            self.b_for(result, |b_| _ = b_.cmp(dst, a, cond_mod, b, flag));
            return;
        }
        let opcode = match op {
            AluOp::IAnd => Opcode::And,
            AluOp::IOr => Opcode::Or,
            AluOp::IXor => Opcode::Xor,
            _ => Opcode::Not,
        };
        let mut operands: Vec<Operand> =
            srcs.iter().map(|&src| self.src(src, Class::Logic)).collect();
        if let [a, b] = operands[..] {
            let (a, b, _) = self.two_sources(a, b, true);
            operands = vec![a, b];
        }
        let dst = self.define(result, 0, Class::Logic);
        self.b_for(result, |b| _ = b.emit(Op::Hw(opcode), dst, &operands));
    }
}
