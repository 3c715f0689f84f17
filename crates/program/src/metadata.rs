//! The metadata of a program: everything that a driver needs to run it, except the code.

use crate::json::{Json, Node, Read, record, tagged, words};
use crate::{
    BindingEntry, Dispatch, Dispatches, Distances, ENTRY_ALIGNMENT, FragmentMetadata, GRF_BYTES,
    GeometryMetadata, LineTable, MetadataError, SamplerEntry, TessControlMetadata,
    TessEvalMetadata, VertexMetadata,
};
use crestline_device::{Device, Pipeline, Platform};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeSet;

/// The version of the schema. It increases by one when the meaning of a field changes, or when newer
/// software would misunderstand a document without a new field.
pub const VERSION: u32 = 2;

/// The oldest version that can be read.
pub const OLDEST_VERSION: u32 = 1;

/// Maximum length of code in bytes, for all parsers.
pub const CODE_LIMIT: usize = 16 << 20;

/// Everything that a driver needs to run a program, except its code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Metadata {
    /// Version of the schema: [`VERSION`].
    pub version: u32,
    /// The platform the code is for.
    pub platform: Platform,
    /// Name of the entry point. Informative only.
    pub entry_point: String,
    /// The entry points of the code.
    pub dispatches: Dispatches,
    /// Metadata of the pipeline stage.
    pub stage: StageMetadata,
    /// The binding table, ordered by index. Indices that are not listed are unbound.
    pub binding_table: Vec<BindingEntry>,
    /// The sampler state table, ordered by index.
    pub samplers: Vec<SamplerEntry>,
    /// Scratch memory of one thread in bytes. The driver rounds it up to a size that the hardware
    /// has.
    pub scratch_bytes: u32,
    /// Private memory that the code addresses through
    /// [`PrivateMemoryAddress`](crate::Content::PrivateMemoryAddress), in bytes per channel.
    /// The driver allocates it for `simd_width` channels of each thread id from 0 to 511 (r0.5 bits
    /// 8:0).
    pub private_bytes_per_channel: u32,
    /// Size in bits of the addresses that the code reads from memory or push constants and accesses memory
    /// at: 64, or 32 for addresses relative to the general state base address. `None` if it has no such
    /// accesses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address_bits: Option<u32>,
    /// Constant data that the code refers to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub constant_data: Option<ConstantData>,
    /// Places in the code to patch before it runs.
    pub relocations: Vec<Relocation>,
    /// Floating point state at thread start.
    pub float_mode: FloatMode,
    /// Where the code comes from. Informative only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<LineTable>,
}

/// Metadata of the pipeline stage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum StageMetadata {
    /// A compute shader.
    Compute(ComputeMetadata),
    /// A vertex shader.
    Vertex(VertexMetadata),
    /// A tessellation control shader.
    TessControl(TessControlMetadata),
    /// A tessellation evaluation shader.
    TessEval(TessEvalMetadata),
    /// A geometry shader.
    Geometry(GeometryMetadata),
    /// A fragment shader.
    Fragment(FragmentMetadata),
}

impl StageMetadata {
    /// The clip and cull distances of the stage's output vertices; none for stages that have no such vertices.
    pub fn distances(&self) -> Distances {
        match self {
            StageMetadata::Vertex(stage) => stage.distances,
            StageMetadata::TessEval(stage) => stage.distances,
            StageMetadata::Geometry(stage) => stage.distances,
            _ => Distances::default(),
        }
    }

    /// The stage's name.
    pub fn name(&self) -> &'static str {
        match self {
            StageMetadata::Compute(_) => "compute",
            StageMetadata::Vertex(_) => "vertex",
            StageMetadata::TessControl(_) => "tess_control",
            StageMetadata::TessEval(_) => "tess_eval",
            StageMetadata::Geometry(_) => "geometry",
            StageMetadata::Fragment(_) => "fragment",
        }
    }

    /// The part of the device that starts the stage's threads.
    pub fn pipeline(&self) -> Pipeline {
        match self {
            StageMetadata::Compute(_) => Pipeline::Compute,
            _ => Pipeline::Graphics,
        }
    }

    /// Number of registers before the push constants of `payload.cross_thread`, as far as it is the
    /// same for all code entries.
    fn header_registers(&self) -> u32 {
        match self {
            StageMetadata::Compute(_) | StageMetadata::Fragment(_) => 1,
            StageMetadata::Vertex(stage) => stage.header_registers(),
            StageMetadata::TessControl(stage) => stage.header_registers(),
            StageMetadata::TessEval(stage) => stage.header_registers(),
            StageMetadata::Geometry(stage) => stage.header_registers(),
        }
    }
}

