//! Options and results of a dispatch.

use crate::counters::Counters;
use crate::{Class, Diagnostic};

/// What the emulator does when a diagnostic of a class occurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// Nothing: the program continues as on hardware, and nothing is recorded.
    Ignore,
    /// The diagnostic is recorded in the [`Report`], and the program continues.
    Warn,
    /// The dispatch stops with [`EmuError::Diagnostic`](crate::EmuError::Diagnostic).
    Error,
}

/// The memory model: when threads of a workgroup see each other's writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MemoryModel {
    /// Writes are visible immediately.
    #[default]
    Strong,
    /// Writes become visible late and out of order, except where fences and barriers order them. A missing fence
    /// therefore changes results. Threads alternate after every message. The seed selects one of the allowed
    /// orders. Workgroups still run one after another, and each sees all writes of the earlier ones.
    Weak {
        /// Any number.
        seed: u64,
    },
}

/// Options of a dispatch.
#[derive(Clone, Debug)]
pub struct Options {
    /// The policy of each class of diagnostics, in the order of [`Class::ALL`].
    pub policies: [Policy; Class::ALL.len()],
    /// Number of instructions that one thread may execute. Default: 2^30.
    pub budget: u64,
    /// Number of host threads; 0 means one per core. Programs with atomics on global memory
    /// always use one, so that results do not depend on the host's scheduling. A host
    /// without threads also uses one.
    pub host_threads: usize,
    /// Id of the first workgroup of the dispatch.
    pub base_group: [u32; 3],
    /// Whether typed reads out of bounds return 1 instead of 0 in the fourth channel. The manuals
    /// allow both.
    pub alpha_one: bool,
    /// Whether typed writes of integers that the format cannot represent keep the low bits instead of the
    /// nearest value. The manuals specify neither.
    pub wrap_integers: bool,
    /// When threads see each other's writes.
    pub memory: MemoryModel,
    /// Offset of global invocation ids, for programs whose payload contains it.
    pub global_offset: [u32; 3],
    /// Number of the view that a draw call draws, for programs whose payload contains it.
    pub view_index: u32,
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
            view_index: 0,
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

impl Report {
    /// Adds the counts and diagnostics of another part of the same draw call.
    pub fn add(&mut self, other: Report) {
        self.instructions += other.instructions;
        self.simd8_instructions += other.simd8_instructions;
        self.sends += other.sends;
        self.threads += other.threads;
        self.counters.add(&other.counters);
        for diagnostic in other.diagnostics {
            let key = |one: &Diagnostic| (one.location.instruction, one.problem.class());
            let known = self.diagnostics.iter_mut().find(|one| key(one) == key(&diagnostic));
            match known {
                Some(known) => known.count += diagnostic.count,
                None => self.diagnostics.push(diagnostic),
            }
        }
        self.diagnostics.sort_by_key(|one| (one.location.instruction, one.problem.class()));
    }
}

/// Counts and diagnostics of a dispatch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Instructions executed by all threads.
    pub instructions: u64,
    /// Instructions executed by all threads, in units of eight channels: an instruction of sixteen channels counts
    /// twice, one of eight or fewer once.
    pub simd8_instructions: u64,
    /// Messages sent.
    pub sends: u64,
    /// Hardware threads run.
    pub threads: u64,
    /// Counts of vertices, primitives and invocations.
    pub counters: Counters,
    /// Diagnostics, one per class and instruction, in order of the code.
    pub diagnostics: Vec<Diagnostic>,
}
