//! An estimate of the cycles that one thread takes, from the machine code.

use crestline_isa as isa;
use crestline_timing::{Options, walk};

use crate::target::Target;

/// The estimated times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Estimate {
    /// Cycles from the first to the last instruction of one thread, with ten iterations for each loop.
    pub cycles: u64,
    /// Cycles in which the busiest unit works, with loop weights. With many threads, this unit limits the throughput.
    pub busiest: u64,
    /// A lower bound of [`busiest`](Self::busiest) at twice the SIMD width. Instructions for the thread's channels,
    /// all or some of them, take twice as long; others (addresses, headers, uniform values) take as long as now.
    pub busiest_widened: u64,
}

/// Estimates the time of a program for threads of `dispatch_width` channels, with the model of `crestline_timing`.
pub fn estimate(insts: &[isa::Inst], dispatch_width: u8, target: &Target) -> Estimate {
    let options = Options { dispatch_width: Some(dispatch_width), ..Options::default() };
    let located = insts.iter().scan(0, |end, inst| {
        let offset = *end;
        *end += inst.size() as usize;
        Some((offset, inst))
    });
    let report = walk(located, target.device(), &options);
    Estimate {
        cycles: report.cycles,
        busiest: report.busy.max(),
        busiest_widened: report.widened.max(),
    }
}
