//! Replaces operations by simpler ones with the same result: identities, strength reduction, shorter comparisons. For
//! example, `imul %1, 8` becomes `ishl %1, 3`.
//!
//! The rules are the tables below, in the notation of `util::rules`. Earlier rows are tried first.

use std::sync::LazyLock;

use super::util::rules::{Match, Pat, Rule, RuleSet, letter, pat, rules};
use smallvec::SmallVec;

use crate::ir::{AluOp, Shader};

/// See the [module](self). Returns whether a rule applied.
pub fn opt_algebraic(shader: &mut Shader) -> bool {
    static RULES: LazyLock<RuleSet> =
        LazyLock::new(|| RuleSet::new(&[INTEGERS, COMPARISONS, SELECTS, FLOATS, CONVERSIONS]));
    RULES.apply(shader)
}

static INTEGERS: &[Rule] = rules! {
    (IAdd a 0) => a;
    (IAdd (IAdd a [b]) [c]) => (IAdd a (IAdd [b] [c]));
    // Constants move to the outermost addition. Offsets from the same base can then be recognised and share the base.
    (IAdd (IAdd a [b]) c) => (IAdd (IAdd a c) [b]) if not_constant_and_once(c);
    (IShl (IAdd a [b]) [c]) => (IAdd (IShl a [c]) (IShl [b] [c]));
    (IMul (IAdd a [b]) [c]) => (IAdd (IMul a [c]) (IMul [b] [c]));
    (ISub (IAdd a [b]) c) => (IAdd (ISub a c) [b]) if not_constant_and_once(c);
    (ISub c (IAdd a [b])) => (IAdd (ISub c a) (INeg [b])) if not_constant_and_once(c);
    (IAdd a (INeg b)) => (ISub a b);
    (IAdd (ISub a b) b) => a;
    (ISub a 0) => a;
    (ISub a a) => 0;
    (ISub 0 a) => (INeg a);
    (ISub a [b]) => (IAdd a (INeg [b]));
    (ISub a (INeg b)) => (IAdd a b);
    (ISub (IAdd a b) b) => a;
    (ISub (IAdd a b) a) => b;
    (INeg (INeg a)) => a;
    (IAdd (IMul a b) (IMul a c)) => (IMul a (IAdd b c)) if used_once();
    (IAdd (IMul b a) (IMul c a)) => (IMul (IAdd b c) a) if used_once();
    (INeg (ISub a b)) => (ISub b a);
    (IAbs (INeg a)) => (IAbs a);
    (IAbs (IAbs a)) => (IAbs a);

    (IMul a 0) => 0;
    (IMul a 1) => a;
    (IMul a {-1}) => (INeg a);
    (IMul a [b]) => (IShl a [log2 b]) if power_of_two(b);
    (IMul (IMul a [b]) [c]) => (IMul a (IMul [b] [c]));
    (IMul (IShl a [b]) [c]) => (IMul a (IShl [c] [b]));
    (UDiv a [b]) => (UShr a [log2 b]) if power_of_two(b);
    (UMod a [b]) => (IAnd a [minus_one b]) if power_of_two(b);
    (UDiv (UDiv a [b]) [c]) => (UDiv a (IMul [b] [c])) if product_fits(b, c);
    // The quotient by 0 is undefined; these are the results of constant folding.
    (UDiv a 0) => {-1};
    (IDiv a 0) => {-1};
    (UMod a 0) => a;
    (IRem a 0) => a;
    (IMod a 0) => a;
    (IDiv a 1) => a;
    (IDiv a {-1}) => (INeg a);
    (IRem a 1) => 0;
    (IMod a 1) => 0;

    (INot (INot a)) => a;
    (IAnd a 0) => 0;
    (IAnd a {-1}) => a;
    (IAnd a a) => a;
    (IAnd a (INot a)) => 0;
    (IAnd a (IOr a b)) => a;
    (IAnd a (IAnd a b)) => (IAnd a b);
    (IAnd (IAnd a [b]) [c]) => (IAnd a (IAnd [b] [c]));
    (IAnd (UShr a [b]) [c]) => (UShr a [b]) if mask_covers_right_shift(b, c);
    (IOr a 0) => a;
    (IOr a {-1}) => {-1};
    (IOr a a) => a;
    (IOr a (INot a)) => {-1};
    (IOr a (IAnd a b)) => a;
    (IOr a (IOr a b)) => (IOr a b);
    (IOr (IOr a [b]) [c]) => (IOr a (IOr [b] [c]));
    (IXor a 0) => a;
    (IXor a {-1}) => (INot a);
    (IXor a a) => 0;
    (IXor a (IXor a b)) => b;
    (IXor (IXor a [b]) [c]) => (IXor a (IXor [b] [c]));

    (IShl a 0) => a;
    (IShl 0 a) => 0;
    (IShl (IShl a [b]) [c]) => (IShl a (IAdd [b] [c])) if shifts_fit(b, c, a);
    (IShl (UShr a [b]) [b]) => (IAnd a (IShl {-1} [b]));
    (UShr a 0) => a;
    (UShr 0 a) => 0;
    (UShr (UShr a [b]) [c]) => (UShr a (IAdd [b] [c])) if shifts_fit(b, c, a);
    (UShr (IShl a [b]) [b]) => (IAnd a (UShr {-1} [b]));
    (IShr a 0) => a;
    (IShr 0 a) => 0;
    (IShr (IShr a [b]) [c]) => (IShr a (IAdd [b] [c])) if shifts_fit(b, c, a);

    (IMin a a) => a;
    (IMax a a) => a;
    (UMin a a) => a;
    (UMax a a) => a;
    (UMin a 0) => 0;
    (UMin a {-1}) => a;
    (UMax a 0) => a;
    (UMax a {-1}) => {-1};
    (IMin (IMin a [b]) [c]) => (IMin a (IMin [b] [c]));
    (IMax (IMax a [b]) [c]) => (IMax a (IMax [b] [c]));
    (UMin (UMin a [b]) [c]) => (UMin a (UMin [b] [c]));
    (UMax (UMax a [b]) [c]) => (UMax a (UMax [b] [c]));
    (IMin (IMin a b) b) => (IMin a b);
    (IMax (IMax a b) b) => (IMax a b);
    (UMin (UMin a b) b) => (UMin a b);
    (UMax (UMax a b) b) => (UMax a b);

    (IBitfieldExtract a b 0) => 0;
    (UBitfieldExtract a b 0) => 0;
    (UBitfieldExtract a [b] [c]) => (UShr a [b]) if field_ends_at_top(b, c, a);
    (IBitfieldExtract a [b] [c]) => (IShr a [b]) if field_ends_at_top(b, c, a);
    (BitfieldInsert a b c 0) => a;
};

