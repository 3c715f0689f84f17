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

fn read(json: &Json) -> Result<Program, MetadataError> {
    let root = Node::root(json);
    let [code, inner, statistics] = root.fields(["code", "metadata", "statistics"])?;
    // Places in the metadata are counted from their own root, like those of metadata that stand alone.
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

/// What a JSON document describes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Document {
    /// Metadata alone.
    Metadata(Metadata),
    /// A whole program.
    Program(Program),
}

impl Document {
    /// Reads metadata or a program, whichever the document is: a program has `metadata`.
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
