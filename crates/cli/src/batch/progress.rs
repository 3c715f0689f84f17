//! The progress of a batch.

use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::time::Instant;

use crestline_batch::{Outcome, Results};

use crate::error::warn;
use crate::files;

/// The progress of a batch on standard error: a line that changes on a terminal, else a line for each tenth.
pub(super) struct Progress {
    total: usize,
    done: usize,
    /// The modules that an earlier run compiled.
    before: usize,
    start: Instant,
    shown: Option<Instant>,
    tenth: usize,
    quiet: bool,
    terminal: bool,
}

impl Progress {
    pub(super) fn new(total: usize, before: usize, quiet: bool) -> Progress {
        if before > 0 && !quiet {
            warn(format_args!("{before} of {total} modules were compiled by an earlier run"));
        }
        Progress {
            total,
            done: before,
            before,
            start: Instant::now(),
            shown: None,
            tenth: before * 10 / total.max(1),
            quiet,
            terminal: io::stderr().is_terminal(),
        }
    }

    /// A module is compiled.
    pub(super) fn step(&mut self) {
        self.done += 1;
        if self.quiet {
            return;
        }
        if self.terminal {
            let recent = self.shown.is_some_and(|shown| shown.elapsed().as_millis() < 200);
            if !recent {
                self.shown = Some(Instant::now());
                // An error does not matter here.
                let _ = write!(io::stderr(), "\r\x1b[K{}", self.line());
            }
        } else if self.done * 10 / self.total.max(1) > self.tenth {
            self.tenth = self.done * 10 / self.total.max(1);
            let _ = writeln!(io::stderr(), "{}", self.line());
        }
    }

    /// The share, the rate, and the time that remains.
    fn line(&self) -> String {
        const CELLS: usize = 30;
        let Progress { total, done, before, start, .. } = self;
        let seconds = start.elapsed().as_secs_f64();
        let rate = (done - before) as f64 / seconds.max(1e-3);
        let left = (total - done) as f64 / rate.max(1e-9);
        let full = done * CELLS / total.max(&1);
        let bar = "#".repeat(full) + &".".repeat(CELLS - full);
        format!("[{bar}] {done} of {total} modules, {rate:.1} per second, {left:.0} s left")
    }

    /// The batch is complete.
    pub(super) fn end(self, results: &Results, path: &Path, cached: Option<usize>) {
        if self.quiet {
            return;
        }
        if self.terminal {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
        let cached = match cached {
            Some(count) => format!(", {count} modules from the cache"),
            None => String::new(),
        };
        let count = |outcome| results.rows().iter().filter(|row| row.outcome == outcome).count();
        let _ = writeln!(
            io::stderr(),
            "{}: {} modules, {} programs, {} refused, {} given up{cached}",
            files::shown(path),
            self.total,
            count(Outcome::Compiled),
            count(Outcome::Refused),
            count(Outcome::GivenUp),
        );
    }
}