static COMPARISONS: &[Rule] = rules! {
    // A number is a multiple of an odd divisor if its product with the divisor's inverse (modulo 2^bits) is at most the
    // greatest quotient (Warren, Hacker's Delight, 10-17).
    (IEq (UMod a [b]) 0) => (UGe [quotients b] (IMul a [inverse b])) if odd_and_once(b);
    (INe (UMod a [b]) 0) => (ULt [quotients b] (IMul a [inverse b])) if odd_and_once(b);
    (IEq a a) => 1;
    (INe a a) => 0;
    (ILt a a) => 0;
    (IGe a a) => 1;
    (ULt a a) => 0;
    (UGe a a) => 1;
    (IEq a 1) => a if is_bool(a);
    (IEq a 0) => (INot a) if is_bool(a);
    (INe a 1) => (INot a) if is_bool(a);
    (INe a 0) => a if is_bool(a);
    (ULt a 0) => 0;
    (ULt a 1) => (IEq a 0);
    (ULt 0 a) => (INe a 0);
    (UGe a 0) => 1;
    (UGe a 1) => (INe a 0);
    (UGe 0 a) => (IEq a 0);
    (IEq (IAdd a [b]) [c]) => (IEq a (ISub [c] [b]));
    (INe (IAdd a [b]) [c]) => (INe a (ISub [c] [b]));
    (IEq (ISub a b) 0) => (IEq a b);
    (INe (ISub a b) 0) => (INe a b);
    (IEq (IXor a b) 0) => (IEq a b);
    (INe (IXor a b) 0) => (INe a b);
    (IEq (INeg a) 0) => (IEq a 0);
    (INe (INeg a) 0) => (INe a 0);
    (INot (IEq a b)) => (INe a b);
    (INot (INe a b)) => (IEq a b);
    (INot (ILt a b)) => (IGe a b);
    (INot (IGe a b)) => (ILt a b);
    (INot (ULt a b)) => (UGe a b);
    (INot (UGe a b)) => (ULt a b);
    (INot (FEq a b)) => (FNe a b);
    (INot (FNe a b)) => (FEq a b);
    (FEq (FNeg a) (FNeg b)) => (FEq a b);
    (FNe (FNeg a) (FNeg b)) => (FNe a b);
    (FLt (FNeg a) (FNeg b)) => (FLt b a);
    (FGe (FNeg a) (FNeg b)) => (FGe b a);
};

