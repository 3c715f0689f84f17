//! Booleans in vec4 mode: flags for those that decide branches and selections, masks for those that are used as data
//! (see [`crate::select`]).
//!
//! A flag has one bit per channel. A condition with one component is compared in all four channels of its vertex, so
//! that each channel has the result in its own bit. "Any" or "all" over the components of a comparison is a predicate
//! control that combines the bits of four channels.

use crestline_isa::{CondMod, Opcode, PredCtrl, Predicate, Type};
use crestline_ssa::ir::{AluOp, Function, Src, Value};

use super::Selector;
use super::operands::Form;
use crate::ir::{Builder, Op, Operand};
use crate::select::{
    Booleans, Class, Cond, Conditions, Test, compare_to_mask, comparison, mirrored,
};

/// Component mask of all four channels of a vertex.
const ALL: u8 = 0xf;

/// The flags that currently contain a condition, by source.
pub(super) type FlagCache = crate::select::FlagCache<Src>;

impl Selector<'_> {
    /// Writes a condition to a flag, unless a flag contains it already. Each channel has the result for its own
    /// component of the four-wide source.
    pub(super) fn cond(&mut self, src: Src) -> Cond {
        let (src, inverse) = self.through_not(src);
        let cond = self.known.flags.get(&src).unwrap_or_else(|| {
            let cond = self.new_cond(src);
            self.known.flags.put(src, cond);
            cond
        });
        cond.inverse_if(inverse)
    }

    /// Writes a condition to a new flag.
    fn new_cond(&mut self, src: Src) -> Cond {
        let flag = self.b().flag();
        let test = Test { flag, all: false, within: None };
        if let Some((vector, ctrl)) = self.reduction(src) {
            // For floats, the negation of a comparison may not be a comparison, so the predicate control for the
            // negation is not used.
            self.write_flag(vector, false, test);
            return Cond { flag, predicate: Predicate { ctrl, inverse: false } };
        }
        let negate = !self.booleans.form(src.value).direct;
        self.write_flag(src, negate, test);
        Cond { flag, predicate: Predicate { ctrl: PredCtrl::Normal, inverse: negate } }
    }

    /// For a condition that is a conjunction or disjunction of components of one vector: that vector and the
    /// predicate control "all" or "any".
    fn reduction(&self, src: Src) -> Option<(Src, PredCtrl)> {
        let [first, ..] = src.swizzle;
        let op = match self.connective(src.value) {
            Some((op @ (AluOp::IAnd | AluOp::IOr), _)) => op,
            _ => return None,
        };
        if src.swizzle != [first; 4] {
            return None;
        }
        let mut comps = Vec::new();
        let mut stack = vec![src];
        let mut vector: Option<Value> = None;
        while let Some(part) = stack.pop() {
            let (part, inverse) = self.through_not(part);
            if inverse {
                return None;
            }
            match self.connective(part.value) {
                Some((inner, srcs)) if inner == op => {
                    stack.extend(srcs.iter().map(|s| s.then(part.swizzle)));
                }
                _ => {
                    if vector.is_some_and(|v| v != part.value) || comps.len() == 4 {
                        return None;
                    }
                    vector = Some(part.value);
                    comps.push(part.swizzle[0]);
                }
            }
        }
        let value = vector.filter(|&v| self.booleans.form(v).is_leaf(false))?;
        let last = *comps.last()?;
        let swizzle = std::array::from_fn(|i| comps.get(i).copied().unwrap_or(last));
        let ctrl = if op == AluOp::IOr { PredCtrl::Any4H } else { PredCtrl::All4H };
        Some((Src { value, swizzle }, ctrl))
    }

    /// The operands of a comparison, in an order that the hardware supports, and the condition for that order.
    fn compared(
        &mut self,
        [mut a, mut b]: [Src; 2],
        mask: u8,
        mut cond_mod: CondMod,
        class: Class,
    ) -> (Operand, CondMod, Operand) {
        if self.is_constant(a, class) && !self.is_constant(b, class) {
            (a, b) = (b, a);
            cond_mod = mirrored(cond_mod);
        }
        let a = self.src(a, mask, class, Form::Register);
        (a, cond_mod, self.src(b, mask, class, Form::Any))
    }

    /// Computes a boolean as a mask of all ones or zeros, if it is stored as one. Otherwise does nothing: it is
    /// compared at its uses.
    pub(super) fn boolean(&mut self, op: AluOp, srcs: &[Src], result: Value) {
        if !self.booleans.is_mask(result) {
            return;
        }
        let register = self.define(result);
        let mask = register.lanes.mask();
        if let Some((cond_mod, class)) = comparison(op) {
            let srcs = [0, 1].map(|i| register.lanes.spread(srcs[i]));
            let operands = self.compared(srcs, mask, cond_mod, class);
            let flag = self.b().flag();
            let dst = register.dst(Type::D);
            compare_to_mask(&mut self.b(), dst, operands, flag);
            return;
        }
        let opcode = match op {
            AluOp::IAnd => Opcode::And,
            AluOp::IOr => Opcode::Or,
            AluOp::IXor => Opcode::Xor,
            _ => Opcode::Not,
        };
        let operands = self.sources(Op::Hw(opcode), Class::Logic, srcs, register.lanes);
        let dst = register.dst(Class::Logic.ty(32));
        self.b().emit(Op::Hw(opcode), dst, &operands);
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
        self.compared(srcs, ALL, cond_mod, class)
    }

    fn mask(&mut self, src: Src) -> Operand {
        self.src(src, ALL, Class::Signed, Form::Register)
    }
}
