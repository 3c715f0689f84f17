//! The fragment shaders of the pack. It has no expected pictures for them: lavapipe draws these.

use super::metadata::{BindingFile, RelocationFile, SamplerFile};
use super::{Oracle, OracleError, Variant, error, read_hex, read_json};
use crate::process::spirv_words;
use crestline_program::{
    Attribute, AttributeSource, Barycentric, BindingEntry, ColourOutput, ColourType, ComputedDepth,
    Content, Dispatch, FloatMode, FragmentMetadata, GrfRange, InputCoverage, MAX_COLOUR_TARGETS,
    Metadata, PayloadItem, ResourceRef, SamplerEntry, StageMetadata, Surface, ThreadPayload,
    VERSION, Varying,
};
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// A fragment shader.
#[derive(Clone, Debug)]
pub struct FragmentCase {
    /// Its name, which is that of its directory.
    pub name: String,
    /// Its directory.
    pub directory: PathBuf,
    /// The module that was compiled.
    pub spirv: Vec<u32>,
    /// The location of each input and its declaration in GLSL: `flat uvec4`.
    pub inputs: Vec<(u32, String)>,
    /// Number of colour attachments.
    pub colour_targets: u8,
    /// Whether it writes the depth.
    pub writes_depth: bool,
    /// Bytes of the push constant block.
    pub push_constants: usize,
    /// The kind, in the pack's terms, and the binding of each resource.
    pub resources: Vec<(String, ResourceRef)>,
    /// Names of the variants: `skl.simd8`.
    pub variants: Vec<String>,
}

#[derive(Deserialize)]
struct CaseFile {
    name: String,
    inputs: Vec<InputFile>,
    color_targets: u8,
    writes_depth: bool,
    push_constants_size: usize,
    resources: Vec<ResourceFile>,
    variants: Vec<String>,
}

#[derive(Deserialize)]
struct InputFile {
    location: u32,
    declaration: String,
}

#[derive(Deserialize)]
struct ResourceFile {
    set: u32,
    binding: u32,
    kind: String,
}

#[derive(Deserialize)]
struct MetaFile {
    platform: String,
    simd: u32,
    code_bytes: usize,
    payload: Vec<PayloadFile>,
    #[serde(default)]
    setup_data: Option<SetupFile>,
    barycentric_interp_modes: u32,
    flat_inputs: u32,
    uses_kill: u32,
    computed_depth_mode: u32,
    early_fragment_tests: u32,
    persample_dispatch: u32,
    uses_src_depth: u32,
    uses_src_w: u32,
    uses_pos_offset: u32,
    uses_omask: u32,
    uses_sample_mask: u32,
    uses_vmask: u32,
    has_side_effects: u32,
    pulls_bary: u32,
    color_outputs_written: u32,
    binding_table: Vec<TargetFile>,
    samplers: Vec<SamplerFile>,
    scratch_bytes: u32,
    relocations: Vec<RelocationFile>,
}

#[derive(Deserialize)]
struct PayloadFile {
    grf: u32,
    count: u32,
    what: String,
    #[serde(default)]
    byte_offset: u32,
    #[serde(default)]
    source: String,
    #[serde(default)]
    set: u32,
    #[serde(default)]
    binding: u32,
}

#[derive(Deserialize)]
struct SetupFile {
    first_grf: u32,
    grfs: u32,
    attributes: Vec<AttributeFile>,
}

#[derive(Deserialize)]
struct AttributeFile {
    attribute: u32,
    varying: String,
}

/// A binding table entry that may be a render target.
#[derive(Deserialize)]
struct TargetFile {
    #[serde(default)]
    index: u8,
    #[serde(flatten)]
    binding: BindingFile,
}

impl Oracle {
    /// The fragment shaders, ordered by name.
    ///
    /// # Errors
    /// [`OracleError`] for the first file that cannot be read.
    pub fn fragment_cases(&self) -> Result<Vec<FragmentCase>, OracleError> {
        let directory = self.root.join("mesa/fs");
        let entries = std::fs::read_dir(&directory).map_err(|e| error(&directory, e))?;
        let mut paths: Vec<PathBuf> = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.join("case.json").is_file())
            .collect();
        paths.sort();
        paths.iter().map(|path| FragmentCase::read(path)).collect()
    }
}

