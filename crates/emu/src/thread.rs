//! The state of one hardware thread: registers, channel masks, and the problems found.

use crate::Problem;
use crate::host::Host;
use crate::log::Log;
use crate::recorder::SharedRecorder;
use crate::registers::{CONTROL, NOTIFICATION, Registers, STATE};
use crestline_isa::semantics::FloatEnv;

/// Fills memory with zeros. Most programs have no memory of the kind, and `memset` is slow for no bytes, too.
pub(crate) fn clear(memory: &mut [u8]) {
    if !memory.is_empty() {
        memory.fill(0);
    }
}

/// The state of a hardware thread between two instructions.
pub(crate) struct Thread {
    pub(crate) host: Host,
    pub(crate) registers: Registers,
    /// The accumulators of integer operations with all their bits; the registers contain only the low 32 bits of each.
    pub(crate) accumulators: [i64; 16],
    /// Exponents of the math macro extension registers.
    pub(crate) extensions: [[i32; 16]; 8],
    /// Whether an exponent of `extensions` was written.
    pub(crate) extended: bool,
    /// Float modes, decoded from cr0.
    pub(crate) env: FloatEnv,
    /// The active channels, one bit each.
    pub(crate) active: u32,
    /// The channels with which the thread was dispatched.
    pub(crate) dispatched: u32,
    /// For each inactive channel, the index of the instruction at which it waits.
    pub(crate) waiting_at: [u32; 32],
    /// Index of the next instruction.
    pub(crate) ip: usize,
    /// Index of the current instruction, for diagnostics.
    pub(crate) current: usize,
    pub(crate) status: Status,
    /// Instructions executed.
    pub(crate) executed: u64,
    /// Instructions executed, each counted once per eight channels.
    pub(crate) executed_simd8: u64,
    pub(crate) sends: u64,
    /// Number of barrier messages whose notification has not arrived.
    pub(crate) barriers_sent: u32,
    /// Scratch memory, and its byte offset from the base of stateless memory.
    pub(crate) scratch: Vec<u8>,
    pub(crate) scratch_base: u32,
    /// The thread id, which r0.5 contains in bits 9:0.
    pub(crate) thread_id: u32,
    /// Private memory, addressed through 64-bit addresses.
    pub(crate) private: Vec<u8>,
    /// Dwords of a message's response and their offsets in the registers; `None` if the memory was never written. They
    /// are stored when the message is complete, because the response may overlap the payload.
    pub(crate) response: Vec<(usize, Option<u32>)>,
    /// Records the memory that messages access, for a profile.
    pub(crate) recorder: Option<SharedRecorder>,
    pub(crate) log: Log,
    /// The reason why the thread failed.
    pub(crate) fault: Option<Fault>,
}

/// Whether a thread can continue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    Running,
    /// Can continue, but other threads run first.
    Paused,
    /// Waits for a notification.
    Waiting,
    Ended,
    /// The thread stopped because of a [`Fault`].
    Failed,
}

/// The reason why a thread cannot continue.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Fault {
    Budget,
    PastTheEnd,
    JumpTarget(i64),
    Message(String),
    /// The log contains a diagnostic that is an error.
    Logged,
    /// An observer ended the run.
    Stopped,
}

impl Thread {
    pub(crate) fn new(log: Log) -> Thread {
        Thread {
            host: Host::new(),
            registers: Registers::new(),
            accumulators: [0; 16],
            extensions: [[0; 16]; 8],
            extended: false,
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
            recorder: None,
            log,
            fault: None,
        }
    }

    /// Resets the thread to its state at thread start, before the payload is written. `start` is the index of the first
    /// instruction.
    pub(crate) fn reset(&mut self, start: usize, mask: u32, cr0: u32) {
        self.registers.reset();
        self.accumulators = [0; 16];
        if self.extended {
            self.extensions = [[0; 16]; 8];
            self.extended = false;
        }
        self.active = mask;
        self.dispatched = mask;
        self.waiting_at = [0; 32];
        self.ip = start;
        self.current = start;
        self.status = Status::Running;
        self.executed = 0;
        self.barriers_sent = 0;
        clear(&mut self.scratch);
        clear(&mut self.private);
        self.fault = None;
        self.registers.set_state(STATE + 8, mask);
        self.registers.set_state(STATE + 12, mask);
        self.registers.set_state(CONTROL, cr0);
        self.env = FloatEnv::from_cr0(cr0);
    }

    /// Decodes the float modes again after cr0 was written.
    pub(crate) fn refresh_control(&mut self) {
        self.env = FloatEnv::from_cr0(self.registers.u32(CONTROL));
    }

    /// Number of notifications that have arrived and that no instruction has waited for yet.
    pub(crate) fn notifications(&self) -> u32 {
        self.registers.u32(NOTIFICATION)
    }

    pub(crate) fn set_notifications(&mut self, count: u32) {
        self.registers.set_state(NOTIFICATION, count);
    }

    /// Stops the thread. If it has a fault already, that one is kept.
    #[cold]
    pub(crate) fn fail(&mut self, fault: Fault) {
        self.fault.get_or_insert(fault);
        self.status = Status::Failed;
    }

    /// Reports an uninitialised read if one of `size` bytes from `offset` was never written.
    #[cold]
    pub(crate) fn report_unwritten(&mut self, offset: usize, size: usize, channel: Option<u8>) {
        if let Some(register) = self.registers.first_unwritten(offset, size) {
            let problem = Problem::UninitializedRead { register };
            self.report(problem, channel);
        }
    }

    /// Like [`report_unwritten`](Self::report_unwritten), but fast if all bytes were written.
    pub(crate) fn report_unwritten_if_any(&mut self, offset: usize, size: usize) {
        if self.registers.first_unwritten(offset, size).is_some() {
            self.report_unwritten(offset, size, None);
        }
    }

    /// A dword of the registers. Reports it if it was never written.
    #[inline]
    pub(crate) fn written_u32(&mut self, offset: usize, channel: usize) -> u32 {
        if !self.registers.all_written(offset, 4) {
            self.report_unwritten(offset, 4, Some(channel as u8));
        }
        self.registers.u32(offset)
    }

    /// Records a problem at the current instruction, and stops the thread if the problem's policy is error.
    #[cold]
    pub(crate) fn report(&mut self, problem: Problem, channel: Option<u8>) {
        if self.log.add(problem, self.current, channel) {
            self.fail(Fault::Logged);
        }
    }
}