/// Metadata of compute programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ComputeMetadata {
    /// Invocations of a workgroup in x, y and z.
    pub local_size: [u32; 3],
    /// Shared memory of a workgroup in bytes.
    pub shared_bytes: u32,
    /// Whether the program uses barriers, so that the driver must reserve one.
    pub uses_barrier: bool,
}

impl ComputeMetadata {
    /// Invocations of a workgroup; saturates.
    pub fn invocations(&self) -> u32 {
        self.local_size.iter().fold(1, |product: u32, &size| product.saturating_mul(size))
    }

    /// Threads of a workgroup: invocations divided by the SIMD width, rounded up.
    pub fn threads_per_group(&self, simd_width: u32) -> u32 {
        self.invocations().div_ceil(simd_width)
    }

    /// Channels enabled in the last thread of a workgroup, one bit each. All other threads
    /// run with all channels.
    pub fn right_mask(&self, simd_width: u32) -> u32 {
        let all = u32::MAX >> (32 - simd_width);
        match self.invocations() % simd_width {
            0 => all,
            rest => (1 << rest) - 1,
        }
    }
}

/// Constant data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ConstantData {
    /// The contents, as hex text in JSON.
    #[serde(serialize_with = "crate::hex::serialize")]
    pub bytes: Vec<u8>,
    /// Required alignment of the address in bytes, a power of two.
    pub alignment: u32,
}

/// A place in the code to patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Relocation {
    /// Offset in the code in bytes. `encoding` determines what is there.
    pub offset: u32,
    /// How the value is stored.
    pub encoding: RelocationEncoding,
    /// The value.
    pub value: RelocationValue,
    /// Added to the value.
    pub delta: i32,
}

/// How a relocated value is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RelocationEncoding {
    /// As the 32-bit immediate of the 16-byte MOV at the offset (its bytes 12 to 15).
    MovImmediate,
    /// As the little-endian dword at the offset.
    Dword,
}

/// A value that is known only after loading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RelocationValue {
    /// Bits 31:0 of the address of the constant data.
    ConstantDataAddressLow,
    /// Bits 63:32 of the address of the constant data.
    ConstantDataAddressHigh,
}

/// Floating point state at thread start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FloatMode {
    /// Rounding of results.
    pub rounding: RoundingMode,
    /// Denormals of half precision.
    pub half: DenormalMode,
    /// Denormals of single precision.
    pub single: DenormalMode,
    /// Denormals of double precision.
    pub double: DenormalMode,
}

/// A rounding mode, in the order of the control register's codes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RoundingMode {
    /// To nearest, ties to even.
    #[default]
    NearestEven,
    /// Towards positive infinity.
    Up,
    /// Towards negative infinity.
    Down,
    /// Towards zero.
    Zero,
}

/// What happens to denormal numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DenormalMode {
    /// Operands and results become zero of the same sign.
    #[default]
    Flush,
    /// Denormal operands and results are kept.
    Preserve,
}

impl Metadata {
    /// Reads and [checks](Self::check) the JSON form of any version from [`OLDEST_VERSION`] to
    /// [`VERSION`].
    ///
    /// # Errors
    /// See [`MetadataError`]. The version is checked before all other fields.
    pub fn from_json(text: &str) -> Result<Metadata, MetadataError> {
        read(&Json::parse(text)?, None)
    }

    /// The JSON form, indented.
    pub fn to_json(&self) -> String {
        // Every field has a JSON form and writing to a string cannot fail.
        serde_json::to_string_pretty(self).unwrap_or_default()
    }

