//! Computes the negative of a product or sum directly, if something reads the negation that has no source modifiers:
//! `fneg (fmul %a, %b)` becomes `fmul (fneg %a), %b` where a store, a message or a region reads it.
//!
//! `opt_algebraic` moves negations outwards, so that more operations are equal. Most negations become source modifiers of
//! what reads them; the others would cost an instruction. The pass runs after all that call `opt_algebraic`.

use std::sync::LazyLock;

use super::opt_dce;
use super::util::rules::{Match, Pat, Rule, RuleSet, letter, pat, rules};
use crate::analysis::{RegionTree, use_counts};
use crate::ir::{AluOp, Class, InstKind, Shader};

/// See the [module](self). Returns whether a negation was moved.
pub fn opt_sink_negations(shader: &mut Shader) -> bool {
    static RULES: LazyLock<RuleSet> = LazyLock::new(|| RuleSet::new(&[NEGATIONS]));
    let is_negation = |kind: &InstKind| matches!(kind, InstKind::Alu { op: AluOp::FNeg, .. });
    if !shader.func.may_have(|inst| is_negation(&inst.kind)) {
        return false;
    }
    // For each value, how many of its uses have no modifiers.
    let mut plain = use_counts(&shader.func);
    for &inst in RegionTree::new(&shader.func).insts() {
        let InstKind::Alu { op, srcs, .. } = &shader.func.inst(inst).kind else { continue };
        for (src, row) in srcs.iter().zip(op.row().srcs) {
            if row.class == Class::Float {
                plain[src.value.index()] -= 1;
            }
        }
    }
    let changed = RULES.apply_to(shader, &|value| plain.get(value.index()).is_some_and(|&n| n > 0));
    if changed {
        opt_dce(shader);
    }
    changed
}

static NEGATIONS: &[Rule] = rules! {
    // The sign of a NaN or zero may change.
    (FNeg (FMul a b)) -> (FMul (FNeg a) b) if used_once();
    (FNeg (FAdd a b)) -> (FAdd (FNeg a) (FNeg b)) if used_once();
    (FNeg (FFma a b c)) -> (FFma (FNeg a) b (FNeg c)) if used_once();
};

fn used_once(m: &Match<'_>) -> bool {
    m.inner_used_once()
}
