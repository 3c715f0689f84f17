//! Conditions in flags, for both modes of selection.
//!
//! A comparison is computed where its result is needed, in a flag directly before the branch or selection. For a
//! conjunction or disjunction, the second comparison is predicated on the flag that the first has written:
//!
//! ```text
//! cmp.l.f0.0 null, a, b
//! (+f0.0) cmp.l.f0.0 null, c, d     f0.0 is now: a < b and c < d
//! ```

use crestline_isa::{CondMod, Predicate};
use crestline_ssa::ir::{AluOp, Function, InstKind, Src, Srcs, Value};

use super::{Booleans, Class, Recent, comparison, opposite};
use crate::ir::{Builder, Flag, Operand, Region};

/// A condition in a flag: true in the channels that the predicate selects.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cond {
    pub(crate) flag: Flag,
    pub(crate) predicate: Predicate,
}

impl Cond {
    /// The negated condition.
    pub(crate) fn not(self) -> Cond {
        let predicate = Predicate { inverse: !self.predicate.inverse, ..self.predicate };
        Cond { predicate, ..self }
    }

    /// The condition, negated if `inverse`.
    pub(crate) fn inverse_if(self, inverse: bool) -> Cond {
        if inverse { self.not() } else { self }
    }
}

/// How to write a flag.
#[derive(Clone, Copy)]
pub(crate) struct Test {
    pub(crate) flag: Flag,
    /// Whether all channels are written, including disabled ones.
    pub(crate) all: bool,
    /// The channels in which the comparison is written: `Some(false)` for those whose bit in the flag is set, which
    /// makes a conjunction; `Some(true)` for those whose bit is clear, which makes a disjunction; `None` for all.
    pub(crate) within: Option<bool>,
}

/// Flags that currently contain a condition. There are few entries, because each entry that is used again keeps a flag
/// register in use.
pub(crate) type FlagCache<K> = Recent<K, Cond, 2>;

/// Writes the result of a comparison to `dst`, in dwords, as a mask of all ones or zeros.
pub(crate) fn compare_to_mask(
    b: &mut Builder<'_>,
    dst: Operand,
    (first, cond_mod, second): (Operand, CondMod, Operand),
    flag: Flag,
) {
    if first.ty.size() != dst.ty.size() {
        // The comparison would write a mask of the sources' size, so only its flag is used, to select 0 or -1.
        let null = Operand::null(first.ty);
        let null = match dst.region {
            Region::Mask(_) => null.with_region(dst.region),
            _ => null,
        };
        b.cmp(null, first, cond_mod, second, flag);
        b.mov(dst, Operand::imm_d(0));
        b.predicated(flag, false).mov(dst, Operand::imm_d(-1));
        return;
    }
    // The destination gets the type of the sources, so that the hardware does not convert the mask.
    b.cmp(dst.retype(first.ty), first, cond_mod, second, flag);
}

/// Writing of conditions to flags. Each selection mode implements the first methods; the others are the same for
/// both.
pub(crate) trait Conditions {
    fn func(&self) -> &Function;
    fn booleans(&self) -> &Booleans;
    fn b(&mut self) -> Builder<'_>;
    /// The operands of a comparison, in an order that the hardware supports, and the condition for that order.
    fn operands(
        &mut self,
        srcs: [Src; 2],
        cond_mod: CondMod,
        class: Class,
    ) -> (Operand, CondMod, Operand);
    /// A boolean that is stored as a mask, as an operand.
    fn mask(&mut self, src: Src) -> Operand;

    /// Looks through negations and copies: the source behind them, and whether the number of negations is odd.
    fn through_not(&self, mut src: Src) -> (Src, bool) {
        let mut inverse = false;
        while !self.booleans().is_mask(src.value)
            && let Some(inst) = self.func().def(src.value)
            && let InstKind::Alu { op: op @ (AluOp::INot | AluOp::Mov), srcs, .. } = &inst.kind
        {
            inverse ^= *op == AluOp::INot;
            src = srcs[0].then(src.swizzle);
        }
        (src, inverse)
    }

    /// The operation and sources of a conjunction or disjunction, unless the boolean is stored as a mask.
    fn connective(&self, value: Value) -> Option<(AluOp, &Srcs)> {
        if self.booleans().form(value).mask {
            return None;
        }
        match self.func().def(value).map(|inst| &inst.kind) {
            Some(InstKind::Alu { op: op @ (AluOp::IAnd | AluOp::IOr), srcs, .. }) => {
                Some((*op, srcs))
            }
            _ => None,
        }
    }

    /// Writes a boolean (negated, if `negate`) to a flag. For a conjunction or disjunction, writes one part, and then
    /// the other part, a single comparison, predicated on the flag.
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
        let b_last = self.booleans().form(b.value).is_leaf(negate);
        let (first, last) = if b_last { (a, b) } else { (b, a) };
        self.write_flag(first, negate, test);
        self.write_flag(last, negate, Test { within: Some(either), ..test });
    }

    /// Writes a comparison to a flag, or the comparison of a mask with 0.
    fn compare(&mut self, src: Src, negate: bool, test: Test) {
        let compared = self.func().def(src.value).and_then(|inst| match &inst.kind {
            InstKind::Alu { op, srcs, .. } if !self.booleans().is_mask(src.value) => {
                comparison(*op).map(|c| (c, [srcs[0], srcs[1]].map(|s| s.then(src.swizzle))))
            }
            _ => None,
        });
        let (a, cond_mod, b) = match compared {
            Some(((cond_mod, class), srcs)) => self.operands(srcs, cond_mod, class),
            None => (self.mask(src), CondMod::Nz, Operand::imm_d(0)),
        };
        let cond_mod = if negate { opposite(cond_mod) } else { cond_mod };
        let mut builder = self.b();
        let mut builder = if test.all { builder.no_mask() } else { builder };
        let mut builder = match test.within {
            Some(clear) => builder.predicated(test.flag, clear),
            None => builder,
        };
        builder.cmp(Operand::null(a.ty), a, cond_mod, b, test.flag);
    }
}
