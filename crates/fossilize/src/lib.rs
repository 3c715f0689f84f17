//! Reads Fossilize databases (`.foz`), in which capture layers store the shader modules and pipelines of Vulkan programs.
//!
//! The format is public: the repository `ValveSoftware/Fossilize` describes it in `README.md` (varints) and in a comment of
//! `fossilize_db.cpp` (the archive). A database is a header of 16 bytes and a series of entries. An entry has a tag (what it is), a
//! hash (its name), and a payload, which may be deflated. A payload is JSON; behind the JSON of a shader module follow a zero byte
//! and the words of its SPIR-V as varints. Versions 5 and 6 are read, which are those that Fossilize itself reads.
//!
//! [`Database::read`] makes a list of the entries; modules and pipelines are read when they are asked for. Databases are not
//! trusted: every input gives a value or a [`FozError`], and the memory that one entry takes has a limit.
//!
//! ```
//! use std::io::Cursor;
//! use crestline_fossilize::Database;
//!
//! let empty = b"\x81FOSSILIZEDB\0\0\0\x06".to_vec();
//! let mut database = Database::read(Cursor::new(empty))?;
//! assert_eq!(database.modules().count(), 0);
//! # Ok::<(), crestline_fossilize::FozError>(())
//! ```

#![deny(missing_docs)]

mod archive;
mod error;
mod pipeline;
mod varint;

pub use archive::Database;
pub use error::FozError;
pub use pipeline::{Kind, Pipeline, Stage, StageKind};
