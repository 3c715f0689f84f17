//! Booleans: flags for those that decide, masks for those that are data (see [`crate::select`]).
//!
//! A flag has a bit for each channel. A condition of one component is compared in all channels of its vertex, so that
//! every channel finds the outcome at its own bit. "Any" and "all" over the components of a comparison are predicates
//! of their own: four channels at once.

use crestline_isa::{CondMod, Opcode, PredCtrl, Predicate};
use crestline_ssa::ir::{AluOp, InstKind, Src, Value};

use super::Selector;
use super::operands::Form;
use crate::ir::{Flag, Op, Operand};
use crate::select::{Class, comparison, mirrored, opposite};

/// All four channels of a vertex.
const ALL: u8 = 0xf;

/// A condition in a flag: true where the predicate holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cond {
    pub(super) flag: Flag,
    pub(super) predicate: Predicate,
}

impl Cond {
    /// The negation.
    pub(super) fn not(self) -> Cond {
        let predicate = Predicate { inverse: !self.predicate.inverse, ..self.predicate };
        Cond { predicate, ..self }
    }

    /// The condition, or its negation.
    pub(super) fn inverse_if(self, inverse: bool) -> Cond {
        if inverse { self.not() } else { self }
    }
}

/// How a flag is written.
#[derive(Clone, Copy)]
struct Test {
    flag: Flag,
    /// Only for channels whose bit in the flag is set (`Some(false)`) or clear (`Some(true)`), so that the flag becomes a
    /// conjunction or disjunction.
    within: Option<bool>,
}

/// Flags that already hold a condition, newest last. Few, since each entry that is used again keeps its flag busy.
#[derive(Clone, Debug, Default)]
pub(super) struct FlagCache {
    entries: Vec<(Src, Cond)>,
}

const CACHED_FLAGS: usize = 2;

impl FlagCache {
    fn get(&self, src: Src) -> Option<Cond> {
        self.entries.iter().find(|e| e.0 == src).map(|e| e.1)
    }

    fn put(&mut self, src: Src, cond: Cond) {
        if self.entries.len() == CACHED_FLAGS {
            self.entries.remove(0);
        }
        self.entries.push((src, cond));
    }
}

