//! The files that a batch compiles.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

/// The extensions of the files that are taken from folders.
pub const EXTENSIONS: &[&str] =
    &["spv", "wgsl", "glsl", "hlsl", "comp", "vert", "tesc", "tese", "geom", "frag", "foz"];

/// The most files of a batch.
const MOST_FILES: usize = 10_000_000;

/// The most folders inside each other.
const MOST_DEPTH: usize = 100;

/// Why the files of a batch are not known.
#[derive(Debug, thiserror::Error)]
pub enum CollectError {
    /// A file or folder cannot be read.
    #[error("{}: cannot read it: {error}", path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// The reason.
        error: io::Error,
    },
    /// A pipe or device.
    #[error("{}: expected a file or folder", .0.display())]
    NoFile(PathBuf),
    /// A pattern is malformed.
    #[error("`{pattern}`: {error}")]
    Pattern {
        /// The pattern.
        pattern: String,
        /// The reason.
        error: glob::PatternError,
    },
    /// A folder, pattern or list has no shader.
    #[error(
        "{0}: found no shader (files with one of the extensions .spv .wgsl .glsl .hlsl .comp .vert .tesc .tese .geom .frag .foz)"
    )]
    Nothing(String),
    /// Folders are too deep.
    #[error("{}: expected at most {MOST_DEPTH} folders inside each other", .0.display())]
    Depth(PathBuf),
    /// There are too many files.
    #[error("expected at most {MOST_FILES} files")]
    Count,
}

/// The files of a batch, sorted, each once. An argument is a file (of any extension), a folder (searched with its folders; links to
/// folders are not followed), a pattern with `*`, `?`, `[` or `**`, or `@FILE` for a list: a path, folder or pattern per line, relative to
/// the working folder; empty lines and lines that start with `#` do not count.
///
/// # Errors
///
/// An argument cannot be read, is malformed, or names no file.
pub fn collect(arguments: &[String]) -> Result<Vec<PathBuf>, CollectError> {
    let mut found = BTreeSet::new();
    for argument in arguments {
        match argument.strip_prefix('@') {
            None => one(argument, &mut found)?,
            Some(list) => {
                let read = |error| CollectError::Read { path: list.into(), error };
                let text = std::fs::read_to_string(list).map_err(read)?;
                let lines = text.lines().map(str::trim);
                for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
                    one(line, &mut found)?;
                }
            }
        }
    }
    Ok(found.into_iter().collect())
}

/// Adds the files of an argument that is no list.
fn one(argument: &str, found: &mut BTreeSet<PathBuf>) -> Result<(), CollectError> {
    let path = Path::new(argument);
    let before = found.len();
    let mut any = false;
    if path.is_dir() {
        any = folder(path, 0, found)?;
    } else if path.exists() || !argument.contains(['*', '?', '[']) {
        // A file that does not exist is an error with its reason.
        let data = std::fs::metadata(path)
            .map_err(|error| CollectError::Read { path: path.to_owned(), error })?;
        // Reading a pipe or device could take forever.
        if !data.is_file() {
            return Err(CollectError::NoFile(path.to_owned()));
        }
        any |= found.insert(path.to_owned()) || found.len() == before;
    } else {
        let wrong = |error| CollectError::Pattern { pattern: argument.to_owned(), error };
        for entry in glob::glob(argument).map_err(wrong)? {
            let path = entry.map_err(|error| CollectError::Read {
                path: error.path().to_owned(),
                error: error.into(),
            })?;
            if path.is_dir() {
                any |= folder(&path, 0, found)?;
            } else if path.is_file() {
                any = true;
                found.insert(path);
            }
        }
    }
    match any {
        true if found.len() > MOST_FILES => Err(CollectError::Count),
        true => Ok(()),
        false => Err(CollectError::Nothing(argument.to_owned())),
    }
}

/// Adds the shaders of a folder and its folders. Returns whether there is one.
fn folder(path: &Path, depth: usize, found: &mut BTreeSet<PathBuf>) -> Result<bool, CollectError> {
    if depth == MOST_DEPTH {
        return Err(CollectError::Depth(path.to_owned()));
    }
    let read = |error| CollectError::Read { path: path.to_owned(), error };
    let mut any = false;
    for entry in std::fs::read_dir(path).map_err(read)? {
        let entry = entry.map_err(read)?;
        let kind = entry.file_type().map_err(read)?;
        let path = entry.path();
        if kind.is_dir() {
            any |= folder(&path, depth + 1, found)?;
            continue;
        }
        let extension = path.extension().and_then(|extension| extension.to_str());
        if extension.is_some_and(|extension| EXTENSIONS.contains(&extension)) && path.is_file() {
            any = true;
            found.insert(path);
            if found.len() > MOST_FILES {
                return Err(CollectError::Count);
            }
        }
    }
    Ok(any)
}