static SELECTS: &[Rule] = rules! {
    (Select 1 a b) => a;
    (Select 0 a b) => b;
    (Select c a a) => a;
    (Select (INot c) a b) => (Select c b a);
    (Select c (Select c a b) d) => (Select c a d);
    (Select c a (Select c b d)) => (Select c a d);
    (Select c (Select d a b) b) => (Select (IAnd c d) a b);
    (Select c 1 0) => c if result_is_bool();
    (Select c 0 1) => (INot c) if result_is_bool();
    (Select c a 0) => (IAnd c a) if result_is_bool();
    (Select c a c) => (IAnd c a) if result_is_bool();
    (Select c c a) => (IOr c a) if result_is_bool();
    (Select c 1 a) => (IOr c a) if result_is_bool();
    (Select c 0 a) => (IAnd (INot c) a) if result_is_bool();
    (Select c a 1) => (IOr (INot c) a) if result_is_bool();
    (Select c a (INot c)) => (IOr (INot c) a) if result_is_bool();
    (Select c (INot c) a) => (IAnd (INot c) a) if result_is_bool();
    // The same with the negated comparison: what `a || b` becomes.
    (Select (ILt a b) c (IGe a b)) => (IOr (IGe a b) c) if result_is_bool();
    (Select (IGe a b) c (ILt a b)) => (IOr (ILt a b) c) if result_is_bool();
    (Select (ULt a b) c (UGe a b)) => (IOr (UGe a b) c) if result_is_bool();
    (Select (UGe a b) c (ULt a b)) => (IOr (ULt a b) c) if result_is_bool();
    (Select (IEq a b) c (INe a b)) => (IOr (INe a b) c) if result_is_bool();
    (Select (INe a b) c (IEq a b)) => (IOr (IEq a b) c) if result_is_bool();
    (Select c (B2F a) 0) => (B2F (IAnd c a));
    // Back ends do not have the conversion to 64 bits, which `lower_int64` has replaced before.
    (Select c 1 0) => (B2I c) if result_in_dword();
    (Select c 0 1) => (B2I (INot c)) if result_in_dword();
    (Select c [a] 0) => (B2F c) if is_float_one(a);
    (Select c 0 [a]) => (B2F (INot c)) if is_float_one(a);
    (Select (ILt a b) a b) => (IMin a b);
    (Select (ILt a b) b a) => (IMax a b);
    (Select (IGe a b) a b) => (IMax a b);
    (Select (IGe a b) b a) => (IMin a b);
    (Select (ULt a b) a b) => (UMin a b);
    (Select (ULt a b) b a) => (UMax a b);
    (Select (UGe a b) a b) => (UMax a b);
    (Select (UGe a b) b a) => (UMin a b);
    (Select (FLt a b) a b) -> (FMin a b);
    (Select (FLt a b) b a) -> (FMax a b);
    (Select (FGe a b) a b) -> (FMax a b);
    (Select (FGe a b) b a) -> (FMin a b);
};

