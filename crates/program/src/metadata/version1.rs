//! Version 1 of the schema: one entry point, at the begin of the code, whose statistics stand beside the metadata.

use super::{ConstantData, FloatMode, Metadata, Relocation, StageMetadata, VERSION, parse};
use crate::{BindingEntry, Dispatch, MetadataError, Payload, Program, SamplerEntry, Statistics};
use crestline_device::Platform;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Metadata1 {
    #[serde(rename = "version")]
    _version: u32,
    platform: Platform,
    #[serde(default)]
    entry_point: String,
    simd_width: u32,
    stage: StageMetadata,
    payload: Payload,
    #[serde(default)]
    binding_table: Vec<BindingEntry>,
    #[serde(default)]
    samplers: Vec<SamplerEntry>,
    #[serde(default)]
    scratch_bytes: u32,
    #[serde(default)]
    private_bytes_per_channel: u32,
    #[serde(default)]
    constant_data: Option<ConstantData>,
    #[serde(default)]
    relocations: Vec<Relocation>,
    #[serde(default)]
    float_mode: FloatMode,
}

/// A program of version 1.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Program1 {
    #[serde(with = "crate::hex")]
    code: Vec<u8>,
    metadata: Metadata1,
    #[serde(default)]
    statistics: Option<Statistics>,
}

impl Metadata1 {
    fn upgrade(self, statistics: Option<Statistics>) -> Metadata {
        let dispatch = Dispatch { statistics, ..Dispatch::at_start(self.simd_width, self.payload) };
        Metadata {
            version: VERSION,
            platform: self.platform,
            entry_point: self.entry_point,
            dispatches: dispatch.into(),
            stage: self.stage,
            binding_table: self.binding_table,
            samplers: self.samplers,
            scratch_bytes: self.scratch_bytes,
            private_bytes_per_channel: self.private_bytes_per_channel,
            constant_data: self.constant_data,
            relocations: self.relocations,
            float_mode: self.float_mode,
        }
    }
}

/// Reads metadata of version 1 and checks them.
pub(super) fn metadata(text: &str) -> Result<Metadata, MetadataError> {
    let read: Metadata1 = parse(text)?;
    let metadata = read.upgrade(None);
    metadata.check().map_err(as_written)?;
    Ok(metadata)
}

/// Reads a program of version 1 and checks its metadata.
pub(super) fn program(text: &str) -> Result<Program, MetadataError> {
    let Program1 { code, metadata, statistics } = parse(text)?;
    let metadata = metadata.upgrade(statistics);
    metadata.check().map_err(as_written)?;
    Ok(Program { code, metadata })
}

/// Names the field by its place in version 1.
fn as_written(error: MetadataError) -> MetadataError {
    match error {
        MetadataError::Field { field, reason } => {
            let field = field.strip_prefix("dispatches[0].").unwrap_or(&field).to_owned();
            MetadataError::Field { field, reason }
        }
        other => other,
    }
}
