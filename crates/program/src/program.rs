//! A compiled program.

use serde::{Deserialize, Serialize};

use crate::{
    ContainerError, Metadata, MetadataError, Statistics, ZebinKernel, metadata, write_zebin,
};

/// A compiled program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Program {
    /// Machine code as the EU fetches it, relocations not yet applied.
    #[serde(with = "crate::hex")]
    pub code: Vec<u8>,
    /// What a driver needs besides the code.
    pub metadata: Metadata,
}

impl Program {
    /// What the compiler counted for the first entry point, if it wrote that down.
    pub fn statistics(&self) -> Option<&Statistics> {
        self.metadata.dispatches.first().statistics.as_ref()
    }

    /// Reads the JSON form, of any known version of the metadata, and checks the metadata. That they fit the code
    /// [`Metadata::check_code`] tells.
    ///
    /// # Errors
    /// As for [`Metadata::from_json`].
    pub fn from_json(text: &str) -> Result<Program, MetadataError> {
        metadata::read_program(text)
    }

    /// The JSON form, indented.
    pub fn to_json(&self) -> String {
        // Every field has a JSON form and writing to a string cannot fail.
        serde_json::to_string_pretty(self).unwrap_or_default()
    }

    /// The program as a zebin with one kernel, named after the entry point.
    ///
    /// # Errors
    /// [`ContainerError::Unwritable`] for a program that needs what the container cannot say.
    pub fn to_zebin(&self) -> Result<Vec<u8>, ContainerError> {
        let kernel = ZebinKernel {
            name: &self.metadata.entry_point,
            code: &self.code,
            simd_width: self.metadata.dispatches.first().simd_width,
            metadata: Some(&self.metadata),
        };
        write_zebin(&[kernel], self.metadata.platform)
    }
}
