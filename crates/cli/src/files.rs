//! Reading and writing files; `-` is standard input or output.
//!
//! An output file is written whole or not at all: the bytes are written to a temporary file in the same folder, which
//! is then renamed. So no program reads an incomplete file, and an interrupted run keeps the old one.

use std::fmt;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use crate::error::{Code, Failure, Origin};
use crate::grammar::MAX_BUFFER_BYTES;

/// A kind of input and its most bytes. The limits are far above the sizes that tools write, and prevent that a device
/// such as `/dev/zero` fills the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limit {
    /// The kind of input in error messages.
    what: &'static str,
    /// The most bytes.
    bytes: u64,
}

impl Limit {
    /// The most bytes.
    pub(crate) fn bytes(self) -> u64 {
        self.bytes
    }

    /// A SPIR-V module or source text; the front end has a narrower limit for text.
    pub(crate) const SHADER: Limit = Limit { what: "a shader", bytes: 64 << 20 };
    /// A script with pipelines; the parser has a narrower limit.
    pub(crate) const SCRIPT: Limit = Limit { what: "a script", bytes: 64 << 20 };
    /// Text for the assembler.
    pub(crate) const ASSEMBLY: Limit = Limit { what: "assembly text", bytes: 64 << 20 };
    /// Machine code in any container.
    pub(crate) const CODE: Limit = Limit { what: "machine code", bytes: 64 << 20 };
    /// An error state of the i915 driver; its buffers have a limit of their own.
    pub(crate) const ERROR_STATE: Limit = Limit { what: "an error state", bytes: 256 << 20 };
    /// Metadata, varyings: text that is parsed to a tree many times its size.
    pub(crate) const JSON: Limit = Limit { what: "a JSON document", bytes: 32 << 20 };
}

/// The memory for the resources of a run: buffers, images, attributes, push constants. They share one limit.
#[derive(Debug)]
pub(crate) struct Room {
    left: u64,
}

impl Room {
    /// The most bytes of all resources of a run together.
    pub(crate) const BYTES: u64 = 2 << 30;
    /// The most bytes of one file.
    const FILE_BYTES: u64 = MAX_BUFFER_BYTES as u64;

    /// The whole limit is available.
    pub(crate) fn new() -> Room {
        Room { left: Room::BYTES }
    }

    /// Takes `bytes` for the resource `name`, such as `--bind 0.0`.
    pub(crate) fn take(&mut self, name: &dyn fmt::Display, bytes: u64) -> Result<(), Failure> {
        self.left = self.left.checked_sub(bytes).ok_or_else(|| full(name))?;
        Ok(())
    }

    /// Reads a file and takes its bytes.
    pub(crate) fn read(
        &mut self,
        name: &dyn fmt::Display,
        path: &Path,
    ) -> Result<Vec<u8>, Failure> {
        let bytes = read_at_most(path, Room::FILE_BYTES)?.ok_or_else(|| {
            let message = format!("{name}: the file has more than {} bytes", Room::FILE_BYTES);
            Failure::new(Code::TooLarge, message).at(Origin::file(shown(path)))
        })?;
        self.take(name, bytes.len() as u64)?;
        Ok(bytes)
    }
}

fn full(name: &dyn fmt::Display) -> Failure {
    let message =
        format!("{name}: the resources of this run have more than {} bytes in total", Room::BYTES);
    Failure::new(Code::TooLarge, message)
}

/// A path in the form for messages.
pub(crate) fn shown(path: &Path) -> String {
    if path.as_os_str() == "-" { "<stdin>".into() } else { path.display().to_string() }
}

/// Reads a whole file, or standard input.
pub(crate) fn read(path: &Path, limit: Limit) -> Result<Vec<u8>, Failure> {
    read_at_most(path, limit.bytes)?.ok_or_else(|| {
        let message = format!("{} may have at most {} bytes", limit.what, limit.bytes);
        Failure::new(Code::TooLarge, message).at(Origin::file(shown(path)))
    })
}

/// Reads a whole file, or standard input. `None` if it has more than `most` bytes; at most one byte more is read.
pub(crate) fn read_at_most(path: &Path, most: u64) -> Result<Option<Vec<u8>>, Failure> {
    let fail = |error: io::Error| {
        Failure::new(Code::Read, format!("cannot read the file: {error}"))
            .at(Origin::file(shown(path)))
    };
    let mut bytes = Vec::new();
    if path.as_os_str() == "-" {
        io::stdin().lock().take(most + 1).read_to_end(&mut bytes).map_err(fail)?;
    } else {
        let file = std::fs::File::open(path).map_err(fail)?;
        // The file's size is only a hint: it may be a pipe, or growing.
        let size = file.metadata().map_err(fail)?.len();
        if size > most {
            return Ok(None);
        }
        bytes.try_reserve_exact(size as usize + 1).map_err(|error| fail(error.into()))?;
        file.take(most + 1).read_to_end(&mut bytes).map_err(fail)?;
    }
    Ok((bytes.len() as u64 <= most).then_some(bytes))
}

/// Writes a whole file, or standard output.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    if path.as_os_str() == "-" {
        return print(|out| out.write_all(bytes));
    }
    replace(path, bytes).map_err(|error| cannot_write(path, error))
}