    /// Checks that the fields are consistent with each other and the platform.
    ///
    /// # Errors
    /// [`MetadataError::Version`], or [`MetadataError::Field`] for the first invalid field.
    pub fn check(&self) -> Result<(), MetadataError> {
        if self.version != VERSION {
            return Err(MetadataError::Version { found: self.version.into() });
        }
        let device = Device::new(self.platform);
        match &self.stage {
            StageMetadata::Compute(compute) => check_shared(compute, &device)?,
            StageMetadata::Vertex(vertex) => vertex.check(&device)?,
            StageMetadata::TessControl(control) => control.check(&device)?,
            StageMetadata::TessEval(eval) => eval.check(&device)?,
            StageMetadata::Geometry(geometry) => geometry.check(&device)?,
            StageMetadata::Fragment(fragment) => fragment.check(&self.dispatches, &device)?,
        }
        for (i, dispatch) in self.dispatches.iter().enumerate() {
            let within = |error| match error {
                MetadataError::Field { field, reason } if !field.starts_with("stage.") => {
                    MetadataError::Field { field: format!("dispatches[{i}].{field}"), reason }
                }
                other => other,
            };
            self.check_dispatch(dispatch, &device).map_err(within)?;
        }
        self.check_tables()?;
        if let Some(lines) = &self.lines {
            lines.check()?;
        }
        self.check_memory(&device)
    }

    /// Checks one entry point. The paths of fields in errors start at the entry point, or with
    /// `stage.` at the document.
    fn check_dispatch(&self, dispatch: &Dispatch, device: &Device) -> Result<(), MetadataError> {
        let width = dispatch.simd_width;
        if !matches!(width, 8 | 16 | 32) {
            return Err(field("simd_width", format!("{width}: expected 8, 16 or 32")));
        }
        match &self.stage {
            StageMetadata::Compute(compute) => self.check_group(compute, width, device)?,
            StageMetadata::Fragment(_) => return self.check_payload(dispatch, device),
            _ if width != 8 => {
                let reason = format!("{width}: threads of this stage have 8 channels");
                return Err(field("simd_width", reason));
            }
            _ => {}
        }
        if let Some(slot) = dispatch.kernel_start_slot {
            let stage = self.stage.name();
            let reason = format!(
                "{slot}: only fragment shaders have a kernel start slot, but this is a {stage} shader"
            );
            return Err(field("kernel_start_slot", reason));
        }
        self.check_payload(dispatch, device)
    }

    /// Checks that the device can run all threads of a workgroup at the same time.
    fn check_group(
        &self,
        compute: &ComputeMetadata,
        simd_width: u32,
        device: &Device,
    ) -> Result<(), MetadataError> {
        let [x, y, z] = compute.local_size;
        let size = [x, y, z].iter().fold(1, |size: u64, &n| size.saturating_mul(n.into()));
        let threads = size.div_ceil(simd_width.into());
        let limit = device.limits().max_workgroup_threads;
        if size == 0 || threads > limit.into() {
            let reason = format!(
                "{x}x{y}x{z} invocations are {threads} threads of SIMD{simd_width}: expected 1 to {limit} threads on {}",
                self.platform
            );
            return Err(field("stage.local_size", reason));
        }
        Ok(())
    }

    /// Checks that the parts of the payload lie within the registers and have possible sizes.
    fn check_payload(&self, dispatch: &Dispatch, device: &Device) -> Result<(), MetadataError> {
        let limit = device.limits().grf_count;
        let payload = &dispatch.payload;
        let ids = payload.local_ids.map(|ids| {
            let registers = ids.registers_per_dimension.saturating_mul(ids.dimensions);
            ("payload.local_ids", ids.first, registers)
        });
        let ranges = [
            payload.cross_thread.map(|r| ("payload.cross_thread", r.first, r.count)),
            payload.per_thread.map(|r| ("payload.per_thread", r.first, r.count)),
            payload.setup.map(|r| ("payload.setup", r.first, r.count)),
            ids,
        ];
        for (name, first, count) in ranges.into_iter().flatten() {
            let end = first.checked_add(count).filter(|&end| end <= limit);
            if first == 0 || count == 0 || end.is_none() {
                let reason = format!(
                    "{count} registers from r{first}: expected at least one register, within r1 to r{}",
                    limit - 1
                );
                return Err(field(name, reason));
            }
        }
        let header = self.stage.header_registers();
        if let Some(constants) = payload.cross_thread
            && constants.first < header
        {
            let reason = format!("r{}: expected a register from r{header} on", constants.first);
            return Err(field("payload.cross_thread", reason));
        }
        if let Some(ids) = payload.local_ids {
            let least = (dispatch.simd_width * 2).div_ceil(GRF_BYTES);
            if ids.dimensions > 3 || ids.registers_per_dimension < least {
                let reason = format!(
                    "{} dimensions of {} registers: expected 1 to 3 of at least {least}",
                    ids.dimensions, ids.registers_per_dimension
                );
                return Err(field("payload.local_ids", reason));
            }
        }
        if payload.setup.is_some() && !matches!(self.stage, StageMetadata::Fragment(_)) {
            let reason = format!("a {} shader has no setup data", self.stage.name());
            return Err(field("payload.setup", reason));
        }
        let compute = matches!(self.stage, StageMetadata::Compute(_));
        if compute && payload.cross_thread.is_some() && !device.has_cross_thread_constants() {
            let reason = format!("{} has per-thread push constants only", self.platform);
            return Err(field("payload.cross_thread", reason));
        }
        for (i, item) in payload.items.iter().enumerate() {
            let end = item.offset.checked_add(item.size);
            if item.offset < GRF_BYTES || end.is_none_or(|end| end > limit * GRF_BYTES) {
                let reason = format!(
                    "bytes {} to {} + {}: expected bytes within r1 to r{}",
                    item.offset,
                    item.offset,
                    item.size,
                    limit - 1
                );
                return Err(field(&format!("payload.items[{i}]"), reason));
            }
        }
        Ok(())
    }

