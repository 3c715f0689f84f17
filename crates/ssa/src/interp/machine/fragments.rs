//! Operations that only fragment shaders have, on the primitive and the quad of an invocation.

use std::cell::Cell;

use super::{Lanes, Machine, State, eval_flushed};
use crate::interp::code::{Flush, Place, Slot, SlotOp};
use crate::interp::stage::At;
use crate::ir::{AluOp, Axis, DerivativeRule};

impl Machine<'_, '_> {
    /// Computes the weights of the second and third vertex at a place.
    pub(super) fn barycentric(
        &mut self,
        state: &State,
        perspective: bool,
        at: Place,
        dst: [Slot; 2],
    ) {
        let (width, undef) = (self.width, self.undef);
        for lane in Lanes(state.active) {
            let slot = |slot: Slot| state.slot(slot, width)[lane].get() as u32;
            let at = match at {
                Place::Known(place) => At::Place(place),
                Place::Sample(number) => At::Sample(slot(number)),
                Place::Offset(offset) => At::Offset(offset.map(|s| f32::from_bits(slot(s)))),
            };
            let who = self.who(state, lane);
            let weights = self.io.as_ref().and_then(|io| io.weights(who, at, perspective));
            for (i, to) in dst.into_iter().enumerate() {
                let bits = weights.map_or(undef as u32, |weights| weights[i].to_bits());
                state.slot(to, width)[lane].set(bits.into());
            }
        }
    }

    /// Interpolates components of an input.
    pub(super) fn interpolate(&mut self, state: &State, op: &SlotOp, weights: [Slot; 2]) {
        let (width, undef) = (self.width, self.undef);
        for lane in Lanes(state.active) {
            let slot = |slot: Slot| state.slot(slot, width)[lane].get() as u32;
            let index = op.index.map_or(0, slot);
            let weights = weights.map(|weight| f64::from(f32::from_bits(slot(weight))));
            let who = self.who(state, lane);
            for (comp, &to) in op.data.iter().enumerate().take(op.comps.into()) {
                let found = self.io.as_ref().and_then(|io| {
                    let value = |vertex| {
                        let bits = io.read(who, op, Some(vertex), index, comp)?;
                        Some(f64::from(f32::from_bits(bits)))
                    };
                    // A point has one vertex and a line two. A load of a vertex that does not exist reads the last one, whose
                    // weight is 0.
                    let (a, b, c) = (value(0)?, value(1)?, value(2)?);
                    Some((a + weights[0] * (b - a) + weights[1] * (c - a)) as f32)
                });
                let bits = found.map_or(undef as u32, f32::to_bits);
                state.slot(to, width)[lane].set(bits.into());
            }
        }
    }

    /// Whether a condition is true in all active invocations of the quad.
    pub(super) fn all_killed(&mut self, state: &State, dst: Slot, src: Slot) {
        let (src, dst) = (state.slot(src, self.width), state.slot(dst, self.width));
        let killed = Lanes(state.active).filter(|&lane| src[lane].get() & 1 == 1);
        let killed = killed.fold(0u64, |mask, lane| mask | 1 << lane);
        for lane in Lanes(state.active) {
            let quad = 0xf << (lane & !3) & state.active;
            dst[lane].set(u64::from(killed & quad == quad));
        }
    }

    /// Executes a derivative: the difference between two invocations of each quad. Undefined if an invocation of the quad
    /// is not active.
    pub(super) fn derivative(
        &self,
        state: &State,
        (axis, rule, flush): (Axis, DerivativeRule, Flush),
        dst: Slot,
        src: Slot,
    ) {
        let (src, dst) = (state.slot(src, self.width), state.slot(dst, self.width));
        // The result may have the slot of the source.
        let old: Vec<u64> = src.iter().map(Cell::get).collect();
        for lane in Lanes(state.active) {
            let first = lane & !3;
            // Bit 0 of a lane's number is its column, bit 1 its row.
            let (step, own) = match axis {
                Axis::X => (1, lane & 2),
                Axis::Y => (2, lane & 1),
            };
            let start = match rule {
                DerivativeRule::Fine => first + own,
                DerivativeRule::Any | DerivativeRule::Coarse => first,
            };
            let whole = state.active >> first & 0xf == 0xf;
            let difference = [old[(start + step) % self.width], old[start], 0, 0];
            dst[lane].set(match whole {
                true => eval_flushed(AluOp::FSub, (32, 32), flush, difference),
                false => self.undef & 0xffff_ffff,
            });
        }
    }
}
