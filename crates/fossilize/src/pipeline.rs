//! The payloads of shader modules and pipelines.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::archive::VERSIONS;
use crate::error::FozError;
use crate::varint;

/// The kinds of pipelines that are read. Ray tracing pipelines are not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A graphics pipeline.
    Graphics,
    /// A compute pipeline.
    Compute,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 2] = [Kind::Graphics, Kind::Compute];

    /// The tag of the entries.
    pub(crate) fn tag(self) -> u64 {
        match self {
            Kind::Graphics => 6,
            Kind::Compute => 7,
        }
    }

    /// The name: `graphics` or `compute`.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Graphics => "graphics",
            Kind::Compute => "compute",
        }
    }
}

/// A pipeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pipeline {
    /// Its kind.
    pub kind: Kind,
    /// Its hash.
    pub hash: u64,
    /// Its stages, in the order of the database.
    pub stages: Vec<Stage>,
}

/// A stage of a pipeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stage {
    /// Which stage it is.
    pub kind: StageKind,
    /// The entry point.
    pub entry: String,
    /// The hash of the shader module; 0 if the database has none, since the program gave only an identifier of it.
    pub module: u64,
    /// Specialization constants: `SpecId`, and the bytes of the value as a little-endian number. Values of more than eight bytes
    /// are errors.
    pub specialization: Vec<(u32, u64)>,
}

/// A stage, by its bit in Vulkan's `VkShaderStageFlagBits`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StageKind {
    /// Vertex shader, 0x1.
    Vertex,
    /// Tessellation control shader, 0x2.
    TessControl,
    /// Tessellation evaluation shader, 0x4.
    TessEval,
    /// Geometry shader, 0x8.
    Geometry,
    /// Fragment shader, 0x10.
    Fragment,
    /// Compute shader, 0x20.
    Compute,
    /// Another stage, such as that of a task or mesh shader.
    Other(u32),
}

impl StageKind {
    fn of_bit(bit: u32) -> StageKind {
        match bit {
            0x1 => StageKind::Vertex,
            0x2 => StageKind::TessControl,
            0x4 => StageKind::TessEval,
            0x8 => StageKind::Geometry,
            0x10 => StageKind::Fragment,
            0x20 => StageKind::Compute,
            bit => StageKind::Other(bit),
        }
    }

    /// The name, such as `tess_control`; `stage_0x80` for another stage.
    pub fn name(self) -> String {
        match self {
            StageKind::Vertex => "vertex".to_owned(),
            StageKind::TessControl => "tess_control".to_owned(),
            StageKind::TessEval => "tess_eval".to_owned(),
            StageKind::Geometry => "geometry".to_owned(),
            StageKind::Fragment => "fragment".to_owned(),
            StageKind::Compute => "compute".to_owned(),
            StageKind::Other(bit) => format!("stage_{bit:#x}"),
        }
    }
}