    /// Checks the indices of the binding table and the sampler table.
    fn check_tables(&self) -> Result<(), MetadataError> {
        let mut indices = BTreeSet::new();
        for (i, entry) in self.binding_table.iter().enumerate() {
            if entry.index >= 240 || !indices.insert(entry.index) {
                let reason = format!("{}: expected each of 0 to 239 at most once", entry.index);
                return Err(field(&format!("binding_table[{i}].index"), reason));
            }
        }
        let mut indices = BTreeSet::new();
        for (i, entry) in self.samplers.iter().enumerate() {
            if !indices.insert(entry.index) {
                let reason = format!("{}: listed twice", entry.index);
                return Err(field(&format!("samplers[{i}].index"), reason));
            }
        }
        Ok(())
    }

    /// Checks scratch and private memory, constant data and relocations.
    fn check_memory(&self, device: &Device) -> Result<(), MetadataError> {
        let pipeline = self.stage.pipeline();
        if device.scratch_size(pipeline, self.scratch_bytes).is_none() {
            let reason = format!("{}: more than {} can give", self.scratch_bytes, self.platform);
            return Err(field("scratch_bytes", reason));
        }
        let most = device.max_scratch_bytes(pipeline);
        if self.private_bytes_per_channel > most {
            let reason = format!("{}: expected at most {most}", self.private_bytes_per_channel);
            return Err(field("private_bytes_per_channel", reason));
        }
        if let Some(bits) = self.address_bits
            && !matches!(bits, 32 | 64)
        {
            return Err(field("address_bits", format!("{bits}: expected 32 or 64")));
        }
        if let Some(data) = &self.constant_data
            && !(data.alignment.is_power_of_two() && data.alignment <= 4096)
        {
            let reason = format!("{}: expected a power of two up to 4096", data.alignment);
            return Err(field("constant_data.alignment", reason));
        }
        if !self.relocations.is_empty() && self.constant_data.is_none() {
            let reason = "the relocation refers to constant data, but there is none".to_owned();
            return Err(field("relocations", reason));
        }
        Ok(())
    }

    /// Checks the code's length, and that entry points and relocations are within the code.
    ///
    /// # Errors
    /// [`MetadataError::Field`].
    pub fn check_code(&self, code: &[u8]) -> Result<(), MetadataError> {
        if code.is_empty() || !code.len().is_multiple_of(8) || code.len() > CODE_LIMIT {
            let reason = format!(
                "{} bytes: expected a multiple of 8, at least 8, at most {CODE_LIMIT}",
                code.len()
            );
            return Err(field("code", reason));
        }
        for (i, Dispatch { offset, .. }) in self.dispatches.iter().enumerate() {
            let path = format!("dispatches[{i}].offset");
            if !offset.is_multiple_of(ENTRY_ALIGNMENT) {
                let reason = format!("{offset}: expected a multiple of {ENTRY_ALIGNMENT}");
                return Err(field(&path, reason));
            }
            if *offset as usize >= code.len() {
                let reason = format!("{offset}: outside the code ({} bytes)", code.len());
                return Err(field(&path, reason));
            }
        }
        for (i, relocation) in self.relocations.iter().enumerate() {
            let size = match relocation.encoding {
                RelocationEncoding::MovImmediate => 16,
                RelocationEncoding::Dword => 4,
            };
            if u64::from(relocation.offset) + size > code.len() as u64 {
                let reason =
                    format!("{}: outside the code ({} bytes)", relocation.offset, code.len());
                return Err(field(&format!("relocations[{i}].offset"), reason));
            }
        }
        Ok(())
    }
}