static FLOATS: &[Rule] = rules! {
    (FNeg (FNeg a)) => a;
    (FAbs (FNeg a)) => (FAbs a);
    (FAbs (FAbs a)) => (FAbs a);
    (FSat (FSat a)) => (FSat a);
    (FMin (FMax a 0) 1) => (FSat a);
    (FMax (FMin a 1) 0) -> (FSat a);
    (FMin a a) -> a;
    (FMax a a) -> a;
    (FMin (FMin a b) b) -> (FMin a b);
    (FMax (FMax a b) b) -> (FMax a b);
    (FMin (FMin a [b]) [c]) -> (FMin a (FMin [b] [c]));
    (FMax (FMax a [b]) [c]) -> (FMax a (FMax [b] [c]));
    (FMax a (FNeg a)) -> (FAbs a);

    (FAdd a 0) -> a;
    (FSub a 0) -> a;
    (FSub 0 a) -> (FNeg a);
    (FSub a b) => (FAdd a (FNeg b));
    (FAdd a (FNeg a)) -> 0;
    // `(a + b) - a` stays: it is the rounding error in compensated sums.
    (FAdd a (FNeg (FFloor a))) -> (FFract a) if single_and_once(a);
    (FMul a 1) -> a;
    (FMul a {-1}) -> (FNeg a);
    (FMul a 0) -> 0;
    (FMul (FNeg a) (FNeg b)) => (FMul a b);
    (FMul (FMul a [b]) [c]) -> (FMul a (FMul [b] [c])) if product_is_ordinary(b, c);
    (FAdd (FAdd a [b]) [c]) -> (FAdd a (FAdd [b] [c])) if have_one_sign(b, c);
    // Interpolation has an instruction before gen11. Elsewhere it becomes two operations again, as many as the second and third
    // pattern have.
    (FAdd (FMul a (FAdd 1 (FNeg c))) (FMul b c)) -> (FLrp a b c) if single_and_once(a);
    (FAdd a (FMul c (FAdd b (FNeg a)))) -> (FLrp a b c) if single_and_once(a);
    (FAdd [a] (FMul c (FAdd b [d]))) -> (FLrp [a] b c) if opposite_and_once(a, d);
    // The sum of the remaining products is a multiply-add.
    (FAdd (FMul (FMul a b) c) (FMul d c)) -> (FMul (FAdd (FMul a b) d) c) if single_and_once(a);
    (FAdd (FMul (FMul a b) c) (FNeg (FMul d c))) -> (FMul (FAdd (FMul a b) (FNeg d)) c) if single_and_once(a);
    (FAdd (FNeg (FMul (FMul a b) c)) (FMul d c)) -> (FMul (FAdd (FNeg (FMul a b)) d) c) if single_and_once(a);
    (FMul (FNeg a) [b]) => (FMul a (FNeg [b]));
    (FNeg (FMul a [b])) -> (FMul a (FNeg [b])) if used_once();
    // Negations move outwards, so that operations on negated sources are recognised as equal to those on the sources.
    // `opt_sink_negations` moves those back that would need an instruction. The sign of a NaN or zero may change.
    (FMul (FNeg a) b) -> (FNeg (FMul a b));
    (FAdd (FNeg a) (FNeg b)) -> (FNeg (FAdd a b));
    (FFma (FNeg a) b (FNeg c)) -> (FNeg (FFma a b c));
    (FFma a 1 b) -> (FAdd a b);
    (FFma a {-1} b) -> (FAdd (FNeg a) b);
    (FFma a b 0) -> (FMul a b);
    (FFma a 0 b) -> b;
    (FFma (FNeg a) (FNeg b) c) => (FFma a b c);
    (FDiv a 1) -> a;
    (FDiv a {-1}) -> (FNeg a);
    (FRcp (FRcp a)) -> a;
    (FRcp (FSqrt a)) -> (FRsq a);
    (FRcp (FRsq a)) -> (FSqrt a);
    (FDiv a (FSqrt b)) -> (FMul a (FRsq b));
    (FExp2 (FLog2 a)) -> a;
    (FLog2 (FExp2 a)) -> a;
    (FPow a 1) -> a;
    (FPow a 2) -> (FMul a a);
    (FPow a 3) -> (FMul a (FMul a a));
    (FPow a 4) -> (FMul (FMul a a) (FMul a a));
    (FPow a 0.5) -> (FSqrt a);
    (FPow a {-1}) -> (FRcp a);
    (FPow a {-0.5}) -> (FRsq a);
    (FPow 2 a) -> (FExp2 a);
    (FExp2 (FMul (FLog2 a) b)) -> (FPow a b) if used_once();
    (FLog2 (FPow a b)) -> (FMul b (FLog2 a));
    (FRcp (FExp2 a)) -> (FExp2 (FNeg a));
    (FMul (FExp2 a) (FExp2 b)) -> (FExp2 (FAdd a b)) if used_once();
    (FLrp a b 0) -> a;
    (FLrp a b 1) -> b;
    (FLrp a a b) -> a;
    (FLrp a b (B2F c)) -> (Select c b a);
    (FLrp (FMul a c) (FMul b c) d) -> (FMul (FLrp a b d) c) if single_and_once(a);
    (FLrp 0 a b) -> (FMul a b);
    (FLrp a 0 b) -> (FAdd a (FNeg (FMul a b)));
    (FMul (B2F a) (B2F b)) => (B2F (IAnd a b));
    (FMul (B2F a) b) -> (Select a b 0) if compared_once(a);
    (FAdd 1 (FNeg (B2F a))) => (B2F (INot a));
    (FMin (B2F a) (B2F b)) => (B2F (IAnd a b));
    (FMax (B2F a) (B2F b)) => (B2F (IOr a b));
    (FSat (FAdd (B2F a) (B2F b))) => (B2F (IOr a b));
    (FMin (FAdd (B2F a) (B2F b)) 1) => (B2F (IOr a b));
    (FMin (Select c a 0) 1) => (Select c (FMin a 1) 0) if used_once();
    (FMin (B2F a) 1) => (B2F a);
    (FSat (B2F a)) => (B2F a);
    (FAbs (B2F a)) => (B2F a);
    (FFloor (FFloor a)) => (FFloor a);
    (FTrunc (FTrunc a)) => (FTrunc a);
    (FRoundEven (FRoundEven a)) => (FRoundEven a);
    (FLdexp a 0) -> a;
};

