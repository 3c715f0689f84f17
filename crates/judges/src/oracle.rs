//! The oracle pack: machine code of other compilers with data to run it.
//!
//! The pack lies outside of the repository: at the path in `CRESTLINE_SHARED`, or in
//! `../shared` beside the repository. It is translated here into our own [`Metadata`] and plain
//! buffers, so that whoever runs the code needs to know nothing of the pack.

pub mod vec4;

use crate::Absent;
use crestline_program::{
    BindingEntry, ComputeMetadata, ConstantData, Content, FloatMode, GrfRange, ImageAccess,
    LocalIds, Metadata, Payload, PayloadItem, Relocation, RelocationEncoding, RelocationValue,
    ResourceRef, SamplerEntry, StageMetadata, Surface, VERSION,
};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The environment variable with the directory that holds the pack as `oracle`.
pub const SHARED_VARIABLE: &str = "CRESTLINE_SHARED";

/// The pack.
#[derive(Clone, Debug)]
pub struct Oracle {
    root: PathBuf,
}

/// Why a file of the pack could not be used.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {reason}")]
pub struct OracleError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub reason: String,
}

/// Which compiler made the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Compiler {
    /// Mesa's Vulkan driver.
    Mesa,
    /// Intel's graphics compiler, from OpenCL C.
    Igc,
}

/// A compute shader or kernel with its data.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its name, which is that of its directory.
    pub name: String,
    /// Who compiled it.
    pub compiler: Compiler,
    /// Its directory.
    pub directory: PathBuf,
    /// Workgroups to dispatch.
    pub grid: [u32; 3],
    /// Bytes of the push constant block.
    pub push_constants: Vec<u8>,
    /// The resources. Arguments of kernels are bindings of set 0, numbered as the arguments.
    pub resources: Vec<CaseResource>,
    /// The samplers.
    pub samplers: Vec<CaseSampler>,
    /// Names of the variants: `skl`, `bdw.simd8`.
    pub variants: Vec<String>,
}

/// A sampler of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CaseSampler {
    /// Where it is bound, alone or combined with an image.
    pub resource: ResourceRef,
    /// Linear filter, rather than nearest. All samplers clamp to the edge.
    pub linear: bool,
    /// Coordinates are 0 to 1 rather than texels.
    pub normalized: bool,
}

/// A resource of a case.
#[derive(Clone, Debug)]
pub struct CaseResource {
    /// Where it is bound.
    pub resource: ResourceRef,
    /// What it is, as the pack calls it: `ssbo`, `ubo`, `buffer`, `image`, `storage_image`, ...
    pub kind: String,
    /// Contents before the run.
    pub contents: Vec<u8>,
    /// Contents expected after it, where they are specified.
    pub expected: Option<Expected>,
    /// Layout, if it is an image.
    pub image: Option<ImageLayout>,
}

/// Layout of an image resource: linear, one level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageLayout {
    /// Format in GLSL's spelling.
    pub format: String,
    /// Width in texels.
    pub width: u32,
    /// Height in texels.
    pub height: u32,
    /// Bytes from row to row.
    pub row_pitch: u32,
}

/// Expected contents and how to compare with them.
#[derive(Clone, Debug)]
pub struct Expected {
    /// The contents.
    pub bytes: Vec<u8>,
    rule: CompareRule,
}

/// Machine code of one case for one platform and width.
#[derive(Clone, Debug)]
pub struct Variant {
    /// The code, not relocated.
    pub code: Vec<u8>,
    /// What a driver needs to run it.
    pub metadata: Metadata,
}

#[derive(Clone, Debug, Deserialize)]
struct CompareRule {
    r#type: String,
    mode: String,
    #[serde(default)]
    rtol: f64,
    #[serde(default)]
    atol: f64,
    #[serde(default)]
    ignore_zero_sign: bool,
}

#[derive(Deserialize)]
struct CaseFile {
    name: String,
    #[serde(default)]
    dispatch: Option<[u32; 3]>,
    #[serde(default)]
    global_size: Option<[u32; 3]>,
    local_size: [u32; 3],
    #[serde(default)]
    push_constants: Option<String>,
    #[serde(default)]
    resources: Vec<ResourceFile>,
    #[serde(default)]
    args: Vec<ResourceFile>,
    #[serde(default)]
    sampler: Option<SamplerState>,
    variants: Vec<String>,
}

