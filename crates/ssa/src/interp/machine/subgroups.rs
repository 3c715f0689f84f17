//! Operations on the values of the invocations of a subgroup.

use std::cell::Cell;

use super::{Lanes, Machine, State, eval_flushed};
use crate::interp::code::{Flush, Slot};
use crate::ir::{SubgroupOp, identity};

impl Machine<'_, '_> {
    /// Combines the values of the active invocations. Sums and products are computed in the order of the invocations.
    pub(super) fn subgroup_op(
        &self,
        state: &State,
        op: SubgroupOp,
        (bits, flush): (u32, Flush),
        dst: Slot,
        src: Slot,
    ) {
        let (src, dst) = (state.slot(src, self.width), state.slot(dst, self.width));
        // The result may have the slot of the source.
        let values: Vec<(usize, u64)> =
            Lanes(state.active).map(|lane| (lane, src[lane].get())).collect();
        let combined = |op, of: &dyn Fn(usize) -> bool| {
            let first = identity(op, bits).unwrap_or(0);
            values.iter().filter(|value| of(value.0)).fold(first, |all, &(_, own)| {
                eval_flushed(op, (bits, bits), flush, [all, own, 0, 0])
            })
        };
        for lane in Lanes(state.active) {
            let result = match op {
                SubgroupOp::Ballot => {
                    values.iter().fold(0, |mask, &(lane, bit)| mask | (bit & 1) << lane)
                }
                SubgroupOp::ReadFirst => values[0].1,
                SubgroupOp::Reduce { op, cluster } => {
                    let size = if cluster == 0 { self.width } else { cluster.into() };
                    combined(op, &|other| other / size == lane / size)
                }
                SubgroupOp::Scan { op, inclusive } => {
                    combined(op, &|other| other < lane || inclusive && other == lane)
                }
            };
            dst[lane].set(result);
        }
    }

    /// Reads the value of another invocation, which is undefined if that invocation is not active.
    pub(super) fn shuffle(&self, state: &State, dst: Slot, src: Slot, number: Slot) {
        let [src, dst, number] = [src, dst, number].map(|slot| state.slot(slot, self.width));
        // The result may have the slot of the source.
        let old: Vec<u64> = src.iter().map(Cell::get).collect();
        for lane in Lanes(state.active) {
            let other = number[lane].get();
            let active = other < 64 && state.active >> other & 1 == 1;
            let value = if active { old[other as usize] } else { self.undef };
            dst[lane].set(value & u64::from(u32::MAX));
        }
    }
}