static CONVERSIONS: &[Rule] = rules! {
    (I2I a) => a if same_size(a);
    (U2U a) => a if same_size(a);
    (I2I (I2I a)) => (I2I a) if widens_twice(a);
    (I2I (U2U a)) => (U2U a) if widens_twice(a);
    (U2U (U2U a)) => (U2U a) if widens_twice(a);
    (U2U (U2U a)) => (U2U a) if narrows(a);
    (U2U (I2I a)) => (U2U a) if narrows(a);
    (I2I (U2U a)) => (U2U a) if narrows(a);
    (I2I (I2I a)) => (U2U a) if narrows(a);
    (I2I (U2U a)) => a if keeps_signed(a);
    (I2I (I2I a)) => a if keeps_signed(a);
    (U2U (U2U a)) => a if keeps_unsigned(a);
    (U2U (I2I a)) => a if keeps_unsigned(a);
    (F2F a) -> a if same_size(a);
    (I2F (B2I a)) => (B2F a);
    (U2F (B2I a)) => (B2F a);
    (I2F (F2I a)) -> (FTrunc a) if both_single(a);
    (U2F (F2U a)) -> (FTrunc a) if both_single(a);
    (F2I (FTrunc a)) => (F2I a) if both_single(a);
    (F2U (FTrunc a)) => (F2U a) if both_single(a);
    (FFloor (I2F a)) => (I2F a);
    (FFloor (U2F a)) => (U2F a);
    (FTrunc (I2F a)) => (I2F a);
    (FTrunc (U2F a)) => (U2F a);
    (F2I (B2F a)) => (B2I a);
    (F2U (B2F a)) => (B2I a);
    (INe (B2I a) 0) => a;
    (IEq (B2I a) 0) => (INot a);
    (INe (B2I a) 1) => (INot a);
    (IEq (B2I a) 1) => a;
    (FNe (B2F a) 0) => a;
    (FEq (B2F a) 0) => (INot a);
    (FLt 0 (B2F a)) => a;
    (IAnd (B2I a) 1) => (B2I a);
    (IAnd (B2I a) (B2I b)) => (B2I (IAnd a b));
    (IOr (B2I a) (B2I b)) => (B2I (IOr a b));
    (IXor (B2I a) (B2I b)) => (B2I (IXor a b));
    (U2U (B2I a)) => (B2I a) if result_in_dword();
    (Pack64From32 (Unpack64To32 a)) => a;
    (Unpack64To32 (Pack64From32 a)) => a;
    (Unpack64Low (Pack64FromHalves a b)) => a;
    (Unpack64High (Pack64FromHalves a b)) => b;
    (Pack64FromHalves (Unpack64Low a) (Unpack64High a)) => a;
    // These forms handle each half by itself, so that more rules apply.
    (Pack64From32 (Vec2 a b)) => (Pack64FromHalves a b);
    (Unpack64To32 (Pack64FromHalves a b)) => (Vec2 a b);
    (Pack32From16 (Unpack32To16 a)) => a;
    (Unpack32To16 (Pack32From16 a)) => a;
    (Pack32From8 (Unpack32To8 a)) => a;
    (Unpack32To8 (Pack32From8 a)) => a;
};

