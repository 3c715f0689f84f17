//! The interpreter's loop.

use super::op::{Action, Op};
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

/// Runs a thread until it ends, waits for a notification, cannot go on, or under weak memory has
/// sent a message.
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
        t.executed += 1;
        t.executed_simd8 += u64::from(op.simd8_units);
        if op.prelude.any() {
            t.prepare(op);
        }
        let exec = op.execution_mask(t);
        match &op.action {
            Action::Alu(run) => {
                let mask = op.arithmetic_mask(t, exec);
                observer.before(t, t.current, mask);
                run(op, t, mask);
                t.ip += 1;
                observer.after(t, t.current, mask);
            }
            Action::Wait if t.notifications() == 0 => {
                // The instruction executes when the notification is there.
                t.executed -= 1;
                t.executed_simd8 -= u64::from(op.simd8_units);
                t.status = Status::Waiting;
            }
            other => {
                observer.before(t, t.current, exec);
                unusual(kernel, op, other, t, world);
                observer.after(t, t.current, exec);
            }
        }
    }
}

/// Executes what is not arithmetic. Apart, so that the loop stays small.
#[inline(never)]
fn unusual(kernel: &Kernel, op: &Op, action: &Action, t: &mut Thread, world: &mut World<'_>) {
    match action {
        Action::Branch(branch) => {
            let index_of = |to: i64| kernel.starts.get(&u32::try_from(to).ok()?).copied();
            t.branch(op, branch, &index_of);
            return;
        }
        Action::Send(send) => {
            message::execute(op, send, t, world);
            if world.weak.is_some() && t.status == Status::Running {
                t.status = Status::Paused;
            }
        }
        Action::Wait => {
            t.set_notifications(t.notifications() - 1);
            if let Some(weak) = &mut world.weak {
                weak.waited(t.thread_id as usize);
            }
        }
        Action::Halves(halves) => {
            for half in &**halves {
                if let Action::Alu(run) = half.action {
                    let exec = half.execution_mask(t);
                    let mask = half.arithmetic_mask(t, exec);
                    run(half, t, mask);
                }
            }
        }
        Action::End => return t.fail(Fault::PastTheEnd),
        Action::Alu(_) | Action::Nop => {}
    }
    t.ip += 1;
}
