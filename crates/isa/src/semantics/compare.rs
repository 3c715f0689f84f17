//! Conditional modifiers: comparison of two sources, or of a result with zero.

use crate::tables::CondMod;

/// Whether the condition is true for `a` and `b`. If one of them is NaN, only `nz` and `u` are
/// true.
///
/// The caller must have flushed denormals. The result for `o` (overflow) is false: it depends on
/// the operation, which computes it itself.
#[inline(always)]
pub fn compare<T: PartialOrd>(condition: CondMod, a: T, b: T) -> bool {
    match condition {
        CondMod::Z => a == b,
        CondMod::Nz => a != b,
        CondMod::G => a > b,
        CondMod::Ge => a >= b,
        CondMod::L => a < b,
        CondMod::Le => a <= b,
        CondMod::U => a.partial_cmp(&b).is_none(),
        CondMod::None | CondMod::R | CondMod::O => false,
    }
}

/// The condition of `cmpn`: as [`compare`], but always true if `b` is NaN, so that a following
/// `sel` selects `a`.
#[inline(always)]
pub fn compare_nan<T: PartialOrd + Copy>(condition: CondMod, a: T, b: T) -> bool {
    compare(condition, a, b) || b.partial_cmp(&b).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nan_meets_only_not_equal_and_unordered() {
        let met = |b: f32| {
            [CondMod::Z, CondMod::Nz, CondMod::G, CondMod::Ge, CondMod::L, CondMod::Le, CondMod::U]
                .map(|c| compare(c, 1.0, b))
        };
        assert_eq!(met(f32::NAN), [false, true, false, false, false, false, true]);
        assert_eq!(met(1.0), [true, false, false, true, false, true, false]);
        assert!(compare_nan(CondMod::L, 1.0, f32::NAN) && !compare_nan(CondMod::L, f32::NAN, 1.0));
    }
}
