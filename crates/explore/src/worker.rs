//! A child process for each compilation and each run, with a limit of time. It limits its own memory.

use std::io::{self, Read, Write};
use std::process::{Child, Command};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::MAX_ANSWER_BYTES;

/// The most time of a compilation or a run.
const PATIENCE: Duration = Duration::from_secs(20);
/// The most time between the end of a process's output and its end.
const GRACE: Duration = Duration::from_secs(2);

/// Makes the command of the child process: it limits its memory, may call [`prepare`](crate::prepare), reads a request from standard input until the end,
/// and writes [`answer`](crate::answer) to standard output. All three streams must be pipes.
pub type StartWorker = dyn Fn() -> io::Result<Command> + Send + Sync;

/// The place of the current child process, and of one that waits for the next request. A process needs time until it can
/// compile, most of it for the tables of `glslang`.
pub(crate) struct Worker {
    start: Arc<StartWorker>,
    current: Mutex<Option<Arc<Mutex<Child>>>>,
    spare: Mutex<Option<Child>>,
    patience: Duration,
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.cancel();
        if let Some(spare) = lock(&self.spare).take() {
            end(&Mutex::new(spare));
        }
    }
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WorkerError {
    /// The process cannot be started.
    #[error("the child process cannot be started: {0}")]
    Start(#[from] io::Error),
    /// A newer request or the page ended the process.
    #[error("the request was cancelled, or a newer one replaced it")]
    Cancelled,
    /// The time is over.
    #[error("this takes more than {} seconds", .0.as_secs())]
    Time(Duration),
    /// The process ended without an answer.
    #[error("the child process ended without a result: it may need more memory than its limit")]
    Ended,
}

/// Locks a mutex. The data stay valid if a thread panics, so poisoning is ignored.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Worker {
    pub(crate) fn new(start: Arc<StartWorker>) -> Worker {
        Worker { start, current: Mutex::default(), spare: Mutex::default(), patience: PATIENCE }
    }

    /// Starts the process for the next request, unless there is one. If it cannot be started, the next request says why.
    pub(crate) fn prepare(&self) {
        let mut spare = lock(&self.spare);
        if spare.is_none() {
            *spare = (self.start)().and_then(|mut command| command.spawn()).ok();
        }
    }

    /// The process that waits for a request, or else a new one.
    fn child(&self) -> io::Result<Child> {
        let spare = lock(&self.spare).take();
        if let Some(mut spare) = spare
            && matches!(spare.try_wait(), Ok(None))
        {
            return Ok(spare);
        }
        (self.start)()?.spawn()
    }

    /// Ends the process of an older request, and returns the answer of another process.
    pub(crate) fn ask(&self, request: Vec<u8>) -> Result<Vec<u8>, WorkerError> {
        let answer = self.answer(request);
        self.prepare();
        answer
    }

    fn answer(&self, request: Vec<u8>) -> Result<Vec<u8>, WorkerError> {
        let mut child = self.child()?;
        let streams = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let child = Arc::new(Mutex::new(child));
        let older = lock(&self.current).replace(Arc::clone(&child));
        if let Some(older) = older {
            end(&older);
        }
        let answer = talk(streams, request);
        let answer = answer.recv_timeout(self.patience);
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
            Err(_) => Err(WorkerError::Time(self.patience)),
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

#[cfg(all(test, unix))]
mod tests {
    use std::process::Stdio;

    use super::*;

    /// A worker whose requests are scripts of the shell.
    fn worker() -> Worker {
        Worker::new(Arc::new(|| {
            let mut command = Command::new("sh");
            command.args(["-c", "eval \"$(cat)\""]);
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
            Ok(command)
        }))
    }

    fn ask(worker: &Worker, script: &str) -> Result<Vec<u8>, WorkerError> {
        worker.ask(script.as_bytes().to_vec())
    }

    #[test]
    fn answers_come_back() {
        let worker = worker();
        // The second and the third come from a process that was started before.
        for text in ["a", "b", "c"] {
            let found = ask(&worker, &format!("printf {text}")).expect("an answer");
            assert_eq!(found, text.as_bytes());
            assert!(lock(&worker.current).is_none() && lock(&worker.spare).is_some());
        }
    }

    #[test]
    fn a_spare_process_that_has_ended_is_not_used() {
        let worker = worker();
        worker.prepare();
        if let Some(spare) = &mut *lock(&worker.spare) {
            spare.kill().expect("it runs");
            spare.wait().expect("it has ended");
        }
        assert_eq!(ask(&worker, "printf a").expect("an answer"), b"a");
    }

    #[test]
    fn a_process_that_fails_has_no_answer() {
        let worker = worker();
        for script in [
            "printf a; exit 1",
            "true",
            "printf a; kill -9 $$",
            "printf a; exec >&-; exec sleep 60",
        ] {
            let found = ask(&worker, script);
            assert!(matches!(found, Err(WorkerError::Ended)), "{script}: {found:?}");
        }
        let none = Worker::new(Arc::new(|| Ok(Command::new("/no/such/program"))));
        let found = none.ask(Vec::new());
        assert!(matches!(found, Err(WorkerError::Start(_))), "{found:?}");
    }

    #[test]
    fn a_process_that_takes_too_long_is_ended() {
        let mut worker = worker();
        worker.patience = Duration::from_millis(500);
        let start = Instant::now();
        let found = ask(&worker, "exec sleep 60");
        assert!(matches!(found, Err(WorkerError::Time(_))), "{found:?}");
        assert!(start.elapsed() < Duration::from_secs(30));
    }

    #[test]
    fn an_answer_without_an_end_is_cut_off() {
        // The limit of bytes ends the reading, which ends the process.
        let found = ask(&worker(), "exec yes");
        assert!(matches!(found, Err(WorkerError::Ended)), "no answer: {}", found.is_ok());
    }

    #[test]
    fn a_request_can_be_cancelled_and_replaced() {
        for newer in [false, true] {
            let worker = worker();
            let older = thread::scope(|scope| {
                let older = scope.spawn(|| ask(&worker, "exec sleep 60"));
                while lock(&worker.current).is_none() {
                    thread::sleep(Duration::from_millis(1));
                }
                if newer {
                    assert_eq!(ask(&worker, "printf c").expect("an answer"), b"c");
                } else {
                    worker.cancel();
                }
                older.join().expect("no panic")
            });
            assert!(matches!(older, Err(WorkerError::Cancelled)), "{older:?}");
            assert!(lock(&worker.current).is_none());
        }
    }
}