/// Lets `work` write to standard output.
pub(crate) fn print(work: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match work(&mut out).and_then(|()| out.flush()) {
        // It is not an error if the reading program closes the pipe early.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(cannot_write("-".as_ref(), error))
        }
        _ => Ok(()),
    }
}

fn cannot_write(path: &Path, error: io::Error) -> Failure {
    Failure::new(Code::Write, format!("cannot write the file: {error}"))
        .at(Origin::file(path.display().to_string()))
}

/// The version of the documents of [`write_json`]. It grows if a field of one of them changes its meaning or disappears.
pub(crate) const DOCUMENT_VERSION: u32 = 1;

/// Writes a JSON document to standard output, with the name and the version of its schema.
pub(crate) fn write_json(schema: &str, mut document: serde_json::Value) -> Result<(), Failure> {
    if let Some(fields) = document.as_object_mut() {
        fields.insert("schema".into(), format!("crestline-{schema}").into());
        fields.insert("version".into(), DOCUMENT_VERSION.into());
    }
    write("-".as_ref(), format!("{document:#}\n").as_bytes())
}

/// Writes several files of a folder, which is made if it does not exist. All are written to temporary files before the first
/// one is renamed, so an error while writing leaves none.
pub(crate) fn write_all(folder: &Path, outputs: &[(PathBuf, Vec<u8>)]) -> Result<(), Failure> {
    std::fs::create_dir_all(folder).map_err(|error| cannot_write(folder, error))?;
    let mut written = Vec::new();
    let mut result = Ok(());
    for (path, bytes) in outputs {
        let part = temporary(path);
        result = std::fs::write(&part, bytes).map_err(|error| cannot_write(path, error));
        written.push((part, path));
        if result.is_err() {
            break;
        }
    }
    for (part, path) in &written {
        if result.is_ok() {
            result = std::fs::rename(part, path).map_err(|error| cannot_write(path, error));
        }
        if result.is_err() {
            // The first error is the one to report.
            let _ = std::fs::remove_file(part);
        }
    }
    result
}

/// The name of the temporary file that becomes `path`.
fn temporary(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.part", std::process::id()));
    path.with_file_name(name)
}

/// Writes a temporary file and renames it to `path`. A device is written directly.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // A device such as /dev/null is written to, not replaced by a file.
    let special = std::fs::metadata(path).is_ok_and(|data| !data.is_file());
    if special || path.file_name().is_none() {
        return std::fs::write(path, bytes);
    }
    let temporary = temporary(path);
    let written =
        std::fs::write(&temporary, bytes).and_then(|()| std::fs::rename(&temporary, path));
    if written.is_err() {
        // The first error is the one to report.
        let _ = std::fs::remove_file(&temporary);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole_or_not_at_all() {
        let folder = std::env::temp_dir().join(format!("crestline-files-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("a");
        write(&path, b"one").unwrap();
        write(&path, b"two").unwrap();
        assert_eq!(read(&path, Limit::CODE).unwrap(), b"two");
        let missing = folder.join("no such folder/a");
        let error = write(&missing, b"three").unwrap_err().to_string();
        assert!(error.starts_with("error[E0802]: cannot write the file"), "{error}");
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1, "nothing is left behind");
        std::fs::remove_dir_all(&folder).unwrap();
        let error = read(&path, Limit::CODE).unwrap_err().to_string();
        assert!(error.starts_with("error[E0801]: cannot read"), "{error}");
    }

    #[test]
    fn several_files_are_written_or_none() {
        let folder = std::env::temp_dir().join(format!("crestline-all-{}", std::process::id()));
        let file = |name: &str, bytes: &[u8]| (folder.join(name), bytes.to_vec());
        write_all(&folder, &[file("a", b"1"), file("b", b"2")]).unwrap();
        let error = write_all(&folder, &[file("a", b"3"), file("no such folder/c", b"4")]);
        let error = error.unwrap_err().to_string();
        assert!(error.starts_with("error[E0802]: cannot write the file"), "{error}");
        assert_eq!(read(&folder.join("a"), Limit::CODE).unwrap(), b"1");
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 2, "nothing is left behind");
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn no_more_is_read_than_the_limit_allows() {
        let name = format!("crestline-limit-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, [7; 100]).unwrap();
        assert_eq!(read_at_most(&path, 100).unwrap().map(|bytes| bytes.len()), Some(100));
        assert_eq!(read_at_most(&path, 99).unwrap(), None);
        let error = read(&path, Limit { what: "a thing", bytes: 9 }).unwrap_err().to_string();
        assert!(error.starts_with("error[E0820]: a thing may have at most 9 bytes"), "{error}");
        let mut room = Room { left: 150 };
        assert_eq!(room.read(&"--bind 0.0", &path).unwrap().len(), 100);
        assert!(room.take(&"--bind 0.1", 50).is_ok());
        let error = room.read(&"--bind 0.2", &path).unwrap_err().to_string();
        assert!(
            error.starts_with("error[E0820]: --bind 0.2: the resources of this run"),
            "{error}"
        );
        std::fs::remove_file(&path).unwrap();
    }
}
