//! Value types: a bit size and a number of components, nothing else.

use std::fmt;

/// The type of a value: `bits` per component and `comps` components.
///
/// Written `32` for a scalar and `32x4` for a vector of four. Booleans have one bit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ty {
    bits: u8,
    comps: u8,
}

/// A bit size or component count that no value can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "no value has {comps} components of {bits} bits: expected 1 to 4 components of 1, 8, 16, 32 or 64 bits"
)]
pub struct TyError {
    /// The rejected bit size.
    pub bits: u32,
    /// The rejected component count.
    pub comps: u32,
}

impl Ty {
    /// A single boolean.
    pub const BOOL: Ty = Ty { bits: 1, comps: 1 };
    /// A scalar of 8 bits.
    pub const X8: Ty = Ty { bits: 8, comps: 1 };
    /// A scalar of 16 bits.
    pub const X16: Ty = Ty { bits: 16, comps: 1 };
    /// A scalar of 32 bits.
    pub const X32: Ty = Ty { bits: 32, comps: 1 };
    /// A scalar of 64 bits.
    pub const X64: Ty = Ty { bits: 64, comps: 1 };

    /// A type of `comps` (1 to 4) components of `bits` (1, 8, 16, 32, 64) bits each.
    pub fn new(bits: u32, comps: u32) -> Result<Ty, TyError> {
        match (bits, comps) {
            (1 | 8 | 16 | 32 | 64, 1..=4) => Ok(Ty { bits: bits as u8, comps: comps as u8 }),
            _ => Err(TyError { bits, comps }),
        }
    }

    /// Bits per component: 1, 8, 16, 32 or 64.
    pub const fn bits(self) -> u32 {
        self.bits as u32
    }

    /// Number of components: 1 to 4.
    pub const fn comps(self) -> usize {
        self.comps as usize
    }

    /// The same bit size with one component.
    pub const fn scalar(self) -> Ty {
        Ty { bits: self.bits, comps: 1 }
    }

    /// The same bit size with `comps` components.
    ///
    /// # Panics
    /// If `comps` is not 1 to 4. Callers take the count from an existing value or from the IR's limits.
    pub const fn with_comps(self, comps: usize) -> Ty {
        assert!(comps >= 1 && comps <= 4);
        Ty { bits: self.bits, comps: comps as u8 }
    }

    /// Whether a component is a boolean.
    pub const fn is_bool(self) -> bool {
        self.bits == 1
    }

    /// A mask of the bits that a component has.
    pub const fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits as u32)
    }

    /// Bytes per component in memory. A boolean cannot be loaded or stored; in private variables it takes 4 bytes.
    pub const fn comp_bytes(self) -> u32 {
        if self.bits == 1 { 4 } else { self.bits as u32 / 8 }
    }
}

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.comps {
            1 => write!(f, "{}", self.bits),
            n => write!(f, "{}x{n}", self.bits),
        }
    }
}

impl fmt::Debug for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