/// The JSON of an entry with shader modules.
#[derive(Deserialize)]
struct Modules {
    version: u32,
    #[serde(rename = "shaderModules")]
    values: BTreeMap<String, Module>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Module {
    code_size: u64,
    varint_offset: Option<u64>,
    varint_size: Option<u64>,
    /// The words in base64, in older databases.
    code: Option<String>,
}

/// The JSON of an entry with pipelines.
#[derive(Deserialize)]
struct Pipelines<T> {
    version: u32,
    #[serde(alias = "graphicsPipelines", alias = "computePipelines")]
    pipelines: BTreeMap<String, T>,
}

#[derive(Deserialize)]
struct Graphics {
    #[serde(default)]
    stages: Vec<StageInfo>,
}

#[derive(Deserialize)]
struct Compute {
    stage: StageInfo,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct StageInfo {
    stage: u32,
    name: String,
    module: String,
    specialization_info: Option<SpecializationInfo>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SpecializationInfo {
    data_size: u64,
    data: String,
    #[serde(default)]
    map_entries: Vec<MapEntry>,
}

#[derive(Deserialize)]
struct MapEntry {
    #[serde(rename = "constantID")]
    constant_id: u32,
    offset: u64,
    size: u64,
}

/// The words of the module `hash` in a payload.
pub(crate) fn module(payload: &[u8], hash: u64) -> Result<Vec<u32>, FozError> {
    let fail = |reason: &str| FozError::Entry { hash, reason: reason.to_owned() };
    let (json, binary) = match payload.iter().position(|&byte| byte == 0) {
        Some(end) => (&payload[..end], &payload[end + 1..]),
        None => (payload, &[][..]),
    };
    let modules: Modules = parse(json, hash)?;
    check(modules.version)?;
    let module = named(modules.values, hash).ok_or_else(|| fail("no shader module of its hash"))?;
    if !module.code_size.is_multiple_of(4) {
        return Err(fail("the size of the SPIR-V is no multiple of 4"));
    }
    let words = match (module.varint_offset, module.varint_size, module.code) {
        (Some(offset), Some(size), _) => {
            let end = offset.checked_add(size).and_then(|end| usize::try_from(end).ok());
            let start = usize::try_from(offset).ok();
            let bytes = start.zip(end).and_then(|(start, end)| binary.get(start..end));
            let bytes = bytes.ok_or_else(|| fail("the SPIR-V lies outside the entry"))?;
            usize::try_from(module.code_size / 4)
                .ok()
                .and_then(|count| varint::decode(bytes, count))
        }
        (_, _, Some(code)) => {
            let bytes = STANDARD.decode(code).unwrap_or_default();
            (bytes.len() as u64 == module.code_size).then(|| {
                bytes.as_chunks::<4>().0.iter().map(|&word| u32::from_le_bytes(word)).collect()
            })
        }
        _ => return Err(fail("expected `varintOffset` and `varintSize`, or `code`")),
    };
    words.ok_or_else(|| fail(&format!("expected SPIR-V of {} bytes", module.code_size)))
}

/// The pipeline `hash` in a payload.
pub(crate) fn pipeline(payload: &[u8], kind: Kind, hash: u64) -> Result<Pipeline, FozError> {
    let json = payload.split(|&byte| byte == 0).next().unwrap_or_default();
    let infos = match kind {
        Kind::Graphics => {
            let found: Pipelines<Graphics> = parse(json, hash)?;
            check(found.version)?;
            named(found.pipelines, hash).map(|pipeline| pipeline.stages)
        }
        Kind::Compute => {
            let found: Pipelines<Compute> = parse(json, hash)?;
            check(found.version)?;
            named(found.pipelines, hash).map(|pipeline| vec![pipeline.stage])
        }
    };
    let missing = || FozError::Entry { hash, reason: "no pipeline of its hash".to_owned() };
    let stages = infos.ok_or_else(missing)?.into_iter().map(|info| stage(info, hash));
    Ok(Pipeline { kind, hash, stages: stages.collect::<Result<_, _>>()? })
}

fn stage(info: StageInfo, hash: u64) -> Result<Stage, FozError> {
    let fail = |reason: String| FozError::Entry { hash, reason };
    let module = number(&info.module)
        .ok_or_else(|| fail(format!("the module `{}` is no hash", excerpt(&info.module))))?;
    let specialization = match info.specialization_info {
        None => Vec::new(),
        Some(info) => constants(&info).map_err(fail)?,
    };
    Ok(Stage { kind: StageKind::of_bit(info.stage), entry: info.name, module, specialization })
}

/// The specialization constants, each with its value.
fn constants(info: &SpecializationInfo) -> Result<Vec<(u32, u64)>, String> {
    let data =
        STANDARD.decode(&info.data).map_err(|error| format!("specialization data: {error}"))?;
    if data.len() as u64 != info.data_size {
        return Err(format!(
            "the specialization data have {} bytes, but the database says {}",
            data.len(),
            info.data_size
        ));
    }
    let value = |entry: &MapEntry| {
        let MapEntry { constant_id, offset, size } = *entry;
        let start = usize::try_from(offset).ok();
        let end = offset.checked_add(size).and_then(|end| usize::try_from(end).ok());
        let bytes = start.zip(end).and_then(|(start, end)| data.get(start..end));
        let bytes = bytes.filter(|bytes| (1..=8).contains(&bytes.len())).ok_or_else(|| {
            format!(
                "specialization constant {constant_id}: {size} bytes at {offset} of {} bytes",
                data.len()
            )
        })?;
        let mut value = [0; 8];
        value[..bytes.len()].copy_from_slice(bytes);
        Ok((constant_id, u64::from_le_bytes(value)))
    };
    info.map_entries.iter().map(value).collect()
}

fn parse<T: DeserializeOwned>(json: &[u8], hash: u64) -> Result<T, FozError> {
    serde_json::from_slice(json)
        .map_err(|error| FozError::Entry { hash, reason: excerpt(&error.to_string()) })
}

fn check(version: u32) -> Result<(), FozError> {
    if VERSIONS.contains(&version) { Ok(()) } else { Err(FozError::Version { found: version }) }
}

/// The value whose name is the hash.
fn named<T>(values: BTreeMap<String, T>, hash: u64) -> Option<T> {
    values.into_iter().find(|(name, _)| number(name) == Some(hash)).map(|(_, value)| value)
}

/// A hash in hexadecimal digits.
fn number(digits: &str) -> Option<u64> {
    let fits = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    u64::from_str_radix(digits, 16).ok().filter(|_| fits)
}

/// The beginning of a text that is not trusted.
fn excerpt(text: &str) -> String {
    text.chars().take(200).collect()
}
