//! Maps keyed by SPIR-V ids.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A map keyed by ids.
pub(crate) type IdMap<T> = HashMap<u32, T, BuildHasherDefault<IdHasher>>;

/// Hashes an id by one multiplication.
///
/// The hash table selects a bucket by the low bits of the hash. Because the multiplier is odd, two hashes agree in
/// their low bits only if the ids do, and ids are below 2^22. So a module cannot choose its ids such that more than a
/// few of them share a bucket of a table that contains them all.
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
