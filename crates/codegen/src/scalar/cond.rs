//! Booleans in scalar mode: flags for those that decide branches and selections, masks for those that are used as
//! data. [`crate::select::Booleans`] decides which is which.

use crestline_isa::{CondMod, Opcode, Predicate};
use crestline_ssa::ir::{AluOp, Function, Src, Value};

use super::Selector;
use crate::ir::{Builder, Op, Operand};
use crate::select::{
    Booleans, Class, Cond, Conditions, Test, compare_to_mask, comparison, mirrored,
};

/// The flags that currently contain a boolean, by value and component.
pub(super) type FlagCache = crate::select::FlagCache<(Value, u8)>;

impl Selector<'_> {
    /// Writes a condition to a flag, unless a flag contains it already. The flag is valid for all enabled channels;
    /// for a uniform condition it is valid for all channels, so that instructions with one channel can use it too.
    pub(super) fn cond(&mut self, src: Src) -> Cond {
        let (src, inverse) = self.through_not(src);
        let key = (src.value, src.swizzle[0]);
        let cond = self.flags.get(&key).unwrap_or_else(|| {
            let flag = self.b().flag();
            let negate = !self.booleans.form(src.value).direct;
            let test = Test { flag, all: self.uniform.is(src.value), within: None };
            self.write_flag(src, negate, test);
            let cond = Cond { flag, predicate: Predicate { inverse: negate, ..Predicate::NORMAL } };
            self.flags.put(key, cond);
            cond
        });
        cond.inverse_if(inverse)
    }

    /// The operands of a comparison, in an order that the hardware supports, and the condition for that order.
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

    /// Computes a boolean as a mask of all ones or zeros, if it is stored as one. Otherwise, only records that it is
    /// compared at its uses.
    pub(super) fn boolean(&mut self, op: AluOp, srcs: &[Src], result: Value) {
        if !self.booleans.is_mask(result) {
            return self.keep_in_flags(result);
        }
        if let Some((cond_mod, class)) = comparison(op) {
            let operands = self.compared(srcs, cond_mod, class);
            let dst = self.define(result, 0, Class::Signed);
            let flag = self.b().flag();
            self.b_for(result, |b| compare_to_mask(b, dst, operands, flag));
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

impl Conditions for Selector<'_> {
    fn func(&self) -> &Function {
        &self.shader.func
    }

    fn booleans(&self) -> &Booleans {
        &self.booleans
    }

    fn b(&mut self) -> Builder<'_> {
        Selector::b(self)
    }

    fn operands(
        &mut self,
        srcs: [Src; 2],
        cond_mod: CondMod,
        class: Class,
    ) -> (Operand, CondMod, Operand) {
        self.compared(&srcs, cond_mod, class)
    }

    fn mask(&mut self, src: Src) -> Operand {
        let mask = self.src(src, Class::Signed);
        self.in_register(mask)
    }
}
