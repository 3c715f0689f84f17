//! The diagnostics of one host thread, counted per class and instruction.

use crate::{Class, Diagnostic, Location, Options, Policy, Problem};
use std::collections::BTreeMap;

/// Diagnostics, one entry per instruction and class.
#[derive(Clone, Debug)]
pub(crate) struct Log {
    policies: [Policy; Class::ALL.len()],
    entries: BTreeMap<(usize, Class), Diagnostic>,
    /// The workgroup of the running thread.
    pub(crate) group: [u32; 3],
    /// The running thread's index in the workgroup.
    pub(crate) thread: u32,
    /// The first diagnostic that is an error.
    pub(crate) error: Option<Diagnostic>,
    /// The diagnostic that was added last, until an observer takes it.
    pub(crate) newest: Option<Diagnostic>,
}

impl Log {
    pub(crate) fn new(options: &Options) -> Log {
        Log {
            policies: Class::ALL.map(|class| options.policy(class)),
            entries: BTreeMap::new(),
            group: [0; 3],
            thread: 0,
            error: None,
            newest: None,
        }
    }

    /// Records a problem according to its policy. Returns whether it is an error. Byte offsets of instructions are
    /// filled in when the log is [taken](Self::take).
    pub(crate) fn add(
        &mut self,
        problem: Problem,
        instruction: usize,
        channel: Option<u8>,
    ) -> bool {
        let class = problem.class();
        let policy = self.policies[class as usize];
        if policy == Policy::Ignore {
            return false;
        }
        let location =
            Location { group: self.group, thread: self.thread, instruction, offset: 0, channel };
        let diagnostic = Diagnostic { problem, location, count: 1, resource: None };
        self.newest = Some(diagnostic);
        if policy == Policy::Error {
            self.error.get_or_insert(diagnostic);
            return true;
        }
        self.entries
            .entry((instruction, class))
            .and_modify(|entry| entry.count += 1)
            .or_insert(diagnostic);
        false
    }

    /// Removes and returns the entries.
    pub(crate) fn take(&mut self) -> BTreeMap<(usize, Class), Diagnostic> {
        std::mem::take(&mut self.entries)
    }
}
