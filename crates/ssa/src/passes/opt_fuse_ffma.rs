//! Fuses a product and a sum into one operation that rounds once, if the product has no other use:
//! `fadd (fmul %a, %b), %c` becomes `ffma %a, %b, %c`.
//!
//! The pass runs late, because more simplification rules apply to a separate product. Fusing changes the rounding, so
//! `exact` operations are not fused. Doubles are not fused if the device has no fused instruction for them.

use std::sync::LazyLock;

use super::LowerOptions;
use super::util::rules::{Match, Pat, Rule, RuleSet, letter, pat, rules};
use crate::ir::{AluOp, Shader};

/// See the [module](self). Returns whether a product was fused.
pub fn opt_fuse_ffma(shader: &mut Shader, options: &LowerOptions) -> bool {
    static RULES: LazyLock<RuleSet> = LazyLock::new(|| RuleSet::new(&[PRODUCTS]));
    let fuses_doubles = options.doubles.is_none_or(|doubles| doubles.fused);
    RULES.apply_where(shader, &|_, ty| ty.bits() < 64 || fuses_doubles)
}

static PRODUCTS: &[Rule] = rules! {
    (FAdd (FMul a b) c) -> (FFma a b c) if used_once();
    (FAdd (FNeg (FMul a b)) c) -> (FFma (FNeg a) b c) if used_once();
    (FSub (FMul a b) c) -> (FFma a b (FNeg c)) if used_once();
    (FSub c (FMul a b)) -> (FFma (FNeg a) b c) if used_once();
};

fn used_once(m: &Match<'_>) -> bool {
    m.inner_used_once()
}