#[derive(Deserialize)]
struct SamplerState {
    filter: String,
    address: String,
    normalized: bool,
}

#[derive(Deserialize)]
struct ResourceFile {
    #[serde(default)]
    set: u32,
    #[serde(default)]
    binding: u32,
    #[serde(default)]
    index: Option<u32>,
    kind: String,
    #[serde(default)]
    size: usize,
    #[serde(default)]
    input: Option<String>,
    #[serde(default)]
    expected: Option<String>,
    #[serde(default)]
    compare: Option<CompareRule>,
    #[serde(default)]
    format: Option<String>,
    #[serde(default)]
    width: u32,
    #[serde(default)]
    height: u32,
    #[serde(default)]
    row_pitch: Option<u32>,
    #[serde(default)]
    filter: String,
    #[serde(default)]
    address: String,
    #[serde(default)]
    normalized: bool,
}

#[derive(Deserialize)]
struct MetaFile {
    #[serde(alias = "device")]
    platform: String,
    simd: u32,
    #[serde(default)]
    local_size: Option<[u32; 3]>,
    code_bytes: usize,
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
struct BindingFile {
    bti: u8,
    kind: String,
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
struct SamplerFile {
    index: u8,
    set: u32,
    binding: u32,
}

#[derive(Deserialize)]
struct RelocationFile {
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

fn error(path: &Path, reason: impl ToString) -> OracleError {
    OracleError { path: path.to_owned(), reason: reason.to_string() }
}

fn read(path: &Path) -> Result<Vec<u8>, OracleError> {
    std::fs::read(path).map_err(|e| error(path, e))
}

fn read_json<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T, OracleError> {
    serde_json::from_slice(&read(path)?).map_err(|e| error(path, e))
}

fn read_hex(path: &Path) -> Result<Vec<u8>, OracleError> {
    let text = String::from_utf8_lossy(&read(path)?).into_owned();
    parse_hex(&text).map_err(|e| error(path, e))
}

fn parse_hex(text: &str) -> Result<Vec<u8>, String> {
    let digits: Vec<char> = text.chars().filter(|c| !c.is_whitespace()).collect();
    digits
        .chunks(2)
        .map(|pair| {
            let byte: String = pair.iter().collect();
            u8::from_str_radix(&byte, 16).map_err(|e| format!("`{byte}`: {e}"))
        })
        .collect()
}

impl Oracle {
    /// Looks for the pack.
    ///
    /// # Errors
    /// [`Absent`] if there is none.
    pub fn find() -> Result<Oracle, Absent> {
        let shared = match std::env::var_os(SHARED_VARIABLE) {
            Some(path) => PathBuf::from(path),
            None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
        };
        let root = shared.join("oracle");
        if root.join("mesa/cs").is_dir() && root.join("igc").is_dir() {
            Ok(Oracle { root })
        } else {
            Err(Absent {
                judge: "oracle pack",
                reason: format!("{} holds none", root.display()),
                packages: "none: it comes with the project's shared files",
            })
        }
    }

    /// The directory of the pack.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The Skylake code of all OpenCL kernels, repeated to at least so many bytes, whole programs
    /// only: a large input for benchmarks.
    ///
    /// # Errors
    /// [`OracleError`] for the first file that cannot be read, or if there is no such code.
    pub fn skylake_kernels(&self, bytes: usize) -> Result<Vec<u8>, OracleError> {
        let directory = self.root.join("igc");
        let mut kernels = Vec::new();
        for case in std::fs::read_dir(&directory).map_err(|e| error(&directory, e))? {
            let path = case.map_err(|e| error(&directory, e))?.path().join("skl/k.krn");
            if path.is_file() {
                let mut kernel = std::fs::read(&path).map_err(|e| error(&path, e))?;
                // Padding would decode as illegal instructions.
                let end = kernel.iter().rposition(|byte| *byte != 0).map_or(0, |at| at + 1);
                kernel.truncate(end.next_multiple_of(8));
                kernels.push(kernel);
            }
        }
        kernels.sort();
        let once = kernels.concat();
        if once.is_empty() {
            return Err(error(&directory, "no code for Skylake"));
        }
        Ok(once.repeat(bytes.div_ceil(once.len())))
    }

