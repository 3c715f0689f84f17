//! The interpreter's loop.

use super::op::Action;
use super::thread::{Fault, Status, Thread};
use crate::load::Kernel;
use crate::message::{self, World};

/// Watches the execution of a thread.
pub(crate) trait Observer {
    /// Called before an instruction with the channels it will run on.
    fn before(&mut self, thread: &Thread, instruction: usize, mask: u32);
    /// Called after it.
    fn after(&mut self, thread: &Thread, instruction: usize, mask: u32);
}

/// Nobody watches; the calls vanish.
pub(crate) struct Unobserved;

impl Observer for Unobserved {
    #[inline(always)]
    fn before(&mut self, _: &Thread, _: usize, _: u32) {}
    #[inline(always)]
    fn after(&mut self, _: &Thread, _: usize, _: u32) {}
}

/// Runs a thread until it ends, waits for a notification, or cannot go on.
pub(crate) fn run<O: Observer>(
    kernel: &Kernel,
    t: &mut Thread,
    world: &mut World<'_>,
    budget: u64,
    observer: &mut O,
) {
    while t.status == Status::Running {
        let Some(op) = kernel.ops.get(t.ip) else {
            t.fail(Fault::PastTheEnd);
            return;
        };
        if t.executed >= budget {
            t.fail(Fault::Budget);
            return;
        }
        t.current = t.ip;
        if op.joins {
            t.join();
        }
        t.executed += 1;
        t.executed_simd8 += u64::from(op.simd8_units);
        if op.live_state {
            t.refresh_live_state(op.offset);
        }
        let exec = op.execution_mask(t);
        match &op.action {
            Action::Alu(run) => {
                let mask = if op.selects { exec } else { op.predicate_mask(t, exec) }
                    & op.destination.lanes;
                observer.before(t, t.current, mask);
                run(op, t, mask);
                t.ip += 1;
                observer.after(t, t.current, mask);
            }
            Action::Nop => {
                observer.before(t, t.current, exec);
                t.ip += 1;
                observer.after(t, t.current, exec);
            }
            Action::Branch(branch) => {
                observer.before(t, t.current, exec);
                let index_of = |to: i64| kernel.starts.get(&u32::try_from(to).ok()?).copied();
                t.branch(op, branch, &index_of);
                observer.after(t, t.current, exec);
            }
            Action::Send(send) => {
                observer.before(t, t.current, exec);
                message::execute(op, send, t, world);
                t.ip += 1;
                observer.after(t, t.current, exec);
            }
            Action::Wait => {
                let notifications = t.notifications();
                if notifications == 0 {
                    // The instruction executes when the notification is there.
                    t.executed -= 1;
                    t.executed_simd8 -= u64::from(op.simd8_units);
                    t.status = Status::Waiting;
                    return;
                }
                observer.before(t, t.current, exec);
                t.set_notifications(notifications - 1);
                t.ip += 1;
                observer.after(t, t.current, exec);
            }
        }
    }
}
