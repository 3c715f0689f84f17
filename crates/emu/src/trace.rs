//! Traces of a run, instruction by instruction.

use crate::Location;
use crate::exec::run::Observer;
use crate::kernel::Kernel;
use crate::recorder::Accessed;
use crate::registers::{END, name_of};
use crate::thread::Thread;
use crate::watch::State;
use crestline_isa::Inst;

/// Receives every executed instruction.
pub trait Trace {
    /// An instruction was executed.
    fn instruction(&mut self, step: &Step<'_>);

    /// Called before an instruction is executed. If it returns false, the run ends with
    /// [`EmuError::Stopped`](crate::EmuError::Stopped); the resources then have the contents of this moment.
    fn before(&mut self, _: &State<'_>) -> bool {
        true
    }

    /// Like [`before`](Self::before), after an instruction was executed.
    fn after(&mut self, _: &State<'_>) -> bool {
        true
    }

    /// Whether [`Step::changes`] is needed. Without it the program runs faster.
    fn compares_registers(&self) -> bool {
        true
    }
}

impl<F: FnMut(&Step<'_>)> Trace for F {
    fn instruction(&mut self, step: &Step<'_>) {
        self(step);
    }
}

/// One executed instruction.
#[derive(Clone, Debug)]
pub struct Step<'a> {
    /// Where it happened.
    pub location: Location,
    /// The instruction.
    pub instruction: &'a Inst,
    /// The enabled channels of the instruction; bit 0 is its first channel.
    pub channels: u32,
    /// The channels of the thread that are active afterwards.
    pub active: u32,
    /// The memory that the instruction accessed, if it is a message.
    pub accessed: Accessed,
    /// Registers whose contents changed, in dwords.
    pub changes: Vec<Change>,
}

/// A changed dword of a register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The register and the byte offset in it, such as `r7.4`.
    pub register: String,
    /// The value before.
    pub before: u32,
    /// The value after.
    pub after: u32,
}

/// Compares the registers before and after each instruction.
pub(crate) struct Tracer<'a> {
    kernel: &'a Kernel,
    trace: &'a mut dyn Trace,
    before: Box<[u32; END / 4]>,
    compares: bool,
}

impl<'a> Tracer<'a> {
    pub(crate) fn new(kernel: &'a Kernel, trace: &'a mut dyn Trace) -> Tracer<'a> {
        let compares = trace.compares_registers();
        Tracer { kernel, trace, before: Box::new([0; END / 4]), compares }
    }

    fn location(&self, thread: &Thread, instruction: usize) -> Location {
        Location {
            group: thread.log.group,
            thread: thread.log.thread,
            instruction,
            offset: self.kernel.program.offset(instruction),
            channel: None,
        }
    }
}

impl Observer for Tracer<'_> {
    const RECORDS: bool = true;

    fn before(&mut self, thread: &Thread, shared: &[u8], instruction: usize, mask: u32) -> bool {
        if self.compares {
            self.before.copy_from_slice(thread.registers.words());
        }
        let location = self.location(thread, instruction);
        // The instruction counts already.
        let executed = thread.executed - 1;
        self.trace.before(&State {
            location,
            executed,
            channels: mask,
            problem: None,
            thread,
            shared,
        })
    }

    fn after(&mut self, thread: &mut Thread, shared: &[u8], instruction: usize, mask: u32) -> bool {
        let before = if self.compares { &self.before[..] } else { &[] };
        let changes = before
            .iter()
            .zip(thread.registers.words())
            .enumerate()
            .filter(|(_, (before, after))| before != after)
            .map(|(i, (before, after))| Change {
                register: name_of(4 * i),
                before: *before,
                after: *after,
            })
            .collect();
        let location = self.location(thread, instruction);
        self.trace.instruction(&Step {
            location,
            instruction: &self.kernel.instructions[instruction],
            channels: mask,
            active: thread.active,
            accessed: thread
                .recorder
                .as_ref()
                .map_or_else(Accessed::default, |recorder| recorder.borrow_mut().take()),
            changes,
        });
        let mut problem = thread.log.newest.take();
        if let Some(problem) = &mut problem {
            problem.location.offset = location.offset;
        }
        let (executed, channels) = (thread.executed, mask);
        self.trace.after(&State { location, executed, channels, problem, thread, shared })
    }
}