    /// The compute cases of a compiler, ordered by name.
    ///
    /// # Errors
    /// [`OracleError`] for the first file that cannot be read.
    pub fn cases(&self, compiler: Compiler) -> Result<Vec<Case>, OracleError> {
        let directory = self.root.join(match compiler {
            Compiler::Mesa => "mesa/cs",
            Compiler::Igc => "igc",
        });
        let entries = std::fs::read_dir(&directory).map_err(|e| error(&directory, e))?;
        let mut paths: Vec<PathBuf> = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.join("case.json").is_file())
            .collect();
        paths.sort();
        paths.iter().map(|path| Case::read(path, compiler)).collect()
    }
}

impl Case {
    fn read(directory: &Path, compiler: Compiler) -> Result<Case, OracleError> {
        let path = directory.join("case.json");
        let file: CaseFile = read_json(&path)?;
        let grid = match (file.dispatch, file.global_size) {
            (Some(grid), _) => grid,
            (None, Some(size)) => std::array::from_fn(|i| size[i].div_ceil(file.local_size[i])),
            (None, None) => return Err(error(&path, "neither dispatch nor global_size")),
        };
        let push_constants = match &file.push_constants {
            Some(name) => read(&directory.join(name))?,
            None => Vec::new(),
        };
        let listed = file.resources.iter().chain(&file.args);
        let (resources, samplers) = read_resources(&path, listed, file.sampler.as_ref())?;
        Ok(Case {
            name: file.name,
            compiler,
            directory: directory.to_owned(),
            grid,
            push_constants,
            resources,
            samplers,
            variants: file.variants,
        })
    }

    /// Reads one variant.
    ///
    /// # Errors
    /// [`OracleError`] for a file that cannot be read or means nothing to the adapter.
    pub fn variant(&self, name: &str) -> Result<Variant, OracleError> {
        let directory = self.directory.join(name);
        let path = directory.join("meta.json");
        let meta: MetaFile = read_json(&path)?;
        let local_size = match meta.local_size {
            Some(size) => size,
            None => read_json::<CaseFile>(&self.directory.join("case.json"))?.local_size,
        };
        let mut code = match self.compiler {
            Compiler::Mesa => read_hex(&directory.join("code.hex"))?,
            Compiler::Igc => read(&directory.join("k.krn"))?,
        };
        code.truncate(meta.code_bytes.next_multiple_of(8));
        let constants = directory.join("const_data.hex");
        let constant_data = if constants.is_file() {
            Some(ConstantData { bytes: read_hex(&constants)?, alignment: 64 })
        } else {
            None
        };
        let mut metadata = meta
            .translate(&self.name, local_size, constant_data)
            .map_err(|reason| error(&path, reason))?;
        if metadata.samplers.is_empty() {
            // Kernels number their samplers in order of the arguments.
            metadata.samplers = (0..)
                .zip(&self.samplers)
                .map(|(index, sampler)| SamplerEntry { index, resource: sampler.resource })
                .collect();
        }
        Ok(Variant { code, metadata })
    }
}

/// Resources and samplers of a case whose description lies at `path`.
fn read_resources<'a>(
    path: &Path,
    listed: impl Iterator<Item = &'a ResourceFile>,
    sampler_of_all: Option<&SamplerState>,
) -> Result<(Vec<CaseResource>, Vec<CaseSampler>), OracleError> {
    let directory = path.parent().unwrap_or(path);
    let mut resources = Vec::new();
    let mut samplers = Vec::new();
    let sampler = |resource, filter: &str, address: &str, normalized| {
        if address != "clamp_to_edge" {
            return Err(error(path, format!("address mode `{address}` is not known")));
        }
        Ok(CaseSampler { resource, linear: filter == "linear", normalized })
    };
    for resource in listed {
        match (resource.kind.as_str(), sampler_of_all) {
            ("value" | "local", _) => continue,
            ("sampler", _) => {
                let ResourceFile { filter, address, normalized, .. } = resource;
                samplers.push(sampler(resource.place(), filter, address, *normalized)?);
                continue;
            }
            ("sampled_texture", Some(state)) => {
                let SamplerState { filter, address, normalized } = state;
                samplers.push(sampler(resource.place(), filter, address, *normalized)?);
            }
            _ => {}
        }
        resources.push(resource.read(directory)?);
    }
    Ok((resources, samplers))
}

impl ResourceFile {
    fn place(&self) -> ResourceRef {
        let binding = self.index.unwrap_or(self.binding);
        ResourceRef { set: self.set, binding, element: 0 }
    }

