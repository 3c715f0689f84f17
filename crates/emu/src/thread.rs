//! One hardware thread: registers, channel masks, and what it found wrong.

use crate::Problem;
use crate::log::Log;
use crate::registers::{CONTROL, NOTIFICATION, Registers, STATE};
use crestline_isa::semantics::FloatEnv;

/// The state of a hardware thread between two instructions.
pub(crate) struct Thread {
    pub(crate) registers: Registers,
    /// The exact integers behind the accumulators' 32-bit elements.
    pub(crate) accumulators: [i64; 16],
    /// Exponents of the math macro extension registers.
    pub(crate) extensions: [[i32; 16]; 8],
    /// Float modes, decoded from cr0.
    pub(crate) env: FloatEnv,
    /// Channels that execute now, one bit each.
    pub(crate) active: u32,
    /// Channels the thread was dispatched with.
    pub(crate) dispatched: u32,
    /// Where each channel that does not execute waits: an instruction index.
    pub(crate) waiting_at: [u32; 32],
    /// Index of the next instruction.
    pub(crate) ip: usize,
    /// Index of the current instruction, for diagnostics.
    pub(crate) current: usize,
    pub(crate) status: Status,
    /// Instructions executed.
    pub(crate) executed: u64,
    /// The same in units of eight channels.
    pub(crate) executed_simd8: u64,
    pub(crate) sends: u64,
    /// Barrier messages sent whose notification has not arrived.
    pub(crate) barriers_sent: u32,
    /// Scratch memory, and its place behind the base of stateless memory.
    pub(crate) scratch: Vec<u8>,
    pub(crate) scratch_base: u32,
    /// The id in r0.5 bits 9:0.
    pub(crate) thread_id: u32,
    /// Private memory, addressed through 64-bit addresses.
    pub(crate) private: Vec<u8>,
    /// Dwords of a message's response, by register offset; `None` where memory holds nothing
    /// yet. They are written when the message is complete, since the response may overlap the
    /// payload.
    pub(crate) response: Vec<(usize, Option<u32>)>,
    pub(crate) log: Log,
    /// Why the thread cannot go on.
    pub(crate) fault: Option<Fault>,
}

/// Whether a thread can go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    Running,
    /// Could go on, after others had a turn.
    Paused,
    /// Waits for a notification.
    Waiting,
    Ended,
    /// The thread stopped because of a [`Fault`].
    Failed,
}

/// Why a thread cannot go on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Fault {
    Budget,
    PastTheEnd,
    JumpTarget(i64),
    Message(String),
    /// The log holds a diagnostic that is an error.
    Logged,
}

impl Thread {
    pub(crate) fn new(log: Log) -> Thread {
        Thread {
            registers: Registers::new(),
            accumulators: [0; 16],
            extensions: [[0; 16]; 8],
            env: FloatEnv::default(),
            active: 0,
            dispatched: 0,
            waiting_at: [0; 32],
            ip: 0,
            current: 0,
            status: Status::Running,
            executed: 0,
            executed_simd8: 0,
            sends: 0,
            barriers_sent: 0,
            scratch: Vec::new(),
            scratch_base: 0,
            thread_id: 0,
            private: Vec::new(),
            response: Vec::new(),
            log,
            fault: None,
        }
    }

    /// Back to the state at thread start, before the payload is written. `start` is the index of the first instruction.
    pub(crate) fn reset(&mut self, start: usize, mask: u32, cr0: u32) {
        self.registers.reset();
        self.accumulators = [0; 16];
        self.extensions = [[0; 16]; 8];
        self.active = mask;
        self.dispatched = mask;
        self.waiting_at = [0; 32];
        self.ip = start;
        self.current = start;
        self.status = Status::Running;
        self.executed = 0;
        self.barriers_sent = 0;
        self.scratch.fill(0);
        self.private.fill(0);
        self.fault = None;
        self.registers.set_state(STATE + 8, mask);
        self.registers.set_state(STATE + 12, mask);
        self.registers.set_state(CONTROL, cr0);
        self.env = FloatEnv::from_cr0(cr0);
    }

    /// Reads cr0 again after it was written.
    pub(crate) fn refresh_control(&mut self) {
        self.env = FloatEnv::from_cr0(self.registers.u32(CONTROL));
    }

    /// Notifications received and not yet waited for.
    pub(crate) fn notifications(&self) -> u32 {
        self.registers.u32(NOTIFICATION)
    }

    pub(crate) fn set_notifications(&mut self, count: u32) {
        self.registers.set_state(NOTIFICATION, count);
    }

    /// Stops the thread; the first fault counts.
    #[cold]
    pub(crate) fn fail(&mut self, fault: Fault) {
        self.fault.get_or_insert(fault);
        self.status = Status::Failed;
    }

    /// Logs that a register byte was read that was never written, if one of the bytes was not.
    #[cold]
    pub(crate) fn report_unwritten(&mut self, offset: usize, size: usize, channel: Option<u8>) {
        if let Some(register) = self.registers.first_unwritten(offset, size) {
            let problem = Problem::UninitializedRead { register };
            self.report(problem, channel);
        }
    }

    /// [`report_unwritten`](Self::report_unwritten), for code that rarely finds any.
    pub(crate) fn report_unwritten_if_any(&mut self, offset: usize, size: usize) {
        if self.registers.first_unwritten(offset, size).is_some() {
            self.report_unwritten(offset, size, None);
        }
    }

    /// A dword of the registers, logged if it was never written.
    #[inline]
    pub(crate) fn written_u32(&mut self, offset: usize, channel: usize) -> u32 {
        if !self.registers.all_written(offset, 4) {
            self.report_unwritten(offset, 4, Some(channel as u8));
        }
        self.registers.u32(offset)
    }

    /// Logs a problem at the current instruction.
    #[cold]
    pub(crate) fn report(&mut self, problem: Problem, channel: Option<u8>) {
        if self.log.add(problem, self.current, channel) {
            self.fail(Fault::Logged);
        }
    }
}
