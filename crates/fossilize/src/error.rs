//! What is wrong with a database.

use std::io;

/// Why a database, or one of its entries, cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum FozError {
    /// The file cannot be read.
    #[error("cannot read the database: {0}")]
    Read(#[from] io::Error),
    /// The file does not begin as a database does.
    #[error(
        "not a Fossilize database: expected \\x81FOSSILIZEDB and three zeros in the first 15 bytes"
    )]
    Magic,
    /// The version of the archive or of an entry's JSON is another one.
    #[error("version {found} of the format: expected 5 or 6")]
    Version {
        /// The version.
        found: u32,
    },
    /// There are more entries than the limit.
    #[error("the database has more than {0} entries")]
    Count(usize),
    /// The name of an entry has other characters than hexadecimal digits.
    #[error("byte {offset:#x}: expected the 40 hexadecimal digits of an entry's name")]
    Name {
        /// The place of the entry in the file.
        offset: u64,
    },
    /// An entry is stored in an unknown form.
    #[error("entry {hash:016x}: expected flags 1 (stored) or 2 (deflated), found {flags:#x}")]
    Flags {
        /// The hash of the entry.
        hash: u64,
        /// The flags.
        flags: u32,
    },
    /// An entry is larger than the limit.
    #[error("entry {hash:016x}: {bytes} bytes, expected at most {limit}")]
    Size {
        /// The hash of the entry.
        hash: u64,
        /// Its bytes.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// The checksum of an entry is another one.
    #[error("entry {hash:016x}: its CRC32 is {found:08x}, but the database says {expected:08x}")]
    Checksum {
        /// The hash of the entry.
        hash: u64,
        /// The checksum in the database.
        expected: u32,
        /// The checksum of the bytes.
        found: u32,
    },
    /// An entry cannot be inflated, or has another size afterwards.
    #[error("entry {hash:016x}: expected zlib data of {bytes} bytes")]
    Deflate {
        /// The hash of the entry.
        hash: u64,
        /// The bytes that the database says.
        bytes: u32,
    },
    /// The JSON of an entry is malformed or lacks something.
    #[error("entry {hash:016x}: {reason}")]
    Entry {
        /// The hash of the entry.
        hash: u64,
        /// What is wrong.
        reason: String,
    },
    /// There is no such entry.
    #[error("the database has no {what} {hash:016x}")]
    Missing {
        /// What was looked for.
        what: &'static str,
        /// Its hash.
        hash: u64,
    },
}
