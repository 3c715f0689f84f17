//! A progress indicator for long runs: the seconds since the start, on a terminal only.

use std::io::{IsTerminal, Write};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Shows the elapsed time until it is dropped.
pub(crate) struct Progress {
    /// Dropping the sender ends the thread.
    running: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    /// Shows `what` and the elapsed time from the first second on. Does nothing if standard error is not a terminal.
    pub(crate) fn start(what: &'static str) -> Progress {
        if !std::io::stderr().is_terminal() {
            return Progress { running: None };
        }
        let (sender, receiver) = channel();
        let start = Instant::now();
        let thread = std::thread::spawn(move || {
            let mut shown = false;
            while receiver.recv_timeout(Duration::from_secs(1)) == Err(RecvTimeoutError::Timeout) {
                // An error does not matter here.
                let _ = write!(std::io::stderr(), "\r{what}: {} s ", start.elapsed().as_secs());
                shown = true;
            }
            if shown {
                let _ = write!(std::io::stderr(), "\r\x1b[K");
            }
        });
        Progress { running: Some((sender, thread)) }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((sender, thread)) = self.running.take() {
            drop(sender);
            // The thread only writes to the terminal, so a panic in it does not matter.
            let _ = thread.join();
        }
    }
}
