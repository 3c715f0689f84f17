//! Reads version 1 of the schema. It has one entry point, at the start of the code; the statistics
//! are next to the metadata in a program.

use super::{ConstantData, FloatMode, Metadata, Relocation, StageMetadata, VERSION};
use crate::json::{Json, Node, Read, record};
use crate::{BindingEntry, Dispatch, MetadataError, SamplerEntry, ThreadPayload};
use crestline_device::Platform;

/// The fields of version 1.
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

/// Reads and checks metadata of version 1, with the statistics that are next to them in a program.
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
        address_bits: None,
        lines: None,
        constant_data: read.constant_data,
        relocations: read.relocations,
        float_mode: read.float_mode,
    };
    metadata.check().map_err(as_written)?;
    Ok(metadata)
}

/// Changes the path of a field in an error to its path in version 1.
fn as_written(error: MetadataError) -> MetadataError {
    match error {
        MetadataError::Field { field, reason } => {
            let field = field.strip_prefix("dispatches[0].").unwrap_or(&field).to_owned();
            MetadataError::Field { field, reason }
        }
        other => other,
    }
}
