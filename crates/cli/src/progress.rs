//! A progress indicator for long runs: the seconds since the start, on a terminal only.

use std::io::{IsTerminal, Write};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Shows that something is going on until it is dropped.
pub(crate) struct Progress {
    /// Dropping the sender ends the thread.
    running: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    /// Starts to show `what` after a second. Does nothing where standard error is no terminal.
    pub(crate) fn start(what: &'static str) -> Progress {
        if !std::io::stderr().is_terminal() {
            return Progress { running: None };
        }
        let (sender, receiver) = channel();
        let start = Instant::now();
        let thread = std::thread::spawn(move || {
            let mut shown = false;
            while receiver.recv_timeout(Duration::from_secs(1)) == Err(RecvTimeoutError::Timeout) {
                // Nobody misses a progress line that cannot be written.
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
            // The thread only writes; a panic in it changes no result.
            let _ = thread.join();
        }
    }
}