impl<'de> Deserialize<'de> for Metadata {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Metadata, D::Error> {
        read(&Json::deserialize(deserializer)?, None).map_err(D::Error::custom)
    }
}

impl Relocation {
    /// Writes the value into the code. `address` is the address of the constant data. Does nothing
    /// if the relocation is outside the code, which [`Metadata::check_code`] reports.
    pub fn apply(&self, code: &mut [u8], address: u64) {
        let value = match self.value {
            RelocationValue::ConstantDataAddressLow => address as u32,
            RelocationValue::ConstantDataAddressHigh => (address >> 32) as u32,
        };
        let within = match self.encoding {
            RelocationEncoding::MovImmediate => 12,
            RelocationEncoding::Dword => 0,
        };
        let start = self.offset as usize + within;
        if let Some(place) = code.get_mut(start..start + 4) {
            place.copy_from_slice(&value.wrapping_add_signed(self.delta).to_le_bytes());
        }
    }
}

/// Checks the size of shared memory.
fn check_shared(compute: &ComputeMetadata, device: &Device) -> Result<(), MetadataError> {
    if device.shared_memory_size(compute.shared_bytes).is_none() {
        let limit = device.limits().max_shared_bytes;
        let reason = format!("{}: expected at most {limit}", compute.shared_bytes);
        return Err(field("stage.shared_bytes", reason));
    }
    Ok(())
}

/// The version of the schema. Fails if it cannot be read.
fn known(json: &Json) -> Result<u32, MetadataError> {
    let number = match json {
        Json::Object(_) => match json.get("version") {
            Some(Json::Number(number)) => number.as_u64(),
            _ => None,
        },
        _ => return Err(Node::root(json).expected("an object")),
    };
    let Some(found) = number else {
        let expected = format!("the number of a version, {OLDEST_VERSION} to {VERSION}");
        let found = json.get("version").map_or_else(|| "nothing".to_owned(), Json::to_string);
        return Err(MetadataError::Shape { path: "version".to_owned(), expected, found });
    };
    match u32::try_from(found) {
        Ok(version @ OLDEST_VERSION..=VERSION) => Ok(version),
        _ => Err(MetadataError::Version { found }),
    }
}

/// Reads metadata of any supported version and checks them. `statistics` is the field next to the
/// metadata, which only programs of version 1 have.
pub(crate) fn read(json: &Json, statistics: Option<Node<'_>>) -> Result<Metadata, MetadataError> {
    match known(json)? {
        1 => version1::metadata(json, statistics),
        _ => {
            if let Some(node) = statistics.filter(|node| !node.is_missing()) {
                return Err(node.expected("nothing: entry points have the statistics"));
            }
            let metadata = Metadata::read(Node::root(json))?;
            metadata.check()?;
            Ok(metadata)
        }
    }
}

/// The error for a field.
fn field(name: &str, reason: String) -> MetadataError {
    MetadataError::Field { field: name.to_owned(), reason }
}

record! {
    Metadata {
        version, platform, entry_point: default, dispatches, stage, binding_table: default,
        samplers: default, scratch_bytes: default, private_bytes_per_channel: default, address_bits,
        constant_data, relocations: default, float_mode: default, lines,
    }
    ComputeMetadata { local_size, shared_bytes: default, uses_barrier: default }
    ConstantData { bytes: hex, alignment }
    Relocation { offset, encoding, value, delta: default }
    FloatMode { rounding: default, half: default, single: default, double: default }
}

tagged! {
    StageMetadata {
        compute => Compute(ComputeMetadata),
        vertex => Vertex(VertexMetadata),
        tess_control => TessControl(TessControlMetadata),
        tess_eval => TessEval(TessEvalMetadata),
        geometry => Geometry(GeometryMetadata),
        fragment => Fragment(FragmentMetadata),
    }
}

words!(Platform, RelocationEncoding, RelocationValue, RoundingMode, DenormalMode);

mod version1;

#[cfg(test)]
mod tests;
