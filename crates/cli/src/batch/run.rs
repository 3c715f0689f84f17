//! A running batch: threads that let processes compile, and the file of rows of a batch that is not complete.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crestline_batch::{Outcome, Results, Row, from_json_lines, json_lines, row_lines};

use super::cached::Cached;
use super::process::{Answer, Limits, Process, Request, Wanted};
use super::progress::Progress;
use super::task::Task;
use super::{programs, unknown};
use crate::error::{Code, Failure, Origin};
use crate::files;

/// The file with the rows of a batch that is not complete.
pub(super) struct Part {
    pub(super) file: File,
    /// The rows that an interrupted batch with the same settings left.
    pub(super) found: Results,
}

impl Part {
    /// Opens the file, and reads its rows if a batch with the same settings wrote them.
    pub(super) fn open(path: &Path, settings: &str) -> Result<Part, Failure> {
        let fail = |error: io::Error| {
            Failure::new(Code::Write, format!("cannot write the file: {error}"))
                .at(Origin::file(files::shown(path)))
        };
        let left = match std::fs::read_to_string(path) {
            Ok(text) => from_json_lines(&text, true).ok(),
            Err(_) => None,
        };
        if let Some((found, tool, bytes)) = left
            && tool == settings
        {
            let file = OpenOptions::new().append(true).open(path).map_err(fail)?;
            // An incomplete last line is removed.
            file.set_len(bytes as u64).map_err(fail)?;
            return Ok(Part { file, found });
        }
        let mut file = File::create(path).map_err(fail)?;
        file.write_all(json_lines(&[], settings).as_bytes()).map_err(fail)?;
        Ok(Part { file, found: Results::default() })
    }
}

/// A running batch.
pub(super) struct Run<'a> {
    pub(super) tasks: &'a [Task],
    pub(super) next: AtomicUsize,
    /// The file of rows, all rows, and the progress.
    pub(super) done: Mutex<(File, Vec<Row>, Progress)>,
    pub(super) limits: Limits,
    /// Specialization constants as `--spec` has them.
    pub(super) spec: &'a [String],
    /// The folder for programs.
    pub(super) programs: Option<&'a Path>,
    pub(super) cached: Option<&'a Cached>,
}

impl Run<'_> {
    /// Takes modules until there are none, and lets a process compile them.
    pub(super) fn work(&self) -> Result<(), Failure> {
        let mut process: Option<Process> = None;
        while let Some(task) = self.tasks.get(self.next.fetch_add(1, Ordering::Relaxed)) {
            let with_programs = self.programs.is_some() || self.cached.is_some();
            let answer = match task.request(self.spec, with_programs) {
                _ if task.wanted.is_empty() => Answer::default(),
                Ok(request) => self.ask(&request, &mut process)?,
                Err(failure) => {
                    let (code, message) = (Some(failure.code()), failure.message());
                    without(&task.names[0], &task.wanted, Outcome::Refused, code, message)
                }
            };
            // A module that cannot be read has rows that say so. One that changed meanwhile has not the hash of its key.
            let hash = task.input.hash();
            if let Some(cached) = self.cached
                && hash == task.hash
            {
                cached.store(task, &answer);
            }
            if let Some(folder) = self.programs {
                for list in [&task.cached.programs, &answer.programs] {
                    programs::write(folder, &task.names[0], list)?;
                }
            }
            let mut rows = task.rows(&task.cached.rows, hash.as_deref());
            rows.extend(task.rows(&answer.rows, hash.as_deref()));
            let lines = row_lines(&rows);
            let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
            let (file, all, progress) = &mut *done;
            // One write for all rows of a module, so that a module is there whole or not at all.
            file.write_all(lines.as_bytes()).map_err(|error| {
                Failure::new(Code::Write, format!("cannot write the rows: {error}"))
            })?;
            all.append(&mut rows);
            progress.step();
        }
        Ok(())
    }

    /// Lets a process compile a module, and starts one if there is none.
    fn ask(&self, request: &Request, process: &mut Option<Process>) -> Result<Answer, Failure> {
        let started = process.take().map_or_else(|| Process::start(self.limits.memory), Ok);
        let mut started = started.map_err(|error| {
            Failure::new(Code::Batch, format!("cannot start a process that compiles: {error}"))
        })?;
        match started.ask(request, self.limits.time) {
            Ok(answer) => {
                *process = Some(started);
                Ok(answer)
            }
            Err(stop) => {
                let reason = started.reason(stop, self.limits);
                let outcome = Outcome::GivenUp;
                Ok(without(&request.module, &request.wanted, outcome, None, &reason))
            }
        }
    }
}

/// The rows of a module that was not compiled.
fn without(
    module: &str,
    wanted: &[Wanted],
    outcome: Outcome,
    code: Option<&str>,
    message: &str,
) -> Answer {
    let row = |wanted: &Wanted| unknown(module, wanted).without(outcome, code, message);
    Answer { rows: wanted.iter().map(row).collect(), programs: Vec::new() }
}
