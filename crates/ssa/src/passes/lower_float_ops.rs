//! Replaces float operations that the back end does not have by formulas.
//!
//! The precision is that which the Vulkan specification requires: 2.5 units in the last place for quotients; for
//! powers, interpolation and `ldexp`, the precision of the formulas in the specification.

use std::sync::LazyLock;

use super::LowerOptions;
use super::util::rules::{Match, Pat, Rule, RuleSet, letter, pat, rules};
use crate::ir::{AluOp, Shader};

/// See the [module](self). Returns whether an operation was replaced.
pub fn lower_float_ops(shader: &mut Shader, options: &LowerOptions) -> bool {
    static RULES: LazyLock<RuleSet> = LazyLock::new(|| RuleSet::new(&[FORMULAS]));
    RULES.apply_where(shader, &|op, _| options.unsupported_ops.contains(&op))
}

static FORMULAS: &[Rule] = rules! {
    (FSub a b) => (FAdd a (FNeg b));
    (FDiv 1 a) => (FRcp a);
    (FDiv a b) => (FMul a (FRcp b));
    (FRsq a) => (FRcp (FSqrt a));
    (FPow a b) => (FExp2 (FMul b (FLog2 a)));
    (FLrp a b c) => (FFma b c (FFma (FNeg a) c a));
    (FCeil a) => (FNeg (FFloor (FNeg a)));
    (FFract a) => (FAdd a (FNeg (FFloor a)));
    (FSat a) => (FMin (FMax a 0) 1);

    // The source's sign bit combined with 1.0; for zero and NaN, 0.
    (FSign a) => (Select (FLt 0 (FAbs a)) (IOr (IAnd a {0x8000_0000_u32}) {0x3f80_0000}) 0) if is_32(a);
    // The power of two is applied as two factors, since the exponent of a single float cannot represent the whole
    // range.
    (FLdexp a b) => (FMul
        (FMul a (IShl (IAdd (IShr (IMax (IMin b 254) {-252}) 1) 127) 23))
        (IShl (IAdd (ISub (IMax (IMin b 254) {-252}) (IShr (IMax (IMin b 254) {-252}) 1)) 127) 23)
    ) if is_32(a);
};

fn is_32(m: &Match<'_>, at: usize) -> bool {
    m.bits(at) == 32
}
