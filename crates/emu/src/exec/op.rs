//! An instruction in executable form.

use super::operand::{Destination, Source};
use super::registers::FLAG;
use super::thread::Thread;
use crate::Problem;
use crate::load::flow::Branch;
use crate::message::Message;
use crestline_isa::{CondMod, PredCtrl};

/// What runs the arithmetic of an instruction on the channels of a mask.
pub(crate) type Run = fn(&Op, &mut Thread, u32);

/// An instruction in executable form: everything that does not change between executions is
/// decided.
#[derive(Clone)]
pub(crate) struct Op {
    pub(crate) action: Action,
    /// All channels of the instruction, one bit each from bit 0.
    pub(crate) full: u32,
    /// First channel of the thread's masks.
    pub(crate) group: u8,
    pub(crate) no_mask: bool,
    /// What happens before the instruction executes.
    pub(crate) prelude: Prelude,
    /// What is wrong with it whenever it executes.
    pub(crate) hazard: Option<Box<Problem>>,
    pub(crate) predicate: Predicate,
    /// The predicate selects between sources instead of enabling channels.
    pub(crate) selects: bool,
    pub(crate) condition: CondMod,
    pub(crate) saturate: bool,
    /// First flag bit of the instruction's channels, f1 counted from 32.
    pub(crate) flag_shift: u8,
    pub(crate) destination: Destination,
    pub(crate) sources: [Source; 3],
    /// Where the result goes as well, if the accumulator is written implicitly.
    pub(crate) accumulator: Option<Box<Destination>>,
    /// Extension registers of the IEEE macros.
    pub(crate) extensions: super::alu::macros::Extensions,
    /// The result goes to the destination as it is: no saturation, condition or accumulator.
    pub(crate) plain: bool,
    /// Units of eight channels.
    pub(crate) simd8_units: u8,
    /// Place in the code, in bytes.
    pub(crate) offset: u32,
    /// Size in bytes.
    pub(crate) size: u32,
}

/// What an instruction does.
#[derive(Clone)]
pub(crate) enum Action {
    /// Nothing.
    Nop,
    /// Arithmetic.
    Alu(Run),
    /// Arithmetic that executes as two halves, one after the other.
    Halves(Box<[Op; 2]>),
    /// Flow control.
    Branch(Branch),
    /// A message.
    Send(Box<Message>),
    /// Waits for a notification.
    Wait,
    /// The padding behind the code of an entry point: there is nothing to execute.
    End,
}

/// What has to happen before an instruction executes; for most of them nothing, which the
/// interpreter sees at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Prelude(u8);

impl Prelude {
    /// Channels may wait here, so the set of active channels is computed anew.
    pub(crate) const JOIN: Prelude = Prelude(1);
    /// Reads a register that must be brought up to date first.
    pub(crate) const LIVE_STATE: Prelude = Prelude(2);

    /// There is something to report.
    pub(crate) const HAZARD: Prelude = Prelude(4);

    /// Whether there is anything to do.
    #[inline(always)]
    pub(crate) fn any(self) -> bool {
        self.0 != 0
    }

    /// Whether one of the things to do is `what`.
    pub(crate) fn has(self, what: Prelude) -> bool {
        self.0 & what.0 != 0
    }

    /// Adds something to do.
    pub(crate) fn add(&mut self, what: Prelude) {
        self.0 |= what.0;
    }
}

/// How flag bits enable channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Predicate {
    pub(crate) ctrl: PredCtrl,
    pub(crate) inverse: bool,
}

impl Op {
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

    #[inline(never)]
    fn grouped_predicate(&self, thread: &mut Thread, within: u32) -> u32 {
        use PredCtrl::*;
        let flags = thread.registers.flags();
        let mut enabled = 0;
        let mut needed = 0u64;
        for lane in super::access::lanes_of(within) {
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

    /// The channels that an arithmetic instruction works on, of those the execution mask
    /// enables.
    #[inline(always)]
    pub(crate) fn arithmetic_mask(&self, thread: &mut Thread, exec: u32) -> u32 {
        let predicated = if self.selects { exec } else { self.predicate_mask(thread, exec) };
        predicated & self.destination.lanes
    }

    /// Replaces the flag bits of the channels in `mask`.
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