    fn read(&self, directory: &Path) -> Result<CaseResource, OracleError> {
        let mut contents = match &self.input {
            Some(name) => read(&directory.join(name))?,
            None => Vec::new(),
        };
        contents.resize(self.size, 0);
        let expected = match (&self.expected, &self.compare) {
            (Some(name), Some(rule)) => {
                Some(Expected { bytes: read(&directory.join(name))?, rule: rule.clone() })
            }
            _ => None,
        };
        let image = self.format.as_ref().map(|format| ImageLayout {
            format: format.clone(),
            width: self.width,
            height: self.height,
            row_pitch: self.row_pitch.unwrap_or(self.width * 4),
        });
        let resource = self.place();
        Ok(CaseResource { resource, kind: self.kind.clone(), contents, expected, image })
    }
}

fn argument(index: u32) -> ResourceRef {
    ResourceRef { set: 0, binding: index, element: 0 }
}

impl MetaFile {
    fn translate(
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
            simd_width: self.simd,
            stage: StageMetadata::Compute(ComputeMetadata {
                local_size,
                shared_bytes: self.shared_bytes,
                uses_barrier: self.uses_barrier || self.barrier_count > 0,
            }),
            payload: self.payload.translate(self.simd)?,
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
    fn translate(&self, simd: u32) -> Result<Payload, String> {
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
                // What the driver keeps there is not read by these programs.
                _ => continue,
            };
            let offset = push.grf * 32 + push.dword * 4;
            items.push(PayloadItem { offset, size: push.count * 4, content });
        }
        Ok(Payload {
            cross_thread: range(self.cross_thread_grfs),
            per_thread: range(self.per_thread_grfs),
            local_ids: None,
            items,
        })
    }
}

/// The payload of a kernel: local ids in the per-thread block, arguments as they are.
fn kernel_payload(
    per_thread: &RangeFile,
    cross_thread: &RangeFile,
    simd: u32,
) -> Result<Payload, String> {
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
    Ok(Payload {
        cross_thread: Some(range(cross_thread)),
        per_thread: Some(range(per_thread)),
        local_ids: Some(LocalIds {
            first: per_thread.first_grf,
            registers_per_dimension: simd.div_ceil(16),
            dimensions: 3,
        }),
        items,
    })
}

impl BindingFile {
    fn translate(&self) -> Result<BindingEntry, String> {
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
    fn translate(&self) -> Result<Relocation, String> {
        let value = match self.kind.as_str() {
            "const_data_addr_low" => RelocationValue::ConstantDataAddressLow,
            "const_data_addr_high" => RelocationValue::ConstantDataAddressHigh,
            other => return Err(format!("relocation of unknown kind `{other}`")),
        };
        let encoding = RelocationEncoding::MovImmediate;
        Ok(Relocation { offset: self.offset, encoding, value, delta: self.delta })
    }
}

impl Expected {
    /// Compares contents with the expected ones by the case's rule.
    ///
    /// # Errors
    /// The first element that differs, with both values.
    pub fn compare(&self, actual: &[u8]) -> Result<(), String> {
        let size = match self.rule.r#type.as_str() {
            "u8" => 1,
            "u16" | "f16" => 2,
            "u32" | "f32" => 4,
            "f64" => 8,
            other => return Err(format!("element type `{other}` is not known")),
        };
        if actual.len() != self.bytes.len() {
            return Err(format!("{} bytes instead of {}", actual.len(), self.bytes.len()));
        }
        let mut differences = BTreeMap::new();
        let pairs = actual.chunks_exact(size).zip(self.bytes.chunks_exact(size));
        for (index, (actual, expected)) in pairs.enumerate() {
            if !self.matches(actual, expected) {
                differences.insert(index, (hex(actual), hex(expected)));
            }
        }
        match differences.iter().next() {
            None => Ok(()),
            Some((index, (actual, expected))) => Err(format!(
                "{} of {} elements differ, first [{index}]: {actual} instead of {expected} ({})",
                differences.len(),
                self.bytes.len() / size,
                self.rule.r#type,
            )),
        }
    }

