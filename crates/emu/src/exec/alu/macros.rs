//! The steps of the IEEE division and square root macros.
//!
//! Each operand may name an extension register (mme), which holds the exponent that its number
//! carries beside its bits, one per channel.

use super::finish;
use crate::exec::access::lanes_of;
use crate::exec::lane::Lane;
use crate::exec::op::Op;
use crate::exec::thread::Thread;
use crestline_isa::semantics::Float;
use crestline_isa::semantics::mme::{self, Extended, Seed};

/// The extension registers of destination and sources: 0 to 7, or 8 for none.
pub(crate) type Extensions = [u8; 4];

/// Channels these instructions can have.
const LANES: usize = 16;

fn operand<F: Lane + Float>(
    op: &Op,
    t: &mut Thread,
    mask: u32,
    source: usize,
) -> [Extended<F>; LANES] {
    let values: [F; LANES] = t.load(&op.sources[source], mask);
    let register = usize::from(op.extensions[source + 1]);
    std::array::from_fn(|i| {
        let extension = t.extensions.get(register).map_or(0, |lanes| lanes[i]);
        Extended { value: values[i], extension }
    })
}

fn store<F: Lane + Float>(op: &Op, t: &mut Thread, mask: u32, result: [Extended<F>; LANES]) {
    if let Some(register) = t.extensions.get_mut(usize::from(op.extensions[0])) {
        for lane in lanes_of(mask) {
            register[lane] = result[lane].extension;
        }
    }
    finish(op, t, mask, result.map(|extended| extended.value));
}

/// `madm`.
pub(crate) fn madm<F: Lane + Float>(op: &Op, t: &mut Thread, mask: u32) {
    let [a, b, c] = [0, 1, 2].map(|source| operand::<F>(op, t, mask, source));
    let env = t.env;
    let extended = op.extensions[0] < 8;
    store(op, t, mask, std::array::from_fn(|i| mme::madm(a[i], b[i], c[i], extended, &env)));
}

/// `math.invm` and `math.rsqrtm`: the first approximation, and a flag where it is final.
pub(crate) fn seed<F: Lane + Float, const ROOT: bool>(op: &Op, t: &mut Thread, mask: u32) {
    let a: [F; LANES] = t.load(&op.sources[0], mask);
    let b: [F; LANES] = if ROOT { a } else { t.load(&op.sources[1], mask) };
    let env = t.env;
    let seeds: [Seed<F>; LANES] = std::array::from_fn(|i| {
        if ROOT { mme::rsqrtm(a[i], &env) } else { mme::invm(a[i], b[i], &env) }
    });
    let bits = seeds
        .iter()
        .enumerate()
        .fold(0, |bits, (lane, seed)| bits | u32::from(seed.early_out) << lane);
    op.set_flags(t, bits, mask);
    store(op, t, mask, seeds.map(|seed| seed.result));
}
