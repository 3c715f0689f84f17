//! Operations that implicitly read or write the accumulator.
//!
//! In integer operations the accumulator has more bits than a `mov` from the register shows. So the thread stores the
//! exact value of each accumulator lane separately. Lane `i` of an instruction uses lane `i` of the accumulator,
//! independent of the channel group.

use super::finish;
use crate::mask::lanes_of;
use crate::plan::Plan;
use crate::registers::ACCUMULATOR;
use crate::thread::Thread;
use crestline_isa::semantics::{Float, int};

const LANES: usize = 16;

impl Thread {
    /// Sets accumulator lanes: the exact values and the 32 bits in the register.
    fn set_accumulators(&mut self, mask: u32, values: &[i64; LANES]) {
        for lane in lanes_of(mask & 0xffff) {
            self.accumulators[lane] = values[lane];
            self.registers.set(ACCUMULATOR + 4 * lane, 4, (values[lane] as u32).into());
        }
    }

    /// Reports accumulator lanes of `mask` that were never written.
    fn check_accumulators(&mut self, mask: u32) {
        for lane in lanes_of(mask & 0xffff) {
            let offset = ACCUMULATOR + 4 * lane;
            if self.registers.first_unwritten(offset, 4).is_some() {
                self.report_unwritten(offset, 4, Some(lane as u8));
            }
        }
    }
}

/// `addc` and `subb`: the carry or borrow goes to the accumulator.
pub(crate) fn carry<const SUBTRACT: bool>(plan: &Plan, t: &mut Thread, mask: u32) {
    let a: [u32; LANES] = t.load(&plan.sources[0], mask);
    let b: [u32; LANES] = t.load(&plan.sources[1], mask);
    let pairs: [(u32, u32); LANES] =
        std::array::from_fn(
            |i| {
                if SUBTRACT { int::subb(a[i], b[i]) } else { int::addc(a[i], b[i]) }
            },
        );
    t.set_accumulators(mask, &pairs.map(|(_, carry)| carry.into()));
    finish(plan, t, mask, pairs.map(|(result, _)| result));
}

/// `mach`: the second step of a multiplication that gives the high half. `LOW` is the form of later devices without
/// accumulator write, which gives the low half.
pub(crate) fn mach<const LOW: bool>(plan: &Plan, t: &mut Thread, mask: u32) {
    t.check_accumulators(mask);
    let a: [i64; LANES] = t.load(&plan.sources[0], mask);
    let b: [i64; LANES] = t.load(&plan.sources[1], mask);
    let acc: [i64; LANES] = std::array::from_fn(|i| int::mach(t.accumulators[i], a[i], b[i]));
    if !LOW {
        t.set_accumulators(mask, &acc);
    }
    let result = acc.map(|acc| if LOW { acc as u32 } else { (acc >> 32) as u32 });
    finish(plan, t, mask, result);
}

/// `mac` on integers: the accumulator plus a product.
pub(crate) fn mac_int(plan: &Plan, t: &mut Thread, mask: u32) {
    t.check_accumulators(mask);
    let a: [i64; LANES] = t.load(&plan.sources[0], mask);
    let b: [i64; LANES] = t.load(&plan.sources[1], mask);
    let acc: [i64; LANES] =
        std::array::from_fn(|i| t.accumulators[i].wrapping_add(a[i].wrapping_mul(b[i])));
    t.set_accumulators(mask, &acc);
    finish(plan, t, mask, acc);
}

/// `mac` on floats.
pub(crate) fn mac_float(plan: &Plan, t: &mut Thread, mask: u32) {
    t.check_accumulators(mask);
    let a: [f32; LANES] = t.load(&plan.sources[0], mask);
    let b: [f32; LANES] = t.load(&plan.sources[1], mask);
    let env = t.env;
    let acc: [f32; LANES] = std::array::from_fn(|i| {
        let old = f32::from_bits(t.registers.u32(ACCUMULATOR + 4 * i));
        Float::mad(old, a[i], b[i], &env)
    });
    for lane in lanes_of(mask & 0xffff) {
        t.registers.set(ACCUMULATOR + 4 * lane, 4, acc[lane].to_bits().into());
    }
    finish(plan, t, mask, acc);
}

/// `sad2` and `sada2`: sums of absolute differences of pairs of bytes; the second adds the
/// accumulator. Odd channels are undefined on hardware and zero here.
pub(crate) fn sad2<const ACCUMULATE: bool>(plan: &Plan, t: &mut Thread, mask: u32) {
    if ACCUMULATE {
        t.check_accumulators(mask);
    }
    let a: [i64; LANES] = t.load(&plan.sources[0], mask);
    let b: [i64; LANES] = t.load(&plan.sources[1], mask);
    let sums: [i64; LANES] = std::array::from_fn(|i| match i % 2 {
        0 => {
            let old = if ACCUMULATE { t.accumulators[i] } else { 0 };
            (a[i] - b[i]).abs() + (a[i + 1] - b[i + 1]).abs() + old
        }
        _ => 0,
    });
    if ACCUMULATE {
        t.set_accumulators(mask, &sums);
    }
    finish(plan, t, mask, sums);
}
