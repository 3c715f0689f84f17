//! Replaces integer and bit field operations that the back end does not have by other operations. The edge cases are
//! those of SPIR-V: a field of 0 bits is extracted as 0 and inserts nothing, and a field of all bits is the whole
//! number.

use std::sync::LazyLock;

use super::LowerOptions;
use super::util::rules::{Match, Pat, Rule, RuleSet, letter, pat, rules};
use crate::ir::{AluOp, Shader};

/// See the [module](self). Returns whether an operation was replaced.
pub fn lower_bit_ops(shader: &mut Shader, options: &LowerOptions) -> bool {
    static RULES: LazyLock<RuleSet> = LazyLock::new(|| RuleSet::new(&[FORMULAS]));
    RULES.apply_where(shader, &|op, _| options.unsupported_ops.contains(&op))
}

static FORMULAS: &[Rule] = rules! {
    (ISign a) => (IMax (IMin a 1) {-1});
    (IAbs a) => (IMax a (INeg a));
    (UAddCarry a b) => (B2I (ULt (IAdd a b) a));
    (USubBorrow a b) => (B2I (ULt a b));

    // Fields of constant size: a mask, or two shifts.
    (UBitfieldExtract a 0 [c]) => (IAnd a [low_mask c]) if inside_32(c, a);
    (UBitfieldExtract a [b] [c]) => (UShr (IShl a (ISub 32 (IAdd [b] [c]))) (ISub 32 [c])) if inside_32(c, a);
    (IBitfieldExtract a [b] [c]) => (IShr (IShl a (ISub 32 (IAdd [b] [c]))) (ISub 32 [c])) if inside_32(c, a);
    // A field of 32 bits needs no case of its own: both shift counts are 0.
    (UBitfieldExtract a b c) => (Select (IEq c 0) 0
        (UShr (IShl a (ISub 32 (IAdd b c))) (ISub 32 c))) if is_32(a);
    (IBitfieldExtract a b c) => (Select (IEq c 0) 0
        (IShr (IShl a (ISub 32 (IAdd b c))) (ISub 32 c))) if is_32(a);
    (BitfieldInsert a b c [d]) => (IXor a (IAnd
        (IXor (IShl b c) a)
        (IShl [low_mask d] c))) if inside_32(d, a);
    (BitfieldInsert a b c d) => (IXor a (IAnd
        (IXor (IShl b c) a)
        (IShl (Select (UGe d 32) {-1} (INot (IShl {-1} d))) c))) if is_32(a);
};

/// A mask of the `count` lowest bits.
fn low_mask(_bits: u32, count: u64) -> u64 {
    u64::MAX.checked_shr(64_u32.saturating_sub(count as u32)).unwrap_or(0)
}

/// Whether a constant number of bits is 1 to 32, and the source at `value` has 32 bits.
fn inside_32(m: &Match<'_>, count: usize, value: usize) -> bool {
    m.bits(value) == 32 && m.all(count, |_, c| (1..=32).contains(&c))
}

fn is_32(m: &Match<'_>, at: usize) -> bool {
    m.bits(at) == 32
}
