//! The work of one host thread in a dispatch: it takes units of work from a queue and runs them.

use super::group::{Common, Shared, run_group};
use crate::exec::run::Observer;
use crate::log::Log;
use crate::thread::Thread;
use crate::{Class, Diagnostic, EmuError, Options, Report};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The work around a thread, in instructions that take the host the same time: its payload, and what becomes of its outputs.
const THREAD_WORK: u64 = 100;

/// Diagnostics by instruction and class.
pub(super) type Diagnostics = BTreeMap<(usize, Class), Diagnostic>;

/// Merges a diagnostic into those of other threads. The entry for an instruction and class keeps the details of the
/// first workgroup and thread, independent of the host threads' timing.
pub(super) fn add(diagnostics: &mut Diagnostics, key: (usize, Class), diagnostic: Diagnostic) {
    let order = |diagnostic: &Diagnostic| {
        let [x, y, z] = diagnostic.location.group;
        ([z, y, x], diagnostic.location.thread)
    };
    diagnostics
        .entry(key)
        .and_modify(|entry| {
            entry.count += diagnostic.count;
            if order(&diagnostic) < order(entry) {
                entry.location = diagnostic.location;
                entry.problem = diagnostic.problem;
                entry.resource = diagnostic.resource;
            }
        })
        .or_insert(diagnostic);
}

/// The units of a dispatch. Workers take them in order.
pub(super) struct Queue<'a> {
    common: &'a Common<'a>,
    options: &'a Options,
    /// Units of the dispatch.
    total: u64,
    /// The next unit to run.
    next: AtomicU64,
    /// The first unit known to have failed. Later units are not run.
    failed: AtomicU64,
}

impl<'a> Queue<'a> {
    pub(super) fn new(common: &'a Common<'a>, options: &'a Options, total: u64) -> Queue<'a> {
        let (next, failed) = (AtomicU64::new(0), AtomicU64::new(u64::MAX));
        Queue { common, options, total, next, failed }
    }

    /// Takes the next unit; `None` if no unit remains to be run.
    fn take(&self) -> Option<u64> {
        let unit = self.next.fetch_add(1, Relaxed);
        (unit < self.total && unit <= self.failed.load(Relaxed)).then_some(unit)
    }
}

/// The results of one host thread.
pub(super) struct Outcome {
    pub(super) report: Report,
    pub(super) diagnostics: Diagnostics,
    /// The first unit of this host thread that failed.
    pub(super) error: Option<(u64, EmuError)>,
}

/// A host thread's hardware threads and their shared memory, which are used for one unit after another.
pub(super) struct Worker<'a> {
    queue: &'a Queue<'a>,
    threads: Vec<Thread>,
    shared: Shared,
    outcome: Outcome,
}

impl<'a> Worker<'a> {
    pub(super) fn new(queue: &'a Queue<'a>) -> Worker<'a> {
        let common = queue.common;
        let threads = (0..common.launch.threads())
            .map(|_| {
                let mut t = Thread::new(Log::new(queue.options));
                t.scratch = vec![0; common.scratch_size as usize];
                t.private = vec![0; common.private_size];
                t
            })
            .collect();
        let memory = vec![0; common.launch.shared_bytes() as usize];
        let weak = common.weak(queue.options.memory);
        Worker {
            queue,
            threads,
            shared: Shared { memory, weak, ..Shared::default() },
            outcome: Outcome {
                report: Report::default(),
                diagnostics: BTreeMap::new(),
                error: None,
            },
        }
    }

    /// Runs at most `most` of the remaining units. Returns false if there are no more units to run.
    pub(super) fn run<O: Observer>(&mut self, observer: &mut O, most: u64) -> bool {
        let Worker { queue, threads, shared, outcome: Outcome { report, error: failure, .. } } =
            self;
        for _ in 0..most {
            if failure.is_some() {
                return false;
            }
            let Some(unit) = queue.take() else { return false };
            let result = queue.common.launch.run(unit, &mut |group, number| {
                let result = run_group(queue.common, group, number, threads, shared, observer);
                report.instructions += threads.iter().map(|t| t.executed).sum::<u64>();
                report.threads += threads.len() as u64;
                result
            });
            if let Err(error) = result {
                queue.failed.fetch_min(unit, Relaxed);
                *failure = Some((unit, error));
            }
        }
        true
    }

    /// The work so far, in instructions.
    pub(super) fn work(&self) -> u64 {
        let report = &self.outcome.report;
        report.instructions + THREAD_WORK * report.threads
    }

    /// Returns the results.
    pub(super) fn finish(mut self) -> Outcome {
        for t in &mut self.threads {
            self.outcome.report.simd8_instructions += t.executed_simd8;
            self.outcome.report.sends += t.sends;
            for (key, mut diagnostic) in t.log.take() {
                diagnostic.resource = self.queue.common.resource(&diagnostic.problem);
                add(&mut self.outcome.diagnostics, key, diagnostic);
            }
        }
        self.outcome
    }
}
