//! Ends a run at a moment of one thread, and copies the state of the thread.

use std::collections::BTreeSet;

use crestline_emu::{Location, State, Step, Trace};
use serde::{Deserialize, Serialize};

use super::Reason;
use crate::compile::hex;

/// The most diagnostics that an answer contains.
const MESSAGES: usize = 200;
/// The most threads that an answer names.
const THREADS: usize = 1000;
/// The most bytes of shared memory and of scratch memory in an answer.
const MEMORY: usize = 64 << 10;

/// A thread: its workgroup and its number in it. In fragment shaders the group is the upper left pixel and the primitive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Place {
    group: [u32; 3],
    index: u32,
}

impl From<&Location> for Place {
    fn from(location: &Location) -> Place {
        Place { group: location.group, index: location.thread }
    }
}

/// Where a run ends.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Stop {
    /// When the thread has executed this number of instructions.
    Executed(u64),
    /// Before an instruction at one of these byte offsets, once the thread has executed `from` instructions.
    Breakpoint {
        /// Instructions that the thread executes at least.
        from: u64,
        /// Byte offsets in the code.
        offsets: Vec<u32>,
    },
    /// When all threads have ended.
    End,
}

/// A diagnostic.
#[derive(Debug, Serialize)]
pub(crate) struct Message {
    text: String,
    offset: u32,
    thread: Place,
}

/// The state of a thread.
#[derive(Debug, Serialize)]
pub(crate) struct Moment {
    thread: Place,
    /// Instructions that the thread has executed.
    executed: u64,
    /// Byte offset of the next instruction, or of the last one if the thread has ended or is at a diagnostic.
    offset: u32,
    ended: bool,
    /// The enabled channels of that instruction; bit 0 is its first channel.
    channels: u32,
    /// The active channels of the thread, and those it was started with.
    active: u32,
    dispatched: u32,
    /// The general registers as hex digits.
    general: String,
    /// A bit for each of their bytes, lowest first, as hex digits: whether it was written.
    written: String,
    flags: [u32; 2],
    address: [u16; 16],
    /// acc0 and acc1 as hex digits.
    accumulators: [String; 2],
    /// sr0.
    state: [u32; 4],
    /// cr0.0.
    control: u32,
    /// n0.0.
    notifications: u32,
    /// The first bytes of shared memory and of scratch memory, as hex digits.
    shared: String,
    scratch: String,
}

impl Moment {
    fn of(state: &State<'_>) -> Moment {
        let registers = state.registers();
        let written = registers.written.chunks(8).map(|bits| {
            bits.iter().enumerate().fold(0, |byte, (n, bit)| byte | u8::from(*bit) << n)
        });
        let start = |bytes: &[u8]| hex(&bytes[..bytes.len().min(MEMORY)]);
        Moment {
            thread: (&state.location).into(),
            executed: state.executed,
            offset: state.location.offset,
            ended: state.ended(),
            channels: state.channels,
            active: state.active(),
            dispatched: state.dispatched(),
            general: hex(&registers.general),
            written: hex(&written.collect::<Vec<u8>>()),
            flags: registers.flags,
            address: registers.address,
            accumulators: registers.accumulators.map(|bytes| hex(&bytes)),
            state: registers.state,
            control: registers.control,
            notifications: registers.notifications,
            shared: start(state.shared()),
            scratch: start(state.scratch()),
        }
    }
}

/// The trace of a run.
pub(crate) struct Watch<'a> {
    /// The thread to look at; `None` until the first thread runs, if the request names none.
    thread: Option<Place>,
    stop: &'a Stop,
    /// The number of diagnostics that do not end the run; `None` if none ends it.
    skip: Option<u64>,
    /// Whether the program is of a stage of a draw call.
    draws: bool,
    seen: u64,
    messages: Vec<Message>,
    threads: BTreeSet<Place>,
    reason: Option<(Reason, Option<String>)>,
    moment: Option<Moment>,
}

impl<'a> Watch<'a> {
    pub(crate) fn new(
        thread: Option<Place>,
        stop: &'a Stop,
        skip: Option<u64>,
        draws: bool,
    ) -> Watch<'a> {
        Watch {
            thread,
            stop,
            skip,
            draws,
            seen: 0,
            messages: Vec::new(),
            threads: BTreeSet::new(),
            reason: None,
            moment: None,
        }
    }

    /// Why the watch ended the run.
    pub(crate) fn reason(&mut self) -> (Reason, Option<String>) {
        self.reason.take().unwrap_or((Reason::Error, None))
    }

    pub(crate) fn threads(&self) -> Vec<Place> {
        self.threads.iter().copied().collect()
    }

    pub(crate) fn seen(&self) -> u64 {
        self.seen
    }

    pub(crate) fn take_messages(&mut self) -> Vec<Message> {
        std::mem::take(&mut self.messages)
    }

    pub(crate) fn into_moment(self) -> Option<Moment> {
        self.moment
    }

    /// Keeps the state and ends the run.
    fn end(&mut self, state: &State<'_>, reason: Reason, message: Option<String>) -> bool {
        self.moment = Some(Moment::of(state));
        self.reason = Some((reason, message));
        false
    }

    /// Counts a diagnostic. Returns its text if it ends the run.
    fn problem(&mut self, state: &State<'_>) -> Option<String> {
        let found = state.problem.filter(|found| !found.is_harmless(self.draws, true))?;
        self.seen += 1;
        if self.messages.len() < MESSAGES {
            let (offset, thread) = (found.location.offset, Place::from(&found.location));
            self.messages.push(Message { text: found.to_string(), offset, thread });
        }
        // A step to a number of instructions goes past the diagnostics before it.
        let steps = matches!(self.stop, Stop::Executed(_));
        let ends = self.skip.is_some_and(|skip| self.seen > skip) && !steps;
        ends.then(|| found.to_string())
    }
}

impl Trace for Watch<'_> {
    fn instruction(&mut self, _: &Step<'_>) {}

    fn compares_registers(&self) -> bool {
        false
    }

    fn before(&mut self, state: &State<'_>) -> bool {
        let place = Place::from(&state.location);
        if state.executed == 0 && self.threads.len() < THREADS {
            self.threads.insert(place);
        }
        if *self.thread.get_or_insert(place) != place {
            return true;
        }
        let reason = match self.stop {
            Stop::Executed(count) if state.executed == *count => Reason::Step,
            Stop::Breakpoint { from, offsets }
                if state.executed >= *from && offsets.contains(&state.location.offset) =>
            {
                Reason::Breakpoint
            }
            _ => return true,
        };
        self.end(state, reason, None)
    }

    fn after(&mut self, state: &State<'_>) -> bool {
        if let Some(text) = self.problem(state) {
            return self.end(state, Reason::Diagnostic, Some(text));
        }
        if self.thread != Some(Place::from(&state.location)) {
            return true;
        }
        if state.failed() {
            // The run ends with the thread's error.
            self.moment = Some(Moment::of(state));
        }
        if !state.ended() {
            return true;
        }
        match self.stop {
            Stop::End => {
                self.moment = Some(Moment::of(state));
                true
            }
            Stop::Executed(_) | Stop::Breakpoint { .. } => self.end(state, Reason::ThreadEnd, None),
        }
    }
}
