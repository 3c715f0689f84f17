//! A compiled program.

use serde::{Deserialize, Serialize};

use crate::{ContainerError, Metadata, Statistics, ZebinKernel, write_zebin};

/// A compiled program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Program {
    /// Machine code as the EU fetches it, relocations not yet applied.
    #[serde(with = "crate::hex")]
    pub code: Vec<u8>,
    /// What a driver needs besides the code.
    pub metadata: Metadata,
    /// What the compiler counted.
    #[serde(default)]
    pub statistics: Statistics,
}

impl Program {
    /// The program as a zebin with one kernel, named after the entry point.
    ///
    /// # Errors
    /// [`ContainerError::Unwritable`] for a program that needs what the container cannot say.
    pub fn to_zebin(&self) -> Result<Vec<u8>, ContainerError> {
        let kernel = ZebinKernel {
            name: &self.metadata.entry_point,
            code: &self.code,
            simd_width: self.metadata.simd_width,
            metadata: Some(&self.metadata),
        };
        write_zebin(&[kernel], self.metadata.platform)
    }
}