impl FragmentCase {
    fn read(directory: &Path) -> Result<FragmentCase, OracleError> {
        let file: CaseFile = read_json(&directory.join("case.json"))?;
        let module = directory.join("shader.spv");
        let spirv = spirv_words("the oracle pack", &super::read(&module)?)
            .map_err(|reason| error(&module, reason))?;
        let place = |set, binding| ResourceRef { set, binding, element: 0 };
        Ok(FragmentCase {
            name: file.name,
            directory: directory.to_owned(),
            spirv,
            inputs: file.inputs.into_iter().map(|one| (one.location, one.declaration)).collect(),
            colour_targets: file.color_targets,
            writes_depth: file.writes_depth,
            push_constants: file.push_constants_size,
            resources: (file.resources.into_iter())
                .map(|one| (one.kind, place(one.set, one.binding)))
                .collect(),
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
        let mut code = read_hex(&directory.join("code.hex"))?;
        code.truncate(meta.code_bytes.next_multiple_of(8));
        let metadata = meta.translate(&self.name).map_err(|reason| error(&path, reason))?;
        Ok(Variant { code, metadata })
    }
}

/// The sets of barycentric coordinates, in the order of their bits.
const BARYCENTRICS: [Barycentric; 6] = [
    Barycentric::PerspectivePixel,
    Barycentric::PerspectiveCentroid,
    Barycentric::PerspectiveSample,
    Barycentric::LinearPixel,
    Barycentric::LinearCentroid,
    Barycentric::LinearSample,
];

impl MetaFile {
    fn translate(&self, name: &str) -> Result<Metadata, String> {
        let platform = self.platform.parse().map_err(|e| format!("{e}"))?;
        let mut dispatch = Dispatch::at_start(self.simd, self.payload()?);
        dispatch.kernel_start_slot = Some(0);
        let mut binding_table =
            self.binding_table.iter().map(TargetFile::translate).collect::<Result<Vec<_>, _>>()?;
        binding_table.sort_by_key(|entry| entry.index);
        Ok(Metadata {
            version: VERSION,
            platform,
            entry_point: name.to_owned(),
            dispatches: dispatch.into(),
            stage: StageMetadata::Fragment(self.stage()?),
            binding_table,
            samplers: (self.samplers.iter())
                .map(|s| SamplerEntry {
                    index: s.index,
                    resource: ResourceRef { set: s.set, binding: s.binding, element: 0 },
                })
                .collect(),
            scratch_bytes: self.scratch_bytes,
            private_bytes_per_channel: 0,
            address_bits: None,
            lines: None,
            constant_data: None,
            relocations: (self.relocations.iter())
                .map(RelocationFile::translate)
                .collect::<Result<_, _>>()?,
            float_mode: FloatMode::default(),
        })
    }

    fn stage(&self) -> Result<FragmentMetadata, String> {
        let attribute = |one: &AttributeFile| {
            let location = one.varying.strip_prefix("VARYING_SLOT_VAR");
            let location = location.and_then(|number| number.parse().ok());
            let location = location.ok_or_else(|| format!("varying `{}`", one.varying))?;
            Ok(Attribute {
                source: AttributeSource::Varying { varying: Varying::Location { location } },
                flat: self.flat_inputs >> one.attribute & 1 == 1,
            })
        };
        let attributes = self.setup_data.iter().flat_map(|setup| &setup.attributes);
        let outputs = (0..MAX_COLOUR_TARGETS)
            .filter(|target| self.color_outputs_written >> target & 1 == 1)
            .map(|target| ColourOutput { target, components: 0xf, ty: Some(ColourType::Float) });
        Ok(FragmentMetadata {
            barycentrics: (BARYCENTRICS.into_iter())
                .filter(|set| self.barycentric_interp_modes >> set.bit() & 1 == 1)
                .collect(),
            source_depth: self.uses_src_depth != 0,
            source_w: self.uses_src_w != 0,
            position_offsets: self.uses_pos_offset != 0,
            input_coverage: match self.uses_sample_mask {
                0 => InputCoverage::Off,
                _ => InputCoverage::Covered,
            },
            attributes: attributes.map(attribute).collect::<Result<_, String>>()?,
            colour_outputs: outputs.collect(),
            source0_alpha: false,
            dual_source: false,
            computed_depth: match self.computed_depth_mode {
                0 => ComputedDepth::Off,
                1 => ComputedDepth::Any,
                2 => ComputedDepth::GreaterOrEqual,
                _ => ComputedDepth::LessOrEqual,
            },
            computed_stencil: false,
            output_sample_mask: self.uses_omask != 0,
            kills_pixels: self.uses_kill != 0,
            early_tests: self.early_fragment_tests != 0,
            per_sample: self.persample_dispatch != 0,
            one_sample: false,
            side_effects: self.has_side_effects != 0,
            pixel_interpolator: self.pulls_bary != 0,
            vector_mask: self.uses_vmask != 0,
        })
    }

    fn payload(&self) -> Result<ThreadPayload, String> {
        let pushed: Vec<_> = self.payload.iter().filter(|part| part.what == "push data").collect();
        let mut items = Vec::new();
        for part in &pushed {
            let resource = ResourceRef { set: part.set, binding: part.binding, element: 0 };
            let content = match part.source.as_str() {
                "push_constant_block" => Content::PushConstant { offset: part.byte_offset },
                "ubo" => Content::UniformBuffer { resource, offset: part.byte_offset },
                other => return Err(format!("push data from `{other}`")),
            };
            items.push(PayloadItem { offset: part.grf * 32, size: part.count * 32, content });
        }
        let cross_thread = pushed.first().map(|part| GrfRange {
            first: part.grf,
            count: pushed.iter().map(|part| part.count).sum(),
        });
        let setup = self.setup_data.as_ref();
        let setup = setup.map(|setup| GrfRange { first: setup.first_grf, count: setup.grfs });
        let setup = setup.filter(|range| range.count > 0);
        Ok(ThreadPayload { cross_thread, per_thread: None, setup, local_ids: None, items })
    }
}

impl TargetFile {
    fn translate(&self) -> Result<BindingEntry, String> {
        if self.binding.kind != "render_target" {
            return self.binding.translate();
        }
        let surface = Surface::RenderTarget { target: self.index };
        Ok(BindingEntry { index: self.binding.bti, surface })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fragment_shader_of_the_pack_translates() {
        let Some(oracle) = crate::ask(Oracle::find()) else { return };
        let mut count = 0;
        for case in oracle.fragment_cases().expect("the pack's cases are readable") {
            for name in &case.variants {
                let variant = case.variant(name).expect("the variant is readable");
                variant.metadata.check().expect("the metadata is possible");
                variant.metadata.check_code(&variant.code).expect("the code fits");
                count += 1;
            }
        }
        assert_eq!(count, 9 * 10);
    }
}