impl Selector<'_> {
    /// The condition in a flag: of a four-wide source each channel's own component.
    pub(super) fn cond(&mut self, src: Src) -> Cond {
        let (src, inverse) = self.through_not(src);
        let cond = self.flags.get(src).unwrap_or_else(|| {
            let cond = self.new_cond(src);
            self.flags.put(src, cond);
            cond
        });
        cond.inverse_if(inverse)
    }

    fn new_cond(&mut self, src: Src) -> Cond {
        let flag = self.b().flag();
        let test = Test { flag, within: None };
        if let Some((vector, ctrl)) = self.reduction(src) {
            // Of floats the negation of a comparison may not be one: the other predicate then is of no use.
            self.write_flag(vector, false, test);
            return Cond { flag, predicate: Predicate { ctrl, inverse: false } };
        }
        let negate = !self.booleans.form(src.value).direct;
        self.write_flag(src, negate, test);
        Cond { flag, predicate: Predicate { ctrl: PredCtrl::Normal, inverse: negate } }
    }

    /// The vector whose any or all components a condition of one component asks for.
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

    /// The connective that a boolean is, unless it exists as a mask.
    fn connective(&self, value: Value) -> Option<(AluOp, &crestline_ssa::ir::Srcs)> {
        if self.booleans.form(value).mask {
            return None;
        }
        match self.shader.func.def(value).map(|inst| &inst.kind) {
            Some(InstKind::Alu { op: op @ (AluOp::IAnd | AluOp::IOr), srcs, .. }) => {
                Some((*op, srcs))
            }
            _ => None,
        }
    }

    /// The source behind negations and copies, and whether there was an odd number of negations.
    fn through_not(&self, mut src: Src) -> (Src, bool) {
        let mut inverse = false;
        while !self.booleans.is_mask(src.value)
            && let Some(inst) = self.shader.func.def(src.value)
            && let InstKind::Alu { op: op @ (AluOp::INot | AluOp::Mov), srcs, .. } = &inst.kind
        {
            inverse ^= *op == AluOp::INot;
            src = srcs[0].then(src.swizzle);
        }
        (src, inverse)
    }

    /// Writes a boolean (negated, if `negate`) to a flag.
    fn write_flag(&mut self, src: Src, negate: bool, test: Test) {
        let (src, inverse) = self.through_not(src);
        let negate = negate ^ inverse;
        let parts = self
            .connective(src.value)
            // The negation of a conjunction is the disjunction of the negations.
            .map(|(op, srcs)| ((op == AluOp::IOr) ^ negate, [srcs[0], srcs[1]]));
        let Some((either, parts)) = parts else {
            return self.compare(src, negate, test);
        };
        let [a, b] = parts.map(|part| part.then(src.swizzle));
        let b_last = self.booleans.form(b.value).is_leaf(negate);
        let (first, last) = if b_last { (a, b) } else { (b, a) };
        self.write_flag(first, negate, test);
        self.write_flag(last, negate, Test { within: Some(either), ..test });
    }

    /// Writes a comparison or mask to a flag.
    fn compare(&mut self, src: Src, negate: bool, test: Test) {
        let func = &self.shader.func;
        let compared = func.def(src.value).and_then(|inst| match &inst.kind {
            InstKind::Alu { op, srcs, .. } if !self.booleans.is_mask(src.value) => {
                comparison(*op).map(|c| (c, [srcs[0], srcs[1]]))
            }
            _ => None,
        });
        let (a, cond_mod, b) = match compared {
            Some(((cond_mod, class), srcs)) => {
                let srcs = srcs.map(|s| s.then(src.swizzle));
                self.compared(srcs, ALL, cond_mod, class)
            }
            None => {
                let mask = self.src(src, ALL, Class::Signed, Form::Register);
                (mask, CondMod::Nz, Operand::imm_d(0))
            }
        };
        let cond_mod = if negate { opposite(cond_mod) } else { cond_mod };
        let mut b_ = self.b();
        let mut b_ = match test.within {
            Some(clear) => b_.predicated(test.flag, clear),
            None => b_,
        };
        b_.cmp(Operand::null(a.ty), a, cond_mod, b, test.flag);
    }

    /// The operands of a comparison, in an order the hardware takes, and the condition in that order.
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

    /// Computes a boolean as a mask of all ones or zeros, if it is kept as one.
    pub(super) fn boolean(&mut self, op: AluOp, srcs: &[Src], result: Value) {
        if !self.booleans.is_mask(result) {
            return;
        }
        let place = self.define(result);
        let mask = place.lanes.mask();
        if let Some((cond_mod, class)) = comparison(op) {
            let srcs = [0, 1].map(|i| place.lanes.spread(srcs[i]));
            let (a, cond_mod, b) = self.compared(srcs, mask, cond_mod, class);
            let flag = self.b().flag();
            let mut builder = self.b();
            if a.ty.size() > 4 {
                // The mask would be wider: the condition picks one.
                let dst = place.dst(crestline_isa::Type::D);
                let null = Operand::null(a.ty).with_region(dst.region);
                builder.cmp(null, a, cond_mod, b, flag);
                builder.mov(dst, Operand::imm_d(0));
                builder.predicated(flag, false).mov(dst, Operand::imm_d(-1));
                return;
            }
            // The mask is written in the sources' own type: no conversion, all bits set.
            builder.cmp(place.dst(a.ty), a, cond_mod, b, flag);
            return;
        }
        let opcode = match op {
            AluOp::IAnd => Opcode::And,
            AluOp::IOr => Opcode::Or,
            AluOp::IXor => Opcode::Xor,
            _ => Opcode::Not,
        };
        let operands = self.sources(Op::Hw(opcode), Class::Logic, srcs, place.lanes);
        let dst = place.dst(Class::Logic.ty(32));
        self.b().emit(Op::Hw(opcode), dst, &operands);
    }
}
