//! The main loop of the interpreter.

use super::instance::{Run, instance};
use super::send::send;
use crate::error::{EmuError, Reject};
use crate::host::Host;
use crate::message::World;
use crate::plan::{Action, Alu, Plan, Prelude, Program};
use crate::thread::{Fault, Status, Thread};
use std::collections::BTreeMap;

/// The plans of a program, each with the function that executes its arithmetic.
#[derive(Clone)]
pub(crate) struct Executable {
    steps: Vec<Step>,
    /// See [`Program::starts`].
    starts: BTreeMap<u32, usize>,
    /// Whether a message changes global memory in a way that depends on the order of workgroups.
    pub(crate) order_matters: bool,
    /// Whether a message writes memory that other threads read.
    pub(crate) writes_memory: bool,
}

#[derive(Clone)]
struct Step {
    code: Code,
    plan: Plan,
}

/// How a plan is executed.
#[derive(Clone, Copy)]
enum Code {
    Alu(Run),
    /// Arithmetic in two halves.
    Halves([Run; 2]),
    /// Other than arithmetic: see [`Plan::action`].
    Other,
}

impl Executable {
    /// Selects the functions for a program's arithmetic.
    ///
    /// # Errors
    /// [`EmuError::Unsupported`] for an operation that has no function.
    pub(crate) fn new(mut program: Program) -> Result<Executable, EmuError> {
        let host = Host::new();
        let mut steps = Vec::with_capacity(program.plans.len());
        for (index, plan) in std::mem::take(&mut program.plans).into_iter().enumerate() {
            let code = code(&plan, host).map_err(|reject| reject.at(index, plan.offset))?;
            steps.push(Step { code, plan });
        }
        let Program { starts, order_matters, writes_memory, .. } = program;
        Ok(Executable { steps, starts, order_matters, writes_memory })
    }

    /// The number of instructions.
    pub(crate) fn len(&self) -> usize {
        self.steps.len()
    }

    /// The byte offset of an instruction; 0 if the index is out of range.
    pub(crate) fn offset(&self, instruction: usize) -> u32 {
        self.steps.get(instruction).map_or(0, |step| step.plan.offset)
    }

    /// Index of the instruction that starts at a byte offset; the number of instructions for the end of the code.
    fn index_of(&self, offset: i64) -> Option<usize> {
        self.starts.get(&u32::try_from(offset).ok()?).copied()
    }
}

/// Selects how a plan is executed.
fn code(plan: &Plan, host: Host) -> Result<Code, Reject> {
    let find = |alu: &Alu| {
        instance(*alu, host).ok_or_else(|| {
            Reject::Unsupported(format!("{:?} on {} channels", alu.operation, alu.lanes))
        })
    };
    Ok(match &plan.action {
        Action::Alu(alu) => Code::Alu(find(alu)?),
        Action::Halves(halves) => match [&halves[0].action, &halves[1].action] {
            [Action::Alu(first), Action::Alu(second)] => {
                Code::Halves([find(first)?, find(second)?])
            }
            _ => return Err(Reject::Unsupported("halves of no arithmetic".into())),
        },
        Action::Nop | Action::Branch(_) | Action::Send(_) | Action::Wait | Action::End => {
            Code::Other
        }
    })
}

/// Observes the execution of a thread.
pub(crate) trait Observer {
    /// Whether threads record the memory that their messages access.
    const RECORDS: bool = false;

    /// Called before an instruction with the channels it will run on. If it returns false, the thread stops.
    fn before(&mut self, thread: &Thread, shared: &[u8], instruction: usize, mask: u32) -> bool;
    /// Called after the instruction. If it returns false, the thread stops.
    fn after(&mut self, thread: &mut Thread, shared: &[u8], instruction: usize, mask: u32) -> bool;
}

/// An observer that does nothing.
pub(crate) struct Unobserved;

impl Observer for Unobserved {
    #[inline(always)]
    fn before(&mut self, _: &Thread, _: &[u8], _: usize, _: u32) -> bool {
        true
    }
    #[inline(always)]
    fn after(&mut self, _: &mut Thread, _: &[u8], _: usize, _: u32) -> bool {
        true
    }
}

/// Runs a thread until it ends, waits for a notification, or fails. Under weak memory it also stops after each message.
pub(crate) fn run<O: Observer>(
    program: &Executable,
    t: &mut Thread,
    world: &mut World<'_>,
    budget: u64,
    observer: &mut O,
) {
    while t.status == Status::Running {
        let Some(Step { code, plan }) = program.steps.get(t.ip) else {
            t.fail(Fault::PastTheEnd);
            return;
        };
        if t.executed >= budget {
            t.fail(Fault::Budget);
            return;
        }
        t.current = t.ip;
        t.executed += 1;
        t.executed_simd8 += u64::from(plan.simd8_units);
        if plan.prelude.any() {
            prepare(plan, t);
        }
        let exec = plan.execution_mask(t);
        match code {
            Code::Alu(run) => {
                let mask = plan.arithmetic_mask(t, exec);
                if !observer.before(t, world.shared, t.current, mask) {
                    return t.fail(Fault::Stopped);
                }
                run(plan, t, mask);
                t.ip += 1;
                if !observer.after(t, world.shared, t.current, mask) {
                    return t.fail(Fault::Stopped);
                }
            }
            Code::Other if matches!(plan.action, Action::Wait) && t.notifications() == 0 => {
                // The instruction executes again when the notification has arrived.
                t.executed -= 1;
                t.executed_simd8 -= u64::from(plan.simd8_units);
                t.status = Status::Waiting;
            }
            code => {
                if !observer.before(t, world.shared, t.current, exec) {
                    return t.fail(Fault::Stopped);
                }
                unusual(program, plan, code, t, world);
                if !observer.after(t, world.shared, t.current, exec) {
                    return t.fail(Fault::Stopped);
                }
            }
        }
    }
}

/// Does the work of a plan's [`Prelude`].
#[inline(never)]
fn prepare(plan: &Plan, t: &mut Thread) {
    if plan.prelude.has(Prelude::JOIN) {
        t.join();
    }
    if plan.prelude.has(Prelude::LIVE_STATE) {
        t.registers.set_channel_enable(t.active);
        t.registers.set_ip_and_time(plan.offset, t.executed);
    }
    if let Some(problem) = &plan.hazard {
        t.report(**problem, None);
    }
}

/// Executes plans other than simple arithmetic. A separate function, so that the main loop stays small.
#[inline(never)]
fn unusual(program: &Executable, plan: &Plan, code: &Code, t: &mut Thread, world: &mut World<'_>) {
    match (&plan.action, code) {
        (Action::Branch(branch), _) => {
            t.branch(plan, branch, &|to| program.index_of(to));
            return;
        }
        (Action::Send(message), _) => {
            send(plan, message, t, world);
            if world.weak.is_some() && t.status == Status::Running {
                t.status = Status::Paused;
            }
        }
        (Action::Wait, _) => {
            t.set_notifications(t.notifications() - 1);
            if let Some(weak) = &mut world.weak {
                weak.waited(t.thread_id as usize);
            }
        }
        (Action::Halves(halves), Code::Halves(runs)) => {
            for (half, run) in halves.iter().zip(runs) {
                let exec = half.execution_mask(t);
                let mask = half.arithmetic_mask(t, exec);
                run(half, t, mask);
            }
        }
        (Action::End, _) => return t.fail(Fault::PastTheEnd),
        (Action::Alu(_) | Action::Halves(_) | Action::Nop, _) => {}
    }
    t.ip += 1;
}
