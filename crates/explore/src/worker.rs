//! A child process for each compilation, with a limit of time. It limits its own memory.

use std::io::{self, Read, Write};
use std::process::{Child, Command};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::MAX_ANSWER_BYTES;

/// The most time of a compilation.
const PATIENCE: Duration = Duration::from_secs(20);
/// The most time between the end of a process's output and its end.
const GRACE: Duration = Duration::from_secs(2);

/// Makes the command of the child process: it limits its memory, reads a request from standard input until the end,
/// and writes [`answer`](crate::answer) to standard output. All three streams must be pipes.
pub type StartWorker = dyn Fn() -> io::Result<Command> + Send + Sync;

/// The place of the current child process.
#[derive(Default)]
pub(crate) struct Worker {
    current: Mutex<Option<Arc<Mutex<Child>>>>,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WorkerError {
    /// The process cannot be started.
    #[error("the process that compiles cannot be started: {0}")]
    Start(#[from] io::Error),
    /// A newer request ended the process.
    #[error("a newer compilation ended this one")]
    Cancelled,
    /// The time is over.
    #[error("the compilation takes more than {} seconds", PATIENCE.as_secs())]
    Time,
    /// The process ended without an answer.
    #[error(
        "the process that compiles ended without a result: it may need more memory than its limit"
    )]
    Ended,
}

/// Locks a mutex. The data stay valid if a thread panics, so poisoning is ignored.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Worker {
    /// Ends the process of an older request, and returns the answer of a new process.
    pub(crate) fn ask(
        &self,
        start: &StartWorker,
        request: Vec<u8>,
    ) -> Result<Vec<u8>, WorkerError> {
        let mut child = start()?.spawn()?;
        let streams = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let child = Arc::new(Mutex::new(child));
        let older = lock(&self.current).replace(Arc::clone(&child));
        if let Some(older) = older {
            end(&older);
        }
        let answer = talk(streams, request);
        let answer = answer.recv_timeout(PATIENCE);
        let succeeded = match answer {
            Ok(_) => finish(&child),
            Err(_) => {
                end(&child);
                false
            }
        };
        let mut current = lock(&self.current);
        if !current.as_ref().is_some_and(|newest| Arc::ptr_eq(newest, &child)) {
            return Err(WorkerError::Cancelled);
        }
        *current = None;
        match answer {
            Err(_) => Err(WorkerError::Time),
            Ok(answer) if succeeded && !answer.is_empty() => Ok(answer),
            Ok(_) => Err(WorkerError::Ended),
        }
    }

    /// Ends the current process.
    pub(crate) fn cancel(&self) {
        if let Some(child) = lock(&self.current).take() {
            end(&child);
        }
    }
}

type Streams = (
    Option<std::process::ChildStdin>,
    Option<std::process::ChildStdout>,
    Option<std::process::ChildStderr>,
);

/// Writes the request and reads the answer, on threads, which end with the process.
fn talk((stdin, stdout, stderr): Streams, request: Vec<u8>) -> std::sync::mpsc::Receiver<Vec<u8>> {
    let (send, receive) = std::sync::mpsc::channel();
    thread::spawn(move || {
        if let Some(mut stdin) = stdin {
            // If the process has ended, its missing answer is the error.
            let _ = stdin.write_all(&request);
        }
        let mut answer = Vec::new();
        if let Some(stdout) = stdout {
            let _ = stdout.take(MAX_ANSWER_BYTES).read_to_end(&mut answer);
        }
        // Sending fails if the receiver has stopped waiting.
        let _ = send.send(answer);
    });
    thread::spawn(move || {
        // Read and dropped, so that the process does not block on a full pipe.
        stderr.map(|mut stderr| io::copy(&mut stderr, &mut io::sink()))
    });
    receive
}

/// Kills a process.
fn end(child: &Mutex<Child>) {
    let mut child = lock(child);
    // Both calls do nothing if the process has ended.
    let _ = child.kill();
    let _ = child.wait();
}

/// Waits a short time for the end of a process that has closed its output, then kills it. Returns whether it ended with
/// success.
fn finish(child: &Mutex<Child>) -> bool {
    let deadline = Instant::now() + GRACE;
    while Instant::now() < deadline {
        if let Ok(Some(status)) = lock(child).try_wait() {
            return status.success();
        }
        thread::sleep(Duration::from_micros(200));
    }
    end(child);
    false
}
