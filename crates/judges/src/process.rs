//! Runs judges that are programs: found on PATH, with a time limit, and with their files in a temporary directory that
//! is removed afterwards.

use std::ffi::OsStr;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::Absent;

/// Time limit of one run of a program.
const TIME_LIMIT: Duration = Duration::from_secs(120);

/// Why an installed judge gave no usable result.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// The program refused its input.
    #[error("{tool} refused its input ({status}):\n{output}")]
    Refused {
        /// The program's name.
        tool: &'static str,
        /// Its exit status.
        status: String,
        /// Everything it printed.
        output: String,
    },
    /// The program did not end in time and was stopped.
    #[error("{tool} did not end within {} seconds", TIME_LIMIT.as_secs())]
    TimeLimit {
        /// The program's name.
        tool: &'static str,
    },
    /// A file could not be written or read, or the program could not be started.
    #[error("{tool}: {source}")]
    Io {
        /// The program's name.
        tool: &'static str,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The program does not support the platform.
    #[error("{tool} does not know the platform {platform:?}")]
    Platform {
        /// The program's name.
        tool: &'static str,
        /// The platform's name as the caller gave it.
        platform: String,
    },
}

/// A program found on PATH.
#[derive(Debug, Clone)]
pub(crate) struct Tool {
    name: &'static str,
    path: PathBuf,
}

/// The output of a program.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Tool {
    /// Looks for `name` on PATH. `packages` are the Debian packages that the message contains if it is absent.
    pub(crate) fn find(name: &'static str, packages: &'static str) -> Result<Tool, Absent> {
        let search = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&search)
            .map(|folder| folder.join(name))
            .find(|path| path.is_file())
            .map(|path| Tool { name, path })
            .ok_or_else(|| Absent {
                judge: name,
                reason: "not found on PATH".into(),
                packages: Some(packages),
            })
    }

    /// The path of the program.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The program's name.
    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    /// Runs the program in `folder` with empty standard input. Any exit status but 0 is an error.
    pub(crate) fn run<A: AsRef<OsStr>>(
        &self,
        folder: &Path,
        arguments: impl IntoIterator<Item = A>,
    ) -> Result<Output, ToolError> {
        let (tool, io) = (self.name, |source| ToolError::Io { tool: self.name, source });
        let mut child = Command::new(&self.path)
            .args(arguments)
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(io)?;
        // Threads read both pipes: a child that is blocked on a full pipe would never end.
        let drain = |pipe: Option<Box<dyn Read + Send>>| {
            std::thread::spawn(move || {
                let mut bytes = Vec::new();
                if let Some(mut pipe) = pipe {
                    // An error here only shortens the reported output; the exit status decides.
                    let _ = pipe.read_to_end(&mut bytes);
                }
                String::from_utf8_lossy(&bytes).into_owned()
            })
        };
        let stdout = drain(child.stdout.take().map(|pipe| Box::new(pipe) as _));
        let stderr = drain(child.stderr.take().map(|pipe| Box::new(pipe) as _));
        let deadline = Instant::now() + TIME_LIMIT;
        let mut pause = Duration::from_micros(200);
        let status = loop {
            if let Some(status) = child.try_wait().map_err(io)? {
                break status;
            }
            if Instant::now() > deadline {
                child.kill().map_err(io)?;
                child.wait().map_err(io)?;
                return Err(ToolError::TimeLimit { tool });
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(20));
        };
        let stdout = stdout.join().unwrap_or_default();
        let stderr = stderr.join().unwrap_or_default();
        if !status.success() {
            return Err(ToolError::Refused {
                tool,
                status: status.to_string(),
                output: stderr + &stdout,
            });
        }
        Ok(Output { stdout, stderr })
    }
}

/// A private directory that is removed when dropped.
#[derive(Debug)]
pub(crate) struct Scratch {
    path: PathBuf,
    tool: &'static str,
}

impl Scratch {
    /// Makes a new directory under the system's temporary one.
    pub(crate) fn new(tool: &'static str) -> Result<Scratch, ToolError> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path =
            std::env::temp_dir().join(format!("crestline-{tool}-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).map_err(|source| ToolError::Io { tool, source })?;
        Ok(Scratch { path, tool })
    }

    /// The directory.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a file of the directory.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> Result<(), ToolError> {
        std::fs::write(self.path.join(name), bytes)
            .map_err(|source| ToolError::Io { tool: self.tool, source })
    }

    /// Reads a file of the directory.
    pub(crate) fn read(&self, name: &str) -> Result<Vec<u8>, ToolError> {
        std::fs::read(self.path.join(name))
            .map_err(|source| ToolError::Io { tool: self.tool, source })
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // An error does not matter: the system removes temporary files later.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

/// Converts a module's words to the bytes of a `.spv` file.
pub(crate) fn spirv_bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Converts the bytes of a `.spv` file that was written on this machine to words.
pub(crate) fn spirv_words(tool: &'static str, bytes: &[u8]) -> Result<Vec<u32>, ToolError> {
    let (words, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() {
        return Err(ToolError::Refused {
            tool,
            status: "success".into(),
            output: format!("its module has {} bytes, not a multiple of four", bytes.len()),
        });
    }
    Ok(words.iter().map(|&word| u32::from_le_bytes(word)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_program_is_absent() {
        let absent = Tool::find("crestline-no-such-program", "nothing").unwrap_err();
        assert_eq!(absent.judge, "crestline-no-such-program");
    }

    #[test]
    fn a_failing_program_is_refused_with_its_output() {
        let shell = Tool::find("sh", "dash").expect("a POSIX shell");
        let scratch = Scratch::new("sh").unwrap();
        let error = shell.run(scratch.path(), ["-c", "echo why >&2; exit 3"]).unwrap_err();
        assert!(matches!(&error, ToolError::Refused { output, .. } if output == "why\n"));
        assert!(error.to_string().contains("exit status: 3"));
    }

    #[test]
    fn a_scratch_directory_goes_away() {
        let scratch = Scratch::new("test").unwrap();
        scratch.write("a", b"b").unwrap();
        assert_eq!(scratch.read("a").unwrap(), b"b");
        let path = scratch.path().to_owned();
        drop(scratch);
        assert!(!path.exists());
    }
}
