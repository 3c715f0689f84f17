//! Version 1 of the schema: one entry point, at the begin of the code, whose statistics stand beside the metadata.

use super::{ConstantData, FloatMode, Metadata, Relocation, StageMetadata, VERSION};
use crate::json::{Json, Node, Read, record};
use crate::{BindingEntry, Dispatch, MetadataError, SamplerEntry, ThreadPayload};
use crestline_device::Platform;

struct Metadata1 {
    version: u32,
    platform: Platform,
    entry_point: String,
    simd_width: u32,
    stage: StageMetadata,
    payload: ThreadPayload,
    binding_table: Vec<BindingEntry>,
    samplers: Vec<SamplerEntry>,
    scratch_bytes: u32,
    private_bytes_per_channel: u32,
    constant_data: Option<ConstantData>,
    relocations: Vec<Relocation>,
    float_mode: FloatMode,
}

record! {
    Metadata1 {
        version, platform, entry_point: default, simd_width, stage, payload, binding_table: default,
        samplers: default, scratch_bytes: default, private_bytes_per_channel: default, constant_data,
        relocations: default, float_mode: default,
    }
}

/// Reads metadata of version 1, with the statistics that stand beside them in a program, and checks them.
pub(super) fn metadata(
    json: &Json,
    statistics: Option<Node<'_>>,
) -> Result<Metadata, MetadataError> {
    let read = Metadata1::read(Node::root(json))?;
    debug_assert_eq!(read.version, 1);
    let mut dispatch = Dispatch::at_start(read.simd_width, read.payload);
    dispatch.statistics = statistics.map(Option::read).transpose()?.flatten();
    let metadata = Metadata {
        version: VERSION,
        platform: read.platform,
        entry_point: read.entry_point,
        dispatches: dispatch.into(),
        stage: read.stage,
        binding_table: read.binding_table,
        samplers: read.samplers,
        scratch_bytes: read.scratch_bytes,
        private_bytes_per_channel: read.private_bytes_per_channel,
        constant_data: read.constant_data,
        relocations: read.relocations,
        float_mode: read.float_mode,
    };
    metadata.check().map_err(as_written)?;
    Ok(metadata)
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
