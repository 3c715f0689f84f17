//! Fuses a product and a sum into one operation that rounds once, if the product has no other use:
//! `fadd (fmul %a, %b), %c` becomes `ffma %a, %b, %c`. Constants of operations with three sources need registers, so `2 * %a - 1`,
//! which needs two, becomes the interpolation from -1 to 1 by `%a` where the device has one: its constants differ in the sign only.
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
    static LINES: LazyLock<RuleSet> = LazyLock::new(|| RuleSet::new(&[SYMMETRIC_LINES]));
    let interpolates = !options.unsupported_ops.contains(&AluOp::FLrp);
    let lines = interpolates && LINES.apply_where(shader, &|_, ty| ty.bits() == 32);
    let fuses_doubles = options.doubles.is_none_or(|doubles| doubles.fused);
    RULES.apply_where(shader, &|_, ty| ty.bits() < 64 || fuses_doubles) || lines
}

static SYMMETRIC_LINES: &[Rule] = rules! {
    (FAdd (FMul a [b]) [c]) -> (FLrp [c] (FNeg [c]) a) if is_symmetric(b, c);
};

/// Whether `b` is -2 `c`, and the product has no other use.
fn is_symmetric(m: &Match<'_>, b: usize, c: usize) -> bool {
    let single = |bits: u64| f32::from_bits(bits as u32);
    match (m.consts(b), m.consts(c)) {
        (Some(b), Some(c)) => {
            let mut pairs = b.iter().zip(&c);
            pairs.all(|(&b, &c)| single(b) == -2.0 * single(c)) && m.inner_used_once()
        }
        _ => false,
    }
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
