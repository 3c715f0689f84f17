//! Bounds of integers, from the operations that computed them.

use std::ops::RangeInclusive;

use crate::ir::{AluOp, Function, InstKind, Src};

/// Greatest number of operations behind each other that [`signed_range`] looks at.
const MAX_DEPTH: u32 = 5;

/// All values of a dword.
const ALL: RangeInclusive<i64> = i32::MIN as i64..=i32::MAX as i64;

/// Bounds of a 32-bit source, taken as a signed integer, that hold for all its components. They are
/// those of 32 bits if nothing more is known.
pub(crate) fn signed_range(func: &Function, src: Src) -> RangeInclusive<i64> {
    range(func, src, MAX_DEPTH).unwrap_or(ALL)
}

/// As [`signed_range`]; `None` if nothing is known.
fn range(func: &Function, src: Src, depth: u32) -> Option<RangeInclusive<i64>> {
    let ty = func.ty(src.value);
    if ty.bits() != 32 {
        return None;
    }
    if let Some(comps) = func.as_const(src.value) {
        let mut numbers =
            comps[..ty.comps()].iter().map(|&bits| i64::from((bits as u32).cast_signed()));
        let first = numbers.next()?;
        let (low, high) = numbers.fold((first, first), |(l, h), n| (l.min(n), h.max(n)));
        return Some(low..=high);
    }
    let depth = depth.checked_sub(1)?;
    let InstKind::Alu { op, srcs, .. } = &func.def(src.value)?.kind else { return None };
    let known = |at: usize| range(func, srcs[at], depth);
    let number = |at: usize| {
        let range = range(func, srcs[at], 0).filter(|range| range.start() == range.end());
        range.map(|range| *range.start())
    };
    let bits = func.ty(srcs[0].value).bits();
    let found = match op {
        AluOp::Mov => known(0)?,
        AluOp::I2I if bits < 32 => -(1 << (bits - 1))..=(1 << (bits - 1)) - 1,
        AluOp::U2U if bits < 32 => 0..=(1 << bits) - 1,
        AluOp::B2I => 0..=1,
        AluOp::IAdd => {
            let (a, b) = (known(0)?, known(1)?);
            a.start() + b.start()..=a.end() + b.end()
        }
        AluOp::ISub => {
            let (a, b) = (known(0)?, known(1)?);
            a.start() - b.end()..=a.end() - b.start()
        }
        AluOp::IMul => {
            let (a, b) = (known(0)?, known(1)?);
            let corners = [
                a.start() * b.start(),
                a.start() * b.end(),
                a.end() * b.start(),
                a.end() * b.end(),
            ];
            *corners.iter().min()?..=*corners.iter().max()?
        }
        AluOp::IAnd => {
            let limit =
                |at| known(at).filter(|range| *range.start() >= 0).map(|range| *range.end());
            0..=[limit(0), limit(1)].into_iter().flatten().min()?
        }
        AluOp::UShr if number(1)? & 31 != 0 => 0..=(1 << (32 - (number(1)? & 31))) - 1,
        AluOp::IShr => {
            let (a, by) = (known(0).unwrap_or(ALL), number(1)? & 31);
            a.start() >> by..=a.end() >> by
        }
        _ => return None,
    };
    (ALL.contains(found.start()) && ALL.contains(found.end())).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Shader, Value};
    use crate::text::parse;

    /// The bounds of the last value of a body. The body may read `%0`, an unknown vector of dwords.
    fn bounds(body: &str) -> (i64, i64) {
        let head = "compute \"t\" {\n local_size 1, 1, 1\n";
        let first = "%0: 32x3 = sysval local_invocation_id\n";
        let shader: Shader = parse(&format!("{head}{first}{body}\nreturn\n}}")).unwrap();
        let last = Value::from_index(shader.func.num_values() - 1);
        let range = signed_range(&shader.func, last.into());
        (*range.start(), *range.end())
    }

    #[test]
    fn extensions_products_and_sums_are_bounded() {
        let bytes = "%1: 8 = u2u %0.x\n%2: 32 = i2i %1\n%3: 32 = u2u %1\n";
        assert_eq!(bounds(&format!("{bytes}%4: 32 = imul %2, %2")), (-128 * 127, 128 * 128));
        assert_eq!(bounds(&format!("{bytes}%4: 32 = imul %2, %3")), (-128 * 255, 127 * 255));
        assert_eq!(bounds(&format!("{bytes}%4: 32 = iadd %2, %3")), (-128, 127 + 255));
        assert_eq!(bounds(&format!("{bytes}%4: 32 = isub %2, %3")), (-128 - 255, 127));
    }

    #[test]
    fn masks_and_shifts_are_bounded() {
        assert_eq!(bounds("%1: 32 = const 0xff\n%2: 32 = iand %0.x, %1"), (0, 255));
        assert_eq!(bounds("%1: 32 = const 8\n%2: 32 = ushr %0.x, %1"), (0, 0xff_ffff));
        assert_eq!(bounds("%1: 32 = const 16\n%2: 32 = ishr %0.x, %1"), (-0x8000, 0x7fff));
    }

    #[test]
    fn what_may_overflow_or_is_unknown_has_the_bounds_of_a_dword() {
        let all = (i64::from(i32::MIN), i64::from(i32::MAX));
        assert_eq!(bounds("%1: 32 = iadd %0.x, %0.y"), all);
        assert_eq!(bounds("%1: 32 = const 0x7fff0000\n%2: 32 = iadd %1, %1"), all);
        assert_eq!(bounds("%1: 32 = const 32\n%2: 32 = ushr %0.x, %1"), all);
        assert_eq!(bounds("%1: 32 = const 0x80000000\n%2: 32 = iand %0.x, %1"), all);
    }
}
