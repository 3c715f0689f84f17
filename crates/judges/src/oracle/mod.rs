//! The oracle pack: machine code of other compilers with data to run it.
//!
//! The pack is outside of the repository: at the path in `CRESTLINE_SHARED`, or in `../shared` beside the repository.
//! This module converts it to our own [`Metadata`] and to plain buffers, so that code which uses it does not depend on
//! the pack's format.

mod compare;
mod fragment;
mod metadata;
pub mod vec4;

pub use compare::Expected;
pub use fragment::FragmentCase;

use crate::Absent;
use compare::CompareRule;
use crestline_program::{ConstantData, Metadata, ResourceRef, SamplerEntry};
use metadata::MetaFile;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// The environment variable with the directory that contains the pack in `oracle`.
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

/// The compiler that made the code.
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
    /// The compiler that compiled it.
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
    /// Its binding, alone or combined with an image.
    pub resource: ResourceRef,
    /// Whether the filter is linear, not nearest. All samplers clamp to the edge.
    pub linear: bool,
    /// Whether coordinates are 0 to 1, not texels.
    pub normalized: bool,
}

/// A resource of a case.
#[derive(Clone, Debug)]
pub struct CaseResource {
    /// Its binding.
    pub resource: ResourceRef,
    /// Its kind, in the pack's terms: `ssbo`, `ubo`, `buffer`, `image`, `storage_image`, ...
    pub kind: String,
    /// Contents before the run.
    pub contents: Vec<u8>,
    /// Expected contents after the run, if they are specified.
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

/// Machine code of one case for one platform and width.
#[derive(Clone, Debug)]
pub struct Variant {
    /// The code, not relocated.
    pub code: Vec<u8>,
    /// What a driver needs to run it.
    pub metadata: Metadata,
}

/// A program of the pack with the resources of its case.
#[derive(Clone, Debug)]
pub struct PackProgram {
    /// Its case, its variant and, for a draw call, its stage.
    pub name: String,
    /// Its code and metadata.
    pub variant: Variant,
    /// Bytes of the push constant block.
    pub push_constants: Vec<u8>,
    /// The resources of its case.
    pub resources: Vec<CaseResource>,
    /// The samplers of its case.
    pub samplers: Vec<CaseSampler>,
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

/// The bytes of hexadecimal text. White space is ignored.
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
                packages: None,
            })
        }
    }

    /// The directory of the pack.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The Skylake code of all OpenCL kernels, repeated (whole programs only) to at least `bytes` bytes: a large input
    /// for benchmarks.
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

    /// Each variant of each compute shader and kernel, ordered by compiler and name.
    ///
    /// # Errors
    /// [`OracleError`] for the first file that cannot be read or means nothing to the adapter.
    pub fn compute_programs(&self) -> Result<Vec<PackProgram>, OracleError> {
        let mut programs = Vec::new();
        for compiler in [Compiler::Mesa, Compiler::Igc] {
            for case in self.cases(compiler)? {
                for name in &case.variants {
                    programs.push(PackProgram {
                        name: format!("{}/{name}", case.name),
                        variant: case.variant(name)?,
                        push_constants: case.push_constants.clone(),
                        resources: case.resources.clone(),
                        samplers: case.samplers.clone(),
                    });
                }
            }
        }
        Ok(programs)
    }

    /// Each stage of each variant of the draw calls, ordered by name.
    ///
    /// # Errors
    /// [`OracleError`] for the first file that cannot be read or means nothing to the adapter.
    pub fn stage_programs(&self) -> Result<Vec<PackProgram>, OracleError> {
        let mut programs = Vec::new();
        for case in self.stage_cases()? {
            for name in &case.variants {
                for stage in case.stages() {
                    programs.push(PackProgram {
                        name: format!("{}/{name}/{stage:?}", case.name),
                        variant: case.shader(name, *stage)?,
                        push_constants: case.push_constants.clone(),
                        resources: case.resources.clone(),
                        samplers: case.samplers.clone(),
                    });
                }
            }
        }
        Ok(programs)
    }
}

impl Case {
    /// Reads the case in a directory.
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

    /// Reads the contents and the expected contents of a resource.
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

#[cfg(test)]
mod tests {
    use super::*;

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
