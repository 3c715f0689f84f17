//! A compiled program.

use serde::Serialize;
use serde::de::{Deserialize, Deserializer, Error};

use crate::json::{Json, Node};
use crate::{
    ContainerError, Metadata, MetadataError, Statistics, ZebinKernel, metadata, write_zebin,
};

/// A compiled program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Program {
    /// Machine code as the EU fetches it, relocations not yet applied.
    #[serde(serialize_with = "crate::hex::serialize")]
    pub code: Vec<u8>,
    /// Everything else that a driver needs.
    pub metadata: Metadata,
}

impl Program {
    /// The statistics of the first entry point; `None` if the program has none.
    pub fn statistics(&self) -> Option<&Statistics> {
        self.metadata.dispatches.first().statistics.as_ref()
    }

    /// Reads the JSON form, of any supported version of the metadata, and checks the metadata. Does
    /// not check that they fit the code: see [`Metadata::check_code`].
    ///
    /// # Errors
    /// As for [`Metadata::from_json`].
    pub fn from_json(text: &str) -> Result<Program, MetadataError> {
        read(&Json::parse(text)?)
    }

    /// The JSON form, indented.
    pub fn to_json(&self) -> String {
        // Every field has a JSON form and writing to a string cannot fail.
        serde_json::to_string_pretty(self).unwrap_or_default()
    }

    /// The program as a zebin with one kernel, named after the entry point.
    ///
    /// # Errors
    /// [`ContainerError::Unwritable`] if the program needs something that a zebin cannot express.
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

/// Reads and checks the document of a program.
fn read(json: &Json) -> Result<Program, MetadataError> {
    let root = Node::root(json);
    let [code, inner, statistics] = root.fields(["code", "metadata", "statistics"])?;
    // Paths in errors start at the metadata, as in a document that contains only metadata.
    let Some(inside) = json.get("metadata") else {
        return Err(inner.expected("an object"));
    };
    let metadata = metadata::read(inside, Some(statistics))?;
    Ok(Program { code: code.hex()?, metadata })
}

impl<'de> Deserialize<'de> for Program {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Program, D::Error> {
        read(&Json::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

/// The content of a JSON document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Document {
    /// Metadata without code.
    Metadata(Metadata),
    /// A whole program.
    Program(Program),
}

impl Document {
    /// Reads a document that is either metadata or a program. A program has the field `metadata` or
    /// `code`.
    ///
    /// # Errors
    /// As for [`Metadata::from_json`].
    pub fn from_json(text: &str) -> Result<Document, MetadataError> {
        let json = Json::parse(text)?;
        match json.get("metadata").or(json.get("code")) {
            Some(_) => read(&json).map(Document::Program),
            None => metadata::read(&json, None).map(Document::Metadata),
        }
    }
}