/// Whether the source at `at` is not a constant, and the operations below the root become dead.
fn not_constant_and_once(m: &Match<'_>, at: usize) -> bool {
    m.consts(at).is_none() && m.inner_used_once()
}

/// Whether the operations below the root become dead.
fn used_once(m: &Match<'_>) -> bool {
    m.inner_used_once()
}

/// Whether the source at `at` is a comparison of numbers, which sets a flag, and the operations below the root become dead.
fn compared_once(m: &Match<'_>, at: usize) -> bool {
    m.is_comparison(at) && m.inner_used_once()
}

/// The constant at `at` as floats; empty unless it is one of 32 bits.
fn singles(m: &Match<'_>, at: usize) -> SmallVec<[f32; 4]> {
    match (m.bits(at), m.consts(at)) {
        (32, Some(bits)) => bits.iter().map(|&bits| f32::from_bits(bits as u32)).collect(),
        _ => SmallVec::new(),
    }
}

/// Whether `holds` is true for each component of two constants of 32 bits, and the operations below the root become dead.
fn both_and_once(m: &Match<'_>, a: usize, b: usize, holds: fn(f32, f32) -> bool) -> bool {
    let (a, b) = (singles(m, a), singles(m, b));
    !a.is_empty()
        && a.len() == b.len()
        && a.iter().zip(&b).all(|(&a, &b)| holds(a, b))
        && m.inner_used_once()
}

/// Whether the product of two constants neither overflows nor becomes denormal, and the operations below the root become dead.
fn product_is_ordinary(m: &Match<'_>, a: usize, b: usize) -> bool {
    both_and_once(m, a, b, |a, b| (a * b).is_normal())
}

/// Whether two constants have the same sign, so that their sum loses no digits, and the operations below the root become dead.
fn have_one_sign(m: &Match<'_>, a: usize, b: usize) -> bool {
    both_and_once(m, a, b, |a, b| a * b > 0.0 && (a + b).is_finite())
}

/// Whether one constant is the negative of the other, and the operations below the root become dead.
fn opposite_and_once(m: &Match<'_>, a: usize, b: usize) -> bool {
    both_and_once(m, a, b, |a, b| a == -b)
}

/// Whether a source has 32 bits, and the operations below the root become dead.
fn single_and_once(m: &Match<'_>, at: usize) -> bool {
    m.bits(at) == 32 && m.inner_used_once()
}

/// Whether the constant at `at` is odd, and the operations below the root become dead.
fn odd_and_once(m: &Match<'_>, at: usize) -> bool {
    m.all(at, |_, c| c & 1 == 1) && m.inner_used_once()
}

/// The greatest quotient that a division of an unsigned number of `bits` bits by `value` can give.
fn quotients(bits: u32, value: u64) -> u64 {
    (u64::MAX >> (64 - bits)) / value.max(1)
}

/// The inverse of an odd number modulo 2^bits. The number itself is right in three bits; each step of Newton's method
/// doubles the number of right bits.
fn inverse(bits: u32, value: u64) -> u64 {
    let mut inverse = value;
    for _ in 0..5 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(value.wrapping_mul(inverse)));
    }
    inverse & u64::MAX >> (64 - bits)
}

fn log2(_bits: u32, value: u64) -> u64 {
    u64::from(value.trailing_zeros())
}

fn minus_one(_bits: u32, value: u64) -> u64 {
    value.wrapping_sub(1)
}

