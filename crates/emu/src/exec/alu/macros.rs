//! The steps of the IEEE division and square root macros.
//!
//! Each operand may have an extension register (mme), which contains an extra exponent of the number, one per channel.

use super::finish;
use crate::exec::lane::Lane;
use crate::mask::lanes_of;
use crate::plan::Plan;
use crate::thread::Thread;
use crestline_isa::semantics::Float;
use crestline_isa::semantics::mme::{self, Extended, Seed};

/// The most channels of these instructions.
const LANES: usize = 16;

/// Loads a source with the exponents from its extension register.
fn operand<F: Lane + Float>(
    plan: &Plan,
    t: &mut Thread,
    mask: u32,
    source: usize,
) -> [Extended<F>; LANES] {
    let values: [F; LANES] = t.load(&plan.sources[source], mask);
    let register = usize::from(plan.extensions[source + 1]);
    std::array::from_fn(|i| {
        let extension = t.extensions.get(register).map_or(0, |lanes| lanes[i]);
        Extended { value: values[i], extension }
    })
}

/// Stores a result: its exponents in the destination's extension register, its values in the destination.
fn store<F: Lane + Float>(plan: &Plan, t: &mut Thread, mask: u32, result: [Extended<F>; LANES]) {
    if let Some(register) = t.extensions.get_mut(usize::from(plan.extensions[0])) {
        t.extended = true;
        for lane in lanes_of(mask) {
            register[lane] = result[lane].extension;
        }
    }
    finish(plan, t, mask, result.map(|extended| extended.value));
}

/// `madm`.
pub(crate) fn madm<F: Lane + Float>(plan: &Plan, t: &mut Thread, mask: u32) {
    let [a, b, c] = [0, 1, 2].map(|source| operand::<F>(plan, t, mask, source));
    let env = t.env;
    let extended = plan.extensions[0] < 8;
    store(plan, t, mask, std::array::from_fn(|i| mme::madm(a[i], b[i], c[i], extended, &env)));
}

/// `math.invm` and `math.rsqrtm`: the first approximation, and a flag per channel that is set if it is the final
/// result.
pub(crate) fn seed<F: Lane + Float, const ROOT: bool>(plan: &Plan, t: &mut Thread, mask: u32) {
    let a: [F; LANES] = t.load(&plan.sources[0], mask);
    let b: [F; LANES] = if ROOT { a } else { t.load(&plan.sources[1], mask) };
    let env = t.env;
    let seeds: [Seed<F>; LANES] = std::array::from_fn(|i| {
        if ROOT { mme::rsqrtm(a[i], &env) } else { mme::invm(a[i], b[i], &env) }
    });
    let bits = seeds
        .iter()
        .enumerate()
        .fold(0, |bits, (lane, seed)| bits | u32::from(seed.early_out) << lane);
    plan.set_flags(t, bits, mask);
    store(plan, t, mask, seeds.map(|seed| seed.result));
}
