//! Reads the pack's description of a program and translates it to [`Metadata`].

use super::parse_hex;
use crestline_program::{
    BindingEntry, ComputeMetadata, ConstantData, Content, Dispatch, FloatMode, GrfRange,
    ImageAccess, LocalIds, Metadata, PayloadItem, Relocation, RelocationEncoding, RelocationValue,
    ResourceRef, SamplerEntry, StageMetadata, Surface, ThreadPayload, VERSION,
};
use serde::Deserialize;

#[derive(Deserialize)]
pub(super) struct MetaFile {
    #[serde(alias = "device")]
    platform: String,
    simd: u32,
    #[serde(default)]
    pub(super) local_size: Option<[u32; 3]>,
    pub(super) code_bytes: usize,
    payload: PayloadFile,
    binding_table: Vec<BindingFile>,
    #[serde(default)]
    samplers: Vec<SamplerFile>,
    #[serde(default)]
    scratch_bytes: u32,
    #[serde(default, alias = "slm_bytes")]
    shared_bytes: u32,
    #[serde(default)]
    uses_barrier: bool,
    #[serde(default)]
    barrier_count: u32,
    #[serde(default)]
    relocations: Vec<RelocationFile>,
    #[serde(default)]
    per_thread_memory_buffers: Vec<MemoryFile>,
}

#[derive(Deserialize)]
struct PayloadFile {
    #[serde(default)]
    cross_thread_grfs: Option<[u32; 2]>,
    #[serde(default)]
    per_thread_grfs: Option<[u32; 2]>,
    #[serde(default)]
    push: Vec<PushFile>,
    #[serde(default)]
    per_thread: Option<RangeFile>,
    #[serde(default)]
    cross_thread: Option<RangeFile>,
}

#[derive(Deserialize)]
struct RangeFile {
    first_grf: u32,
    grfs: u32,
    #[serde(default)]
    data_hex: Option<String>,
    #[serde(default)]
    addresses_to_patch: Vec<PatchFile>,
}

#[derive(Deserialize)]
struct PatchFile {
    offset: u32,
    arg: Option<u32>,
    what: String,
}

#[derive(Deserialize)]
struct PushFile {
    grf: u32,
    dword: u32,
    count: u32,
    kind: String,
    byte_offset_in_kind: u32,
}

