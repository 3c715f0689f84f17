//! The channels on which an instruction works (execution mask, predicate, write mask), and the flags that it writes.

use crate::Problem;
use crate::mask::lanes_of;
use crate::plan::Plan;
use crate::registers::FLAG;
use crate::thread::Thread;
use crestline_isa::PredCtrl;

impl Plan {
    /// The channels that the execution mask enables.
    #[inline(always)]
    pub(crate) fn execution_mask(&self, thread: &Thread) -> u32 {
        if self.no_mask { self.full } else { thread.active >> self.group & self.full }
    }

    /// The channels of `within` that the predicate enables.
    #[inline(always)]
    pub(crate) fn predicate_mask(&self, thread: &mut Thread, within: u32) -> u32 {
        match self.predicate.ctrl {
            PredCtrl::None => within,
            PredCtrl::Normal => {
                let bits = (thread.registers.flags() >> self.flag_shift) as u32;
                let needed = u64::from(within) << self.flag_shift;
                if thread.registers.unwritten_flags(needed) != 0 {
                    self.report_flags(thread, needed);
                }
                within & if self.predicate.inverse { !bits } else { bits }
            }
            _ => self.grouped_predicate(thread, within),
        }
    }

    /// [`predicate_mask`](Self::predicate_mask) for predicates that combine several flag bits per channel.
    #[inline(never)]
    fn grouped_predicate(&self, thread: &mut Thread, within: u32) -> u32 {
        use PredCtrl::*;
        let flags = thread.registers.flags();
        let mut enabled = 0;
        let mut needed = 0u64;
        for lane in lanes_of(within) {
            let bit = u32::from(self.flag_shift) + lane as u32;
            let group = |size: u32| {
                let first = bit & !(size - 1);
                (u64::MAX >> (64 - size)) << first
            };
            let component = |c: u32| 1u64 << ((bit & !3) + c);
            let (bits, any) = match self.predicate.ctrl {
                None | Normal => (1 << bit, true),
                X => (component(0), true),
                Y => (component(1), true),
                Z => (component(2), true),
                W => (component(3), true),
                Any2H => (group(2), true),
                Any4H => (group(4), true),
                Any8H => (group(8), true),
                Any16H => (group(16), true),
                Any32H => (group(32), true),
                All2H => (group(2), false),
                All4H => (group(4), false),
                All8H => (group(8), false),
                All16H => (group(16), false),
                All32H => (group(32), false),
                AnyV => (1 << (bit & 31) | 1 << (bit & 31 | 32), true),
                AllV => (1 << (bit & 31) | 1 << (bit & 31 | 32), false),
            };
            needed |= bits;
            let met = if any { flags & bits != 0 } else { flags & bits == bits };
            enabled |= u32::from(met != self.predicate.inverse) << lane;
        }
        if thread.registers.unwritten_flags(needed) != 0 {
            self.report_flags(thread, needed);
        }
        enabled
    }

    /// The channels that an arithmetic instruction writes, given those that the execution mask enables. `sel` writes
    /// all of these, because its predicate selects a source.
    #[inline(always)]
    pub(crate) fn arithmetic_mask(&self, thread: &mut Thread, exec: u32) -> u32 {
        let predicated = if self.selects { exec } else { self.predicate_mask(thread, exec) };
        predicated & self.destination.lanes
    }

    /// Sets the flag bits of the channels in `mask` to those of `bits`.
    #[inline(always)]
    pub(crate) fn set_flags(&self, thread: &mut Thread, bits: u32, mask: u32) {
        let (bits, mask) = (u64::from(bits) << self.flag_shift, u64::from(mask) << self.flag_shift);
        thread.registers.set_flags(bits, mask);
    }

    #[cold]
    #[inline(never)]
    fn report_flags(&self, thread: &mut Thread, needed: u64) {
        let bit = thread.registers.unwritten_flags(needed).trailing_zeros();
        let channel = bit.checked_sub(self.flag_shift.into()).map(|channel| channel as u8);
        let register = FLAG + bit as usize / 8;
        thread.report(Problem::UninitializedRead { register }, channel);
    }
}
