//! Operations whose channels read elements of other channels, or that write two registers.

use super::finish;
use crate::plan::Plan;
use crate::plan::{Destination, DestinationKind, SourceKind};
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

/// The four floats of a plane operand: the 16 aligned bytes that contain its subregister.
fn plane(plan: &Plan, t: &mut Thread, mask: u32) -> [f32; 4] {
    let offset = match &plan.sources[0].kind {
        SourceKind::Scalar(offset) | SourceKind::Packed(offset) => usize::from(*offset) & !15,
        _ => return [0.0; 4],
    };
    if mask != 0 {
        for component in [0, 1, 3] {
            t.report_unwritten_if_any(offset + 4 * component, 4);
        }
    }
    [0, 1, 2, 3].map(|component| f32::from_bits(t.registers.u32(offset + 4 * component)))
}

/// `line`: `p * x + s` with a plane operand (p, q, -, s).
pub(crate) fn line(plan: &Plan, t: &mut Thread, mask: u32) {
    let [p, _, _, s] = plane(plan, t, mask);
    let x: [f32; LANES] = t.load(&plan.sources[1], mask);
    let env = t.env;
    finish(plan, t, mask, x.map(|x| Float::mad(s, p, x, &env)));
}

/// `pln`: `p * u + q * v + s`. For each eight channels, u is in one register and v in the next.
pub(crate) fn pln(plan: &Plan, t: &mut Thread, mask: u32) {
    let [p, q, _, s] = plane(plan, t, mask);
    let (u, v): ([f32; LANES], [f32; LANES]) =
        (t.load(&plan.sources[1], mask), t.load(&plan.sources[2], mask));
    let env = t.env;
    let result: [f32; LANES] =
        std::array::from_fn(|i| Float::mad(Float::mad(s, p, u[i], &env), q, v[i], &env));
    finish(plan, t, mask, result);
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
