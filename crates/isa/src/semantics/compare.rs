//! Conditions: of comparisons, and of results against zero.

use crate::tables::CondMod;

/// Whether `a` and `b` meet the condition. Floats that are unordered (a NaN) meet only `nz` and `u`.
///
/// Denormals must have been flushed. Overflow (`o`) is no comparison and false here: the operation knows it.
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

/// `cmpn`: as [`compare`], but a NaN in `b` alone meets the condition, so that the `sel` after it picks `a`.
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
