//! Operations whose channels read elements of other channels, or that write two registers.

use super::finish;
use crate::plan::Plan;
use crate::plan::{Destination, DestinationKind};
use crate::registers::{ByteSet, GRF_END};
use crate::thread::Thread;
use crestline_isa::semantics::{Float, convert, math};

const LANES: usize = 16;

/// `f32to16`: converts to a 16-bit float, which is stored as an integer. The source's modifiers are those of a float.
pub(crate) fn f32_to_16(plan: &Plan, t: &mut Thread, mask: u32) {
    let values: [f32; LANES] = t.load(&plan.sources[0], mask);
    finish(plan, t, mask, values.map(|value| u32::from(convert::f32_to_16(value))));
}

/// `dp2`, `dp3`, `dp4`, `dph`: the dot product of each vector of four channels, with `TERMS` products. `dph`
/// (`HOMOGENEOUS`) adds component w of source 1.
pub(crate) fn dot<const TERMS: usize, const HOMOGENEOUS: bool>(
    plan: &Plan,
    t: &mut Thread,
    mask: u32,
) {
    // Each channel of a vector needs the whole vector.
    let whole = (0..LANES)
        .step_by(4)
        .fold(0, |whole, first| whole | if mask >> first & 15 != 0 { 15 << first } else { 0 });
    let a: [f32; LANES] = t.load(&plan.sources[0], whole & plan.full);
    let b: [f32; LANES] = t.load(&plan.sources[1], whole & plan.full);
    let env = t.env;
    let result = std::array::from_fn(|lane| {
        let first = lane & !3;
        let start = if HOMOGENEOUS { b[first + 3] } else { Float::mul(a[first], b[first], &env) };
        let products = if HOMOGENEOUS { 0..TERMS } else { 1..TERMS };
        products.fold(start, |sum, c| Float::mad(sum, a[first + c], b[first + c], &env))
    });
    finish::<f32, LANES>(plan, t, mask, result);
}

/// Integer division with both results: the quotient in the destination, the remainder in the
/// register after it.
pub(crate) fn divide_both<const SIGNED: bool>(plan: &Plan, t: &mut Thread, mask: u32) {
    let a: [u32; LANES] = t.load(&plan.sources[0], mask);
    let b: [u32; LANES] = t.load(&plan.sources[1], mask);
    let both: [(u32, u32); LANES] = std::array::from_fn(|i| {
        if SIGNED {
            let (q, r) = math::idivrem(a[i].cast_signed(), b[i].cast_signed());
            (q.cast_unsigned(), r.cast_unsigned())
        } else {
            math::udivrem(a[i], b[i])
        }
    });
    finish(plan, t, mask, both.map(|(quotient, _)| quotient));
    if let DestinationKind::Packed(offset) = plan.destination.kind
        && usize::from(offset) + 64 <= GRF_END
    {
        let next = offset + 32;
        let lanes = plan.full.count_ones() as usize;
        let remainders = Destination {
            kind: DestinationKind::Packed(next),
            bytes: ByteSet::of((0..lanes).map(|lane| usize::from(next) + 4 * lane), 4),
            ..plan.destination.clone()
        };
        t.store(&remainders, &both.map(|(_, remainder)| remainder), false, mask, u32::MAX);
    }
}