fn power_of_two(m: &Match<'_>, at: usize) -> bool {
    m.all(at, |_, c| c.is_power_of_two())
}

/// Whether the products of two constants are not 0 and fit their bit size.
fn product_fits(m: &Match<'_>, x: usize, y: usize) -> bool {
    let limit = u64::MAX >> (64 - m.bits(x).max(1));
    match (m.consts(x), m.consts(y)) {
        (Some(x), Some(y)) => {
            x.iter().zip(&y).all(|(x, y)| x.checked_mul(*y).is_some_and(|p| p <= limit && p != 0))
        }
        _ => false,
    }
}

/// Whether two successive shifts of the source at `value` can be combined: each count and their sum are below the bit
/// size.
fn shifts_fit(m: &Match<'_>, x: usize, y: usize, value: usize) -> bool {
    let bits = u64::from(m.bits(value));
    match (m.consts(x), m.consts(y)) {
        (Some(x), Some(y)) => x.iter().zip(&y).all(|(&x, &y)| x < bits && y < bits && x + y < bits),
        _ => false,
    }
}

/// Whether a mask keeps all bits that can be set after a logical right shift.
fn mask_covers_right_shift(m: &Match<'_>, shift: usize, mask: usize) -> bool {
    let bits = m.bits(mask);
    match (m.consts(shift), m.consts(mask)) {
        (Some(shift), Some(mask)) => shift.iter().zip(&mask).all(|(&shift, &mask)| {
            let left = u64::MAX >> (64 - bits) >> (shift % u64::from(bits));
            mask & left == left
        }),
        _ => false,
    }
}

/// Whether a bit field is not empty and ends at the top bit of the source at `value`.
fn field_ends_at_top(m: &Match<'_>, first: usize, count: usize, value: usize) -> bool {
    let bits = u64::from(m.bits(value));
    match (m.consts(first), m.consts(count)) {
        (Some(first), Some(count)) => {
            first.iter().zip(&count).all(|(&f, &c)| f < bits && c > 0 && f + c == bits)
        }
        _ => false,
    }
}

fn is_bool(m: &Match<'_>, at: usize) -> bool {
    m.bits(at) == 1
}

fn result_is_bool(m: &Match<'_>) -> bool {
    m.ty.is_bool()
}

/// Whether the result has at most 32 bits.
fn result_in_dword(m: &Match<'_>) -> bool {
    m.ty.bits() <= 32
}

fn same_size(m: &Match<'_>, at: usize) -> bool {
    m.bits(at) == m.ty.bits()
}

/// Whether a conversion of an integer and one of its result both make it wider.
fn widens_twice(m: &Match<'_>, at: usize) -> bool {
    m.bits(at) < m.inner_bits() && m.inner_bits() < m.ty.bits() && m.ty.bits() <= 32
}

/// Whether only low bits of an integer are left after two conversions.
fn narrows(m: &Match<'_>, at: usize) -> bool {
    m.ty.bits() <= m.bits(at).min(m.inner_bits())
}

/// Whether a dword is the same after its low bits are taken and extended by their sign.
fn keeps_signed(m: &Match<'_>, at: usize) -> bool {
    let (inner, range) = (m.inner_bits(), m.range(at));
    both_single(m, at)
        && inner < 32
        && *range.start() >= -(1 << (inner - 1))
        && *range.end() < 1 << (inner - 1)
}

/// Whether a dword is the same after its low bits are taken and extended by zeros.
fn keeps_unsigned(m: &Match<'_>, at: usize) -> bool {
    let (inner, range) = (m.inner_bits(), m.range(at));
    both_single(m, at) && inner < 32 && *range.start() >= 0 && *range.end() < 1 << inner
}

/// Whether a source and the result have 32 bits. At other sizes the new operation
/// may not be lowered any more.
fn both_single(m: &Match<'_>, at: usize) -> bool {
    m.bits(at) == 32 && same_size(m, at)
}

fn is_float_one(m: &Match<'_>, at: usize) -> bool {
    m.all(at, |bits, c| match bits {
        16 => c == 0x3c00,
        32 => c == u64::from(1f32.to_bits()),
        64 => c == 1f64.to_bits(),
        _ => false,
    })
}