    fn matches(&self, actual: &[u8], expected: &[u8]) -> bool {
        if actual == expected {
            return true;
        }
        let rule = &self.rule;
        let zero = |bytes: &[u8]| match bytes.split_last() {
            Some((last, rest)) => last & 0x7f == 0 && rest.iter().all(|byte| *byte == 0),
            None => true,
        };
        if rule.ignore_zero_sign && zero(actual) && zero(expected) {
            return true;
        }
        let Some((a, e)) = float(&rule.r#type, actual).zip(float(&rule.r#type, expected)) else {
            return false;
        };
        match rule.mode.as_str() {
            "exact" => a == e || a.is_nan() && e.is_nan(),
            _ => (a - e).abs() <= rule.atol + rule.rtol * e.abs() || a.is_nan() && e.is_nan(),
        }
    }
}

/// Little-endian hex, most significant digit first.
fn hex(bytes: &[u8]) -> String {
    let digits: String = bytes.iter().rev().map(|byte| format!("{byte:02x}")).collect();
    format!("0x{digits}")
}

fn float(ty: &str, bytes: &[u8]) -> Option<f64> {
    match ty {
        "f16" => Some(half(u16::from_le_bytes(bytes.try_into().ok()?))),
        "f32" => Some(f32::from_le_bytes(bytes.try_into().ok()?).into()),
        "f64" => Some(f64::from_le_bytes(bytes.try_into().ok()?)),
        _ => None,
    }
}

fn half(bits: u16) -> f64 {
    let sign = if bits & 0x8000 != 0 { -1.0 } else { 1.0 };
    let fraction = f64::from(bits & 0x3ff);
    sign * match bits >> 10 & 31 {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        exponent => (1024.0 + fraction) * 2f64.powi(i32::from(exponent) - 25),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expected(ty: &str, mode: &str, bytes: &[u8]) -> Expected {
        let rule = CompareRule {
            r#type: ty.into(),
            mode: mode.into(),
            rtol: 0.0,
            atol: 0.25,
            ignore_zero_sign: false,
        };
        Expected { bytes: bytes.to_vec(), rule }
    }

    #[test]
    fn comparison_follows_the_rule() {
        let one = 1.0f32.to_le_bytes();
        let near = 1.2f32.to_le_bytes();
        assert!(expected("f32", "tolerance", &one).compare(&near).is_ok());
        assert!(expected("f32", "exact", &one).compare(&near).is_err());
        let zeros = expected("f32", "exact", &0.0f32.to_le_bytes());
        assert!(zeros.compare(&(-0.0f32).to_le_bytes()).is_ok());
        let words = expected("u32", "exact", &[0; 8]);
        let error = words.compare(&[0, 0, 0, 0, 0, 1, 0, 0]).unwrap_err();
        assert!(error.contains("[1]: 0x00000100 instead of 0x00000000"), "{error}");
        assert_eq!(half(0x3c00), 1.0);
        assert_eq!(half(0xc001), -2.001953125);
    }

    #[test]
    fn every_compute_variant_of_the_pack_translates() {
        let Some(oracle) = crate::ask(Oracle::find()) else { return };
        let mut count = 0;
        for compiler in [Compiler::Mesa, Compiler::Igc] {
            for case in oracle.cases(compiler).expect("the pack's cases are readable") {
                for name in &case.variants {
                    let variant = case.variant(name).expect("the variant is readable");
                    variant.metadata.check().expect("the metadata is possible");
                    variant.metadata.check_code(&variant.code).expect("the code fits");
                    count += 1;
                }
            }
        }
        assert_eq!(count, 198 + 159);
    }
}
