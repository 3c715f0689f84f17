//! Maps keyed by SPIR-V ids.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A map keyed by ids.
pub(crate) type IdMap<T> = HashMap<u32, T, BuildHasherDefault<IdHasher>>;

/// Hashes an id by one multiplication.
///
/// Ids are below 2^22 and the multiplier is odd, so low bits of the hash collide only where low bits of the ids do:
/// no module can make more than a few of its ids share a bucket of a table that holds them all.
#[derive(Debug, Default)]
pub(crate) struct IdHasher(u64);

impl Hasher for IdHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u32(u32::from(byte));
        }
    }

    fn write_u32(&mut self, id: u32) {
        self.0 = (self.0 ^ u64::from(id)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}
