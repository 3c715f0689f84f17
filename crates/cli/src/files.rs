//! Reading and writing files; `-` is standard input or output.
//!
//! An output file is written whole or not at all: the bytes go to a temporary file in the same
//! folder, which then takes the name. So no reader ever sees half a file, and an interrupted
//! run leaves the old one.

use std::io::{self, Read, Write};
use std::path::Path;

use crate::error::{Code, Failure, Origin};

/// The most bytes read from one file or from standard input.
const MAX_INPUT_BYTES: u64 = 1 << 30;

/// How a path is shown in messages.
pub(crate) fn shown(path: &Path) -> String {
    if path.as_os_str() == "-" { "<stdin>".into() } else { path.display().to_string() }
}

/// Reads a whole file, or standard input.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let fail = |error: io::Error| {
        Failure::new(Code::Read, format!("cannot read the file: {error}"))
            .at(Origin::file(shown(path)))
    };
    let mut bytes = Vec::new();
    let read = if path.as_os_str() == "-" {
        io::stdin().lock().take(MAX_INPUT_BYTES + 1).read_to_end(&mut bytes)
    } else {
        let file = std::fs::File::open(path).map_err(fail)?;
        // What the file says of its size is a hint: it may be a pipe, or growing.
        let size = file.metadata().map_err(fail)?.len().min(MAX_INPUT_BYTES);
        bytes.reserve(size as usize + 1);
        file.take(MAX_INPUT_BYTES + 1).read_to_end(&mut bytes)
    };
    if read.map_err(fail)? as u64 > MAX_INPUT_BYTES {
        let message = format!("the file has more than {MAX_INPUT_BYTES} bytes");
        return Err(Failure::new(Code::Read, message).at(Origin::file(shown(path))));
    }
    Ok(bytes)
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
        // Who closes the pipe has seen enough.
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

/// Writes a JSON document to standard output.
pub(crate) fn write_json(document: &serde_json::Value) -> Result<(), Failure> {
    write("-".as_ref(), format!("{document:#}\n").as_bytes())
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // A device such as /dev/null is written to, not replaced by a file.
    let special = std::fs::metadata(path).is_ok_and(|data| !data.is_file());
    let Some(name) = path.file_name().filter(|_| !special) else {
        return std::fs::write(path, bytes);
    };
    let mut temporary = name.to_owned();
    temporary.push(format!(".{}.part", std::process::id()));
    let temporary = path.with_file_name(temporary);
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
        assert_eq!(read(&path).unwrap(), b"two");
        let missing = folder.join("no such folder/a");
        let error = write(&missing, b"three").unwrap_err().to_string();
        assert!(error.starts_with("error[E0802]: cannot write the file"), "{error}");
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1, "nothing is left behind");
        std::fs::remove_dir_all(&folder).unwrap();
        assert!(read(&path).unwrap_err().to_string().starts_with("error[E0801]: cannot read"));
    }
}