#[derive(Deserialize)]
pub(super) struct BindingFile {
    pub(super) bti: u8,
    pub(super) kind: String,
    #[serde(default)]
    set: u32,
    #[serde(default)]
    binding: u32,
    #[serde(default)]
    arg: Option<u32>,
    #[serde(default)]
    surface_format: Option<String>,
    #[serde(default)]
    contents_hex: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct SamplerFile {
    pub(super) index: u8,
    pub(super) set: u32,
    pub(super) binding: u32,
}

#[derive(Deserialize)]
pub(super) struct RelocationFile {
    offset: u32,
    kind: String,
    delta: i32,
}

#[derive(Deserialize)]
struct MemoryFile {
    r#type: String,
    size: u32,
    #[serde(default)]
    is_simt_thread: bool,
}

fn argument(index: u32) -> ResourceRef {
    ResourceRef { set: 0, binding: index, element: 0 }
}

impl MetaFile {
    /// Translates the file to our metadata; `name` is the entry point's name.
    ///
    /// # Errors
    /// A message about the part that cannot be translated.
    pub(super) fn translate(
        &self,
        name: &str,
        local_size: [u32; 3],
        constant_data: Option<ConstantData>,
    ) -> Result<Metadata, String> {
        let platform = self.platform.trim_end_matches("lp");
        let platform = platform.parse().map_err(|e| format!("{e}"))?;
        let scratch: u32 = self
            .per_thread_memory_buffers
            .iter()
            .filter(|memory| memory.r#type == "scratch")
            .map(|memory| memory.size)
            .sum();
        let private =
            self.per_thread_memory_buffers.iter().find(|memory| memory.r#type == "global");
        let private_bytes_per_channel = match private {
            Some(memory) if memory.is_simt_thread => memory.size,
            Some(memory) => memory.size.div_ceil(self.simd),
            None => 0,
        };
        let mut binding_table =
            self.binding_table.iter().map(BindingFile::translate).collect::<Result<Vec<_>, _>>()?;
        binding_table.sort_by_key(|entry| entry.index);
        Ok(Metadata {
            version: VERSION,
            platform,
            entry_point: name.to_owned(),
            dispatches: Dispatch::at_start(self.simd, self.payload.translate(self.simd)?).into(),
            stage: StageMetadata::Compute(ComputeMetadata {
                local_size,
                shared_bytes: self.shared_bytes,
                uses_barrier: self.uses_barrier || self.barrier_count > 0,
            }),
            binding_table,
            samplers: self
                .samplers
                .iter()
                .map(|s| SamplerEntry {
                    index: s.index,
                    resource: ResourceRef { set: s.set, binding: s.binding, element: 0 },
                })
                .collect(),
            scratch_bytes: self.scratch_bytes + scratch,
            private_bytes_per_channel,
            address_bits: None,
            lines: None,
            constant_data,
            relocations: self
                .relocations
                .iter()
                .map(RelocationFile::translate)
                .collect::<Result<_, _>>()?,
            float_mode: FloatMode::default(),
        })
    }
}

impl PayloadFile {
    fn translate(&self, simd: u32) -> Result<ThreadPayload, String> {
        if let (Some(per_thread), Some(cross_thread)) = (&self.per_thread, &self.cross_thread) {
            return kernel_payload(per_thread, cross_thread, simd);
        }
        let range = |range: Option<[u32; 2]>| {
            range.map(|[first, end]| GrfRange { first, count: end - first }).filter(|r| r.count > 0)
        };
        let mut items = Vec::new();
        for push in &self.push {
            let content = match push.kind.as_str() {
                "user_push_constant" => Content::PushConstant { offset: push.byte_offset_in_kind },
                "subgroup_id" => Content::SubgroupId,
                "base_workgroup_id" => Content::BaseWorkgroupId,
                // The driver's own data, which these programs do not read.
                _ => continue,
            };
            let offset = push.grf * 32 + push.dword * 4;
            items.push(PayloadItem { offset, size: push.count * 4, content });
        }
        Ok(ThreadPayload {
            cross_thread: range(self.cross_thread_grfs),
            per_thread: range(self.per_thread_grfs),
            setup: None,
            local_ids: None,
            items,
        })
    }
}

/// The payload of a kernel: local ids in the per-thread block, and arguments as literal bytes.
fn kernel_payload(
    per_thread: &RangeFile,
    cross_thread: &RangeFile,
    simd: u32,
) -> Result<ThreadPayload, String> {
    let start = cross_thread.first_grf * 32;
    let bytes = parse_hex(cross_thread.data_hex.as_deref().unwrap_or_default())?;
    let mut items = vec![PayloadItem {
        offset: start,
        size: bytes.len() as u32,
        content: Content::Literal { bytes },
    }];
    for patch in &cross_thread.addresses_to_patch {
        let content = match (patch.what.as_str(), patch.arg) {
            ("private_base_stateless", _) => Content::PrivateMemoryAddress,
            (_, Some(arg)) => Content::BufferAddress { resource: argument(arg) },
            (what, None) => return Err(format!("address of `{what}` without an argument")),
        };
        items.push(PayloadItem { offset: start + patch.offset, size: 8, content });
    }
    let range = |range: &RangeFile| GrfRange { first: range.first_grf, count: range.grfs };
    Ok(ThreadPayload {
        cross_thread: Some(range(cross_thread)),
        per_thread: Some(range(per_thread)),
        setup: None,
        local_ids: Some(LocalIds {
            first: per_thread.first_grf,
            registers_per_dimension: simd.div_ceil(16),
            dimensions: 3,
        }),
        items,
    })
}

impl BindingFile {
    pub(super) fn translate(&self) -> Result<BindingEntry, String> {
        let resource = match self.arg {
            Some(arg) => argument(arg),
            None => ResourceRef { set: self.set, binding: self.binding, element: 0 },
        };
        let format = match &self.surface_format {
            Some(name) => Some(name.parse().map_err(|e| format!("{e}"))?),
            None => None,
        };
        let surface = match self.kind.as_str() {
            "null" => Surface::Null,
            "ssbo" | "buffer" => Surface::StorageBuffer { resource },
            "ubo" => Surface::UniformBuffer { resource },
            "shader_constants" => Surface::ConstantData,
            "num_workgroups" => Surface::NumWorkgroups,
            "descriptor_buffer" => Surface::Literal {
                bytes: parse_hex(self.contents_hex.as_deref().unwrap_or_default())?,
            },
            "storage_image" => {
                Surface::StorageImage { resource, access: ImageAccess::ReadWrite, format }
            }
            "sampled_texture" => Surface::SampledImage { resource, format },
            "image" => {
                Surface::StorageImage { resource, access: ImageAccess::ReadWrite, format: None }
            }
            other => return Err(format!("binding of unknown kind `{other}`")),
        };
        Ok(BindingEntry { index: self.bti, surface })
    }
}

impl RelocationFile {
    pub(super) fn translate(&self) -> Result<Relocation, String> {
        let value = match self.kind.as_str() {
            "const_data_addr_low" => RelocationValue::ConstantDataAddressLow,
            "const_data_addr_high" => RelocationValue::ConstantDataAddressHigh,
            other => return Err(format!("relocation of unknown kind `{other}`")),
        };
        let encoding = RelocationEncoding::MovImmediate;
        Ok(Relocation { offset: self.offset, encoding, value, delta: self.delta })
    }
}
