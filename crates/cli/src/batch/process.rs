//! The processes that compile the modules of a batch: what they are asked and answer, and how they are started and ended.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use crestline_batch::Row;
use serde::{Deserialize, Serialize};

use super::COMMAND;
use crate::reader;

/// The most bytes of a process's answer.
const ANSWER_BYTES: u64 = 256 << 20;

/// The last bytes of a process's standard error that are kept.
const SAID_BYTES: usize = 4096;

/// What a process may use for a module.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) time: Duration,
    /// In bytes.
    pub(super) memory: u64,
}

/// A module to compile.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Request {
    /// The module's name in rows.
    pub(super) module: String,
    pub(super) source: Source,
    /// What to compile for.
    pub(super) wanted: Vec<Wanted>,
    /// Specialization constants as `--spec` has them. A module takes those that it has.
    pub(super) spec: Vec<String>,
    /// Whether the answer has the programs.
    pub(super) programs: bool,
}

/// Where a module comes from.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Source {
    /// A file in any source language.
    File(PathBuf),
    /// SPIR-V.
    Module {
        /// The module.
        words: Vec<u32>,
        /// The stage and entry point to compile; all, if it is not given.
        entry: Option<(String, String)>,
        /// Specialization constants: `SpecId` and bits.
        specialization: Vec<(u32, u64)>,
    },
}

/// A target and a width by their names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Wanted {
    pub(super) target: String,
    pub(super) width: String,
}

/// What a process answers.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Answer {
    pub(super) rows: Vec<Row>,
    pub(super) programs: Vec<Compiled>,
}

/// A program of a module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Compiled {
    pub(super) entry: String,
    pub(super) stage: String,
    pub(super) wanted: Wanted,
    /// The program as `compile --emit json` writes it.
    pub(super) program: String,
}

/// Why a process gave no rows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// It took too long.
    Time,
    /// It ended.
    End,
}

/// A process that compiles modules. It is killed when this value is dropped.
pub(super) struct Process {
    child: Child,
    requests: Option<ChildStdin>,
    answers: Receiver<String>,
    said: Option<JoinHandle<String>>,
}

impl Process {
    pub(super) fn start(memory: u64) -> io::Result<Process> {
        let mut child = reader::child()?.args([COMMAND, &memory.to_string()]).spawn()?;
        let (send, answers) = channel();
        if let Some(stdout) = child.stdout.take() {
            std::thread::spawn(move || {
                let mut stdout = BufReader::new(stdout);
                loop {
                    let mut line = String::new();
                    let read = stdout.by_ref().take(ANSWER_BYTES).read_line(&mut line);
                    if !read.is_ok_and(|bytes| bytes > 0) || send.send(line).is_err() {
                        return;
                    }
                }
            });
        }
        let said = child.stderr.take().map(|stderr| std::thread::spawn(move || last_said(stderr)));
        let requests = child.stdin.take();
        Ok(Process { child, requests, answers, said })
    }

    /// Lets the process compile a module.
    pub(super) fn ask(&mut self, request: &Request, time: Duration) -> Result<Answer, Stop> {
        let mut line = serde_json::to_string(request).map_err(|_| Stop::End)?;
        line.push('\n');
        let requests = self.requests.as_mut().ok_or(Stop::End)?;
        requests.write_all(line.as_bytes()).map_err(|_| Stop::End)?;
        match self.answers.recv_timeout(time) {
            Ok(line) => serde_json::from_str(&line).map_err(|_| Stop::End),
            Err(RecvTimeoutError::Timeout) => Err(Stop::Time),
            Err(RecvTimeoutError::Disconnected) => Err(Stop::End),
        }
    }

    /// Ends the process and gives the reason why it did not compile a module.
    pub(super) fn reason(mut self, stop: Stop, limits: Limits) -> String {
        // The process has ended or is to end. An error here changes nothing.
        drop(self.requests.take());
        if stop == Stop::Time {
            let _ = self.child.kill();
        }
        let status = self.child.wait();
        if stop == Stop::Time {
            return format!("it takes more than {} seconds", limits.time.as_secs());
        }
        let said = self.said.take().and_then(|said| said.join().ok()).unwrap_or_default();
        if said.contains("memory allocation of") {
            return format!("it takes more than {} MiB of memory", limits.memory >> 20);
        }
        if said.contains("overflowed its stack") {
            return "it takes more than the stack of the compiler".to_owned();
        }
        let status = status.map_or("no status".to_owned(), |status| status.to_string());
        let said = said.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        format!(
            "the process that compiles it ended ({status}), which is a bug of Crestline: {said}"
        )
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Normally the process ends because its standard input ends; killing it then does nothing.
        drop(self.requests.take());
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The last bytes of a process's standard error.
fn last_said(mut stderr: impl Read) -> String {
    let (mut kept, mut buffer) = (Vec::new(), [0; SAID_BYTES]);
    while let Ok(count @ 1..) = stderr.read(&mut buffer) {
        kept.extend_from_slice(&buffer[..count]);
        let over = kept.len().saturating_sub(SAID_BYTES);
        kept.drain(..over);
    }
    String::from_utf8_lossy(&kept).into_owned()
}
