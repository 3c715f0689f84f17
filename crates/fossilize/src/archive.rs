//! The archive: the list of entries, and their payloads.

use std::collections::BTreeMap;
use std::io::{BufReader, Read, Seek, SeekFrom};

use crate::error::FozError;
use crate::pipeline::{self, Kind, Pipeline};

/// The first bytes of a database, before its version.
const MAGIC: &[u8; 15] = b"\x81FOSSILIZEDB\0\0\0";

/// The versions of the format that are read.
pub(crate) const VERSIONS: std::ops::RangeInclusive<u32> = 5..=6;

/// Bytes of an entry's name: 24 digits of the tag, 16 of the hash.
const NAME_BYTES: usize = 40;

/// Bytes of an entry before its payload: the name; size, flags, checksum and size of the inflated payload.
const HEAD_BYTES: usize = NAME_BYTES + 16;

/// The most entries of a database.
const MOST_ENTRIES: usize = 4_000_000;

/// The most bytes of a payload, stored and inflated.
const PAYLOAD_BYTES: u32 = 64 << 20;

/// The tag of shader modules.
const MODULE: u64 = 4;

/// An open database: its entries by tag and hash.
#[derive(Debug)]
pub struct Database<R> {
    source: BufReader<R>,
    entries: BTreeMap<(u64, u64), Place>,
    is_truncated: bool,
}

/// Where a payload is.
#[derive(Clone, Copy, Debug)]
struct Place {
    offset: u64,
    stored: u32,
    flags: u32,
    checksum: u32,
    inflated: u32,
}

impl<R: Read + Seek> Database<R> {
    /// Reads the list of entries. The last entry may be cut off, as the format allows; it is then left out. Of several entries
    /// with the same tag and hash, the first counts.
    ///
    /// # Errors
    ///
    /// The file cannot be read, is no database of a known version, or has a malformed entry.
    pub fn read(source: R) -> Result<Database<R>, FozError> {
        let mut source = BufReader::new(source);
        let end = source.seek(SeekFrom::End(0))?;
        source.seek(SeekFrom::Start(0))?;
        let mut head = [0; MAGIC.len() + 1];
        match source.read_exact(&mut head) {
            Ok(()) => {}
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
                return Err(FozError::Magic);
            }
            Err(error) => return Err(error.into()),
        }
        let [magic @ .., version] = head;
        if magic != *MAGIC {
            return Err(FozError::Magic);
        }
        if !VERSIONS.contains(&u32::from(version)) {
            return Err(FozError::Version { found: version.into() });
        }
        let mut database = Database { source, entries: BTreeMap::new(), is_truncated: false };
        let mut offset = head.len() as u64;
        while offset < end {
            let payload = offset + HEAD_BYTES as u64;
            if payload > end {
                database.is_truncated = true;
                break;
            }
            let mut head = [0; HEAD_BYTES];
            database.source.read_exact(&mut head)?;
            let (name, numbers) = head.split_at(NAME_BYTES);
            let (tag, hash) = split_name(name).ok_or(FozError::Name { offset })?;
            let mut numbers =
                numbers.as_chunks::<4>().0.iter().map(|&number| u32::from_le_bytes(number));
            let mut next = || numbers.next().unwrap_or_default();
            let (stored, flags, checksum, inflated) = (next(), next(), next(), next());
            offset = payload + u64::from(stored);
            if offset > end {
                database.is_truncated = true;
                break;
            }
            let place = Place { offset: payload, stored, flags, checksum, inflated };
            database.entries.entry((tag, hash)).or_insert(place);
            if database.entries.len() > MOST_ENTRIES {
                return Err(FozError::Count(MOST_ENTRIES));
            }
            database.source.seek_relative(i64::from(stored))?;
        }
        Ok(database)
    }

    /// Whether the last entry is cut off: the program that wrote the database was interrupted.
    pub fn is_truncated(&self) -> bool {
        self.is_truncated
    }

    /// The hashes of all shader modules, ascending.
    pub fn modules(&self) -> impl Iterator<Item = u64> {
        self.hashes(MODULE)
    }

    /// The hashes of all pipelines of a kind, ascending.
    pub fn pipelines(&self, kind: Kind) -> impl Iterator<Item = u64> {
        self.hashes(kind.tag())
    }

    fn hashes(&self, tag: u64) -> impl Iterator<Item = u64> {
        self.entries.range((tag, 0)..=(tag, u64::MAX)).map(|((_, hash), _)| *hash)
    }

    /// The words of a shader module.
    ///
    /// # Errors
    ///
    /// There is no such module, or its entry is malformed.
    pub fn module(&mut self, hash: u64) -> Result<Vec<u32>, FozError> {
        let payload = self.payload(MODULE, hash, "shader module")?;
        pipeline::module(&payload, hash)
    }

    /// A pipeline.
    ///
    /// # Errors
    ///
    /// There is no such pipeline, or its entry is malformed.
    pub fn pipeline(&mut self, kind: Kind, hash: u64) -> Result<Pipeline, FozError> {
        let payload = self.payload(kind.tag(), hash, "pipeline")?;
        pipeline::pipeline(&payload, kind, hash)
    }

    /// The payload of an entry.
    fn payload(&mut self, tag: u64, hash: u64, what: &'static str) -> Result<Vec<u8>, FozError> {
        let place = *self.entries.get(&(tag, hash)).ok_or(FozError::Missing { what, hash })?;
        for bytes in [place.stored, place.inflated] {
            if bytes > PAYLOAD_BYTES {
                let (bytes, limit) = (bytes.into(), PAYLOAD_BYTES.into());
                return Err(FozError::Size { hash, bytes, limit });
            }
        }
        self.source.seek(SeekFrom::Start(place.offset))?;
        let mut stored = Vec::new();
        self.source.by_ref().take(place.stored.into()).read_to_end(&mut stored)?;
        if stored.len() != place.stored as usize {
            // The file became shorter after the list was made.
            return Err(FozError::Missing { what, hash });
        }
        // 0 means that there is no checksum.
        let found = crc32fast::hash(&stored);
        if place.checksum != 0 && place.checksum != found {
            return Err(FozError::Checksum { hash, expected: place.checksum, found });
        }
        let payload = match place.flags {
            1 => Some(stored),
            2 => {
                let limit = place.inflated as usize;
                miniz_oxide::inflate::decompress_to_vec_zlib_with_limit(&stored, limit).ok()
            }
            flags => return Err(FozError::Flags { hash, flags }),
        };
        payload
            .filter(|payload| payload.len() == place.inflated as usize)
            .ok_or(FozError::Deflate { hash, bytes: place.inflated })
    }
}

/// The tag and the hash in a name. Only the last 16 digits of a tag can differ from 0.
fn split_name(name: &[u8]) -> Option<(u64, u64)> {
    let text = std::str::from_utf8(name).ok()?;
    if !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let number = |digits: &str| u64::from_str_radix(digits, 16).ok();
    let (high, low) = (text.get(..8)?, text.get(8..24)?);
    (number(high)? == 0).then_some((number(low)?, number(text.get(24..)?)?))
}
