//! Options and results of a dispatch.

use crate::{Class, Diagnostic};

/// What a diagnostic leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// Nothing: the program goes on as on hardware and nothing is recorded.
    Ignore,
    /// It is recorded in the [`Report`].
    Warn,
    /// It stops the dispatch with [`EmuError::Diagnostic`](crate::EmuError::Diagnostic).
    Error,
}

/// When threads of a workgroup see each other's writes to memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MemoryModel {
    /// At once.
    #[default]
    Strong,
    /// Late and out of order, but for what fences and barriers promise, so that a missing fence
    /// shows; threads take turns after every message. The seed says which of all that may happen
    /// does. Workgroups still follow one after the other, each seeing what those before it left.
    Weak {
        /// Any number.
        seed: u64,
    },
}

/// How to run a dispatch.
#[derive(Clone, Debug)]
pub struct Options {
    /// What each class of diagnostics leads to, in the order of [`Class::ALL`].
    pub policies: [Policy; Class::ALL.len()],
    /// Instructions one thread may execute. Default: 2^30.
    pub budget: u64,
    /// Host threads to use; 0 means one per core. Programs with atomics on global memory
    /// always use one, so that results never depend on the host's scheduling; so does a target
    /// without threads.
    pub host_threads: usize,
    /// Workgroup that the dispatch starts at.
    pub base_group: [u32; 3],
    /// What typed reads out of bounds return in the fourth channel: 1 rather than 0. Hardware is
    /// documented to do either.
    pub alpha_one: bool,
    /// Typed writes keep the low bits of integers that the format cannot hold, rather than the
    /// nearest that it can. The manuals promise neither.
    pub wrap_integers: bool,
    /// When threads see each other's writes.
    pub memory: MemoryModel,
    /// Added to the global invocation ids of programs that ask for it.
    pub global_offset: [u32; 3],
}

impl Default for Options {
    /// Every diagnostic is a warning.
    fn default() -> Options {
        Options {
            policies: [Policy::Warn; Class::ALL.len()],
            budget: 1 << 30,
            host_threads: 0,
            base_group: [0; 3],
            alpha_one: false,
            wrap_integers: false,
            memory: MemoryModel::Strong,
            global_offset: [0; 3],
        }
    }
}

impl Options {
    /// Every diagnostic is an error.
    pub fn strict() -> Options {
        Options { policies: [Policy::Error; Class::ALL.len()], ..Options::default() }
    }

    /// With a policy for one class of diagnostics.
    pub fn with_policy(mut self, class: Class, policy: Policy) -> Options {
        self.policies[class as usize] = policy;
        self
    }

    /// The policy for a class.
    pub fn policy(&self, class: Class) -> Policy {
        self.policies[class as usize]
    }
}

/// What a dispatch did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Instructions executed by all threads.
    pub instructions: u64,
    /// The same in units of eight channels: an instruction of sixteen counts twice, one of
    /// eight or fewer once.
    pub simd8_instructions: u64,
    /// Messages sent.
    pub sends: u64,
    /// Hardware threads run.
    pub threads: u64,
    /// Diagnostics, one per class and instruction, in order of the code.
    pub diagnostics: Vec<Diagnostic>,
}
