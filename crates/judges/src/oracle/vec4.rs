//! The pack's vertex, tessellation and geometry shaders, compiled to SIMD4x2 code.

use super::compare::{CompareRule, Expected};
use super::metadata::{BindingFile, RelocationFile, SamplerFile};
use super::{
    CaseResource, CaseSampler, Oracle, OracleError, ResourceFile, SamplerState, Variant, error,
    read, read_hex, read_json, read_resources,
};
use crestline_program::{
    Content, ControlData, Dispatch, Distances, Domain, FloatMode, GeometryDispatch,
    GeometryMetadata, GeometryOutput, GrfRange, Metadata, PayloadItem, ResourceRef, SamplerEntry,
    Spacing, StageDispatch, StageMetadata, TessControlMetadata, TessEvalMetadata, TessOutput,
    ThreadPayload, VERSION, Varying, VertexInput, VertexMetadata,
};
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// A case: shaders with their data.
#[derive(Clone, Debug)]
pub struct StageCase {
    /// Its name, which is that of its directory.
    pub name: String,
    /// Its directory.
    pub directory: PathBuf,
    /// Bytes of the push constant block.
    pub push_constants: Vec<u8>,
    /// The resources.
    pub resources: Vec<CaseResource>,
    /// The samplers.
    pub samplers: Vec<CaseSampler>,
    /// Names of the variants: `ivb`, `hsw`.
    pub variants: Vec<String>,
    /// Input and expected output of the stage under test.
    pub data: StageData,
}

/// Input and expected output. All numbers are little-endian 32-bit words.
#[derive(Clone, Debug)]
pub enum StageData {
    /// A vertex shader.
    Vertex {
        /// Vertices to draw.
        vertices: u32,
        /// The attributes.
        attributes: Vec<CaseAttribute>,
        /// The outputs.
        outputs: Vec<CaseOutput>,
    },
    /// A geometry shader.
    Geometry {
        /// Position and location 0 of each vertex of each primitive.
        input: Vec<u8>,
        /// The contents of all vertices of all invocations. The case's name tells their order.
        expected: Vec<u8>,
        /// For each primitive the number of vertices and the cut bits, if they vary.
        counts: Vec<[u32; 2]>,
    },
    /// A pair of tessellation shaders.
    Tessellation {
        /// Position and location 0 of each control point of one patch.
        input: Vec<u8>,
        /// Position and location 0 of each output control point, then patch location 1.
        patch: Vec<u8>,
        /// Outer levels (four), inner levels (two).
        levels: [Vec<f32>; 2],
        /// u and v of the points to evaluate.
        points: Vec<u8>,
        /// Position and location 0 of each point.
        expected: Vec<u8>,
    },
}

/// A vertex attribute of a case.
#[derive(Clone, Debug, Deserialize)]
pub struct CaseAttribute {
    /// The location.
    pub location: u32,
    /// The format: the GLSL name of an image format, or a similar name for 64-bit components.
    pub format: String,
    /// Bytes from vertex to vertex.
    pub stride: u32,
    file: String,
    /// The buffer.
    #[serde(skip)]
    pub contents: Vec<u8>,
}

/// An output of a vertex shader.
#[derive(Clone, Debug)]
pub struct CaseOutput {
    /// The output.
    pub varying: Varying,
    /// First of its dwords in the slot.
    pub first: usize,
    /// Number of its dwords.
    pub components: usize,
    /// The values of all vertices, with the comparison rule.
    pub expected: Expected,
}

/// The stage of a shader in the pack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShaderStage {
    /// `vs`.
    Vertex,
    /// `tcs`.
    TessControl,
    /// `tes`.
    TessEval,
    /// `gs`.
    Geometry,
}

#[derive(Deserialize)]
struct CaseFile {
    name: String,
    stage: String,
    #[serde(default)]
    vertices: u32,
    #[serde(default)]
    attributes: Vec<CaseAttribute>,
    #[serde(default)]
    push_constants: Option<String>,
    #[serde(default)]
    resources: Vec<ResourceFile>,
    #[serde(default)]
    sampler: Option<SamplerState>,
    #[serde(default)]
    outputs: Vec<OutputFile>,
    variants: Vec<String>,
    #[serde(default)]
    input: String,
    #[serde(default)]
    expected: String,
    #[serde(default)]
    expected_counts_and_cut_bits: Vec<[u32; 2]>,
    #[serde(default)]
    tcs_input: String,
    #[serde(default)]
    tcs_expected: String,
    #[serde(default)]
    tess_levels: Option<LevelsFile>,
    #[serde(default)]
    tes_points: String,
    #[serde(default)]
    tes_expected: String,
}

#[derive(Deserialize)]
struct LevelsFile {
    outer: Vec<f32>,
    inner: Vec<f32>,
}

#[derive(Deserialize)]
struct OutputFile {
    key: String,
    components: usize,
    file: String,
    compare: CompareRule,
}

/// The description of a single vertex shader.
#[derive(Deserialize)]
struct VertexFile {
    platform: String,
    code_bytes: usize,
    payload: VertexPayloadFile,
    urb: UrbFile,
    binding_table: Vec<BindingFile>,
    samplers: Vec<SamplerFile>,
    scratch_bytes: u32,
    relocations: Vec<RelocationFile>,
}

#[derive(Deserialize)]
struct VertexPayloadFile {
    push: Vec<PushFile>,
    attributes: Vec<AttributeFile>,
    system_values: Option<SystemValuesFile>,
    first_free_grf: u32,
}

#[derive(Deserialize)]
struct PushFile {
    grf: u32,
    count: u32,
    source: String,
    #[serde(default)]
    set: u32,
    #[serde(default)]
    binding: u32,
    byte_offset: u32,
}

#[derive(Deserialize)]
struct AttributeFile {
    grf: u32,
    location: u32,
    byte_offset_in_attribute: u32,
}

#[derive(Deserialize)]
struct SystemValuesFile {
    grf: u32,
}

#[derive(Deserialize)]
struct UrbFile {
    entry_size_64byte: u32,
    output_slots: Vec<SlotFile>,
}

#[derive(Deserialize)]
struct SlotFile {
    content: String,
}

/// The description of a pipeline of several stages.
#[derive(Deserialize)]
struct PipelineFile {
    platform: String,
    stages: PipelineStages,
}

#[derive(Deserialize)]
struct PipelineStages {
    vs: StageFile,
    tcs: Option<StageFile>,
    tes: Option<StageFile>,
    gs: Option<StageFile>,
}

#[derive(Deserialize)]
struct StageFile {
    dispatch_grf_start_reg: u32,
    urb_read_length: u32,
    /// In units of 64 bytes.
    urb_entry_size: u32,
    #[serde(default)]
    dispatch_mode: u32,
    num_per_patch_slots: usize,
    code_bytes: usize,
    output_slots: Vec<SlotFile>,
    #[serde(default)]
    input_slots: Vec<String>,
    #[serde(default)]
    nr_attribute_slots: u32,
    #[serde(default)]
    instances: u32,
    #[serde(default)]
    partitioning: u32,
    #[serde(default)]
    output_topology: u32,
    #[serde(default)]
    domain: u32,
    #[serde(default)]
    vertices_in: u32,
    #[serde(default)]
    invocations: u32,
    #[serde(default)]
    output_vertex_size_hwords: u32,
    #[serde(default)]
    control_data_header_size_hwords: u32,
    #[serde(default)]
    control_data_format: u32,
    #[serde(default)]
    gs_include_primitive_id: u32,
}

impl Oracle {
    /// The cases of vertex, tessellation and geometry shaders, ordered by name.
    ///
    /// # Errors
    /// [`OracleError`] for the first file that cannot be read.
    pub fn stage_cases(&self) -> Result<Vec<StageCase>, OracleError> {
        let directory = self.root().join("mesa/vec4");
        let entries = std::fs::read_dir(&directory).map_err(|e| error(&directory, e))?;
        let mut paths: Vec<PathBuf> = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.join("case.json").is_file())
            .collect();
        paths.sort();
        paths.iter().map(|path| StageCase::read(path)).collect()
    }
}

impl StageCase {
    /// Reads the case in a directory.
    fn read(directory: &Path) -> Result<StageCase, OracleError> {
        let path = directory.join("case.json");
        let file: CaseFile = read_json(&path)?;
        let data = |name: &str| read(&directory.join(name));
        let push_constants = match &file.push_constants {
            Some(name) => data(name)?,
            None => Vec::new(),
        };
        let (resources, samplers) =
            read_resources(&path, file.resources.iter(), file.sampler.as_ref())?;
        let stage_data = match file.stage.as_str() {
            "vertex" => {
                let mut attributes = file.attributes;
                for attribute in &mut attributes {
                    attribute.contents = data(&attribute.file)?;
                }
                let outputs = file.outputs.iter().map(|output| output.read(directory));
                let outputs = outputs.collect::<Result<_, _>>()?;
                StageData::Vertex { vertices: file.vertices, attributes, outputs }
            }
            "geometry" => StageData::Geometry {
                input: data(&file.input)?,
                expected: data(&file.expected)?,
                counts: file.expected_counts_and_cut_bits,
            },
            "tessellation" => {
                let levels = file.tess_levels.ok_or_else(|| error(&path, "no tess_levels"))?;
                StageData::Tessellation {
                    input: data(&file.tcs_input)?,
                    patch: data(&file.tcs_expected)?,
                    levels: [levels.outer, levels.inner],
                    points: data(&file.tes_points)?,
                    expected: data(&file.tes_expected)?,
                }
            }
            other => return Err(error(&path, format!("stage `{other}` is not known"))),
        };
        Ok(StageCase {
            name: file.name,
            directory: directory.to_owned(),
            push_constants,
            resources,
            samplers,
            variants: file.variants,
            data: stage_data,
        })
    }

    /// The stages under test. Each variant of the case has all of them.
    pub fn stages(&self) -> &'static [ShaderStage] {
        match self.data {
            StageData::Vertex { .. } => &[ShaderStage::Vertex],
            StageData::Geometry { .. } => &[ShaderStage::Geometry],
            StageData::Tessellation { .. } => &[ShaderStage::TessControl, ShaderStage::TessEval],
        }
    }

    /// The shader of a stage in a variant.
    ///
    /// # Errors
    /// [`OracleError`] for a file that cannot be read or means nothing to the adapter.
    pub fn shader(&self, variant: &str, stage: ShaderStage) -> Result<Variant, OracleError> {
        let directory = self.directory.join(variant);
        let path = directory.join("meta.json");
        let (name, code_bytes, metadata) = if matches!(self.data, StageData::Vertex { .. }) {
            let file: VertexFile = read_json(&path)?;
            let metadata = file.translate(&self.name, self.push_constants.len());
            ("code.hex", file.code_bytes, metadata)
        } else {
            let file: PipelineFile = read_json(&path)?;
            file.translate(&self.name, stage).map_err(|reason| error(&path, reason))?
        };
        let mut code = read_hex(&directory.join(name))?;
        code.truncate(code_bytes.next_multiple_of(8));
        Ok(Variant { code, metadata: metadata.map_err(|reason| error(&path, reason))? })
    }
}

impl OutputFile {
    /// Reads the expected values of an output.
    fn read(&self, directory: &Path) -> Result<CaseOutput, OracleError> {
        let (varying, first) = match self.key.as_str() {
            "pos" => (Varying::Position, 0),
            "psiz" => (Varying::Header, 3),
            "clip0" => (Varying::ClipDistances { first: 0 }, 0),
            "clip1" => (Varying::ClipDistances { first: 4 }, 0),
            key => match key.parse() {
                Ok(location) => (Varying::Location { location }, 0),
                Err(_) => return Err(error(directory, format!("output `{key}` is not known"))),
            },
        };
        let bytes = read(&directory.join(&self.file))?;
        let expected = Expected { bytes, rule: self.compare.clone() };
        Ok(CaseOutput { varying, first, components: self.components, expected })
    }
}

/// The varying of a slot, given by Mesa's name.
fn varying(content: &str) -> Result<Varying, String> {
    let name = content.split(' ').next().unwrap_or(content);
    let name = name.strip_prefix("VARYING_SLOT_").unwrap_or(name);
    let number = |prefix: &str| name.strip_prefix(prefix)?.parse::<u32>().ok();
    Ok(match name {
        "PSIZ" => Varying::Header,
        "POS" => Varying::Position,
        "CLIP_DIST0" => Varying::ClipDistances { first: 0 },
        "CLIP_DIST1" => Varying::ClipDistances { first: 4 },
        "TESS_LEVEL_INNER" => Varying::PatchHeader { half: 0 },
        "TESS_LEVEL_OUTER" => Varying::PatchHeader { half: 1 },
        _ => match (number("VAR"), number("PATCH")) {
            (Some(location), _) => Varying::Location { location },
            (_, Some(location)) => Varying::Patch { location },
            _ => return Err(format!("slot of unknown content `{content}`")),
        },
    })
}

fn layout(slots: &[SlotFile]) -> Result<Vec<Varying>, String> {
    slots.iter().map(|slot| varying(&slot.content)).collect()
}

/// Metadata of a SIMD4x2 program without resources.
fn metadata(platform: &str, name: &str, stage: StageMetadata) -> Result<Metadata, String> {
    Ok(Metadata {
        version: VERSION,
        platform: platform.parse().map_err(|e| format!("{e}"))?,
        entry_point: name.to_owned(),
        dispatches: Dispatch::at_start(8, ThreadPayload::default()).into(),
        stage,
        binding_table: Vec::new(),
        samplers: Vec::new(),
        scratch_bytes: 0,
        private_bytes_per_channel: 0,
        address_bits: None,
        lines: None,
        constant_data: None,
        relocations: Vec::new(),
        float_mode: FloatMode::default(),
    })
}

impl VertexFile {
    /// `push_bytes` is the size of the user's push constants. The rest of the block belongs to the driver and is not
    /// read.
    fn translate(&self, name: &str, push_bytes: usize) -> Result<Metadata, String> {
        let VertexPayloadFile { push, attributes, system_values, first_free_grf } = &self.payload;
        let mut slots: Vec<(u32, VertexInput)> = attributes
            .iter()
            .map(|attribute| {
                let offset = attribute.byte_offset_in_attribute;
                (attribute.grf, VertexInput::Attribute { location: attribute.location, offset })
            })
            .collect();
        slots.extend(system_values.iter().map(|values| (values.grf, VertexInput::SystemValues)));
        slots.sort_by_key(|(register, _)| *register);
        let first = slots.first().map_or(*first_free_grf, |(register, _)| *register);
        if slots.iter().zip(first..).any(|((register, _), expected)| *register != expected) {
            return Err("input slots with gaps".into());
        }
        let stage = StageMetadata::Vertex(VertexMetadata {
            distances: Distances::default(),
            feedback: None,
            dispatch: StageDispatch::Simd4x2,
            first_input_register: first,
            inputs: slots.into_iter().map(|(_, input)| input).collect(),
            outputs: layout(&self.urb.output_slots)?,
            entry_bytes: self.urb.entry_size_64byte * 64,
        });
        let mut metadata = metadata(&self.platform, name, stage)?;
        let count = push.iter().map(|push| push.count).sum();
        if let Some(start) = push.iter().map(|push| push.grf).min() {
            metadata.dispatches.first_mut().payload.cross_thread =
                Some(GrfRange { first: start, count });
        }
        for push in push {
            let (offset, from) = (push.grf * 32, push.byte_offset);
            let whole = push.count * 32;
            let (size, content) = match push.source.as_str() {
                "push_constant_block" => {
                    let rest = (push_bytes as u32).saturating_sub(from);
                    (whole.min(rest), Content::PushConstant { offset: from })
                }
                "ubo" => {
                    let resource = ResourceRef { set: push.set, binding: push.binding, element: 0 };
                    (whole, Content::UniformBuffer { resource, offset: from })
                }
                other => return Err(format!("push data from unknown `{other}`")),
            };
            if size > 0 {
                metadata.dispatches.first_mut().payload.items.push(PayloadItem {
                    offset,
                    size,
                    content,
                });
            }
        }
        let table = self.binding_table.iter().map(BindingFile::translate);
        metadata.binding_table = table.collect::<Result<_, _>>()?;
        metadata.binding_table.sort_by_key(|entry| entry.index);
        let sampler = |s: &SamplerFile| {
            let resource = ResourceRef { set: s.set, binding: s.binding, element: 0 };
            SamplerEntry { index: s.index, resource }
        };
        metadata.samplers = self.samplers.iter().map(sampler).collect();
        metadata.scratch_bytes = self.scratch_bytes;
        let relocations = self.relocations.iter().map(RelocationFile::translate);
        metadata.relocations = relocations.collect::<Result<_, _>>()?;
        Ok(metadata)
    }
}

/// File name of the code, its size, and the metadata or an error.
type Shader = (&'static str, usize, Result<Metadata, String>);

impl PipelineFile {
    /// The program of one stage. Some stages also need the data of the stage before.
    fn translate(&self, name: &str, stage: ShaderStage) -> Result<Shader, String> {
        let PipelineStages { vs, tcs, tes, gs } = &self.stages;
        let absent = || format!("no {stage:?} stage");
        let (file, shader, translated) = match stage {
            ShaderStage::Vertex => ("vs.code.hex", vs, vs.vertex()?),
            ShaderStage::TessControl => {
                let tcs = tcs.as_ref().ok_or_else(absent)?;
                ("tcs.code.hex", tcs, tcs.tess_control(vs)?)
            }
            ShaderStage::TessEval => {
                let tes = tes.as_ref().ok_or_else(absent)?;
                let tcs = tcs.as_ref().ok_or_else(absent)?;
                ("tes.code.hex", tes, tes.tess_eval(tcs)?)
            }
            ShaderStage::Geometry => {
                let gs = gs.as_ref().ok_or_else(absent)?;
                ("gs.code.hex", gs, gs.geometry()?)
            }
        };
        Ok((file, shader.code_bytes, metadata(&self.platform, name, translated)))
    }
}

impl StageFile {
    /// The metadata of a vertex shader. Each attribute slot is one location.
    fn vertex(&self) -> Result<StageMetadata, String> {
        let input = |location| VertexInput::Attribute { location, offset: 0 };
        Ok(StageMetadata::Vertex(VertexMetadata {
            distances: Distances::default(),
            feedback: None,
            dispatch: StageDispatch::Simd4x2,
            first_input_register: self.dispatch_grf_start_reg,
            inputs: (0..self.nr_attribute_slots).map(input).collect(),
            outputs: layout(&self.output_slots)?,
            entry_bytes: self.urb_entry_size * 64,
        }))
    }

    /// The metadata of a tessellation control shader. Its inputs are the outputs of `vs`.
    fn tess_control(&self, vs: &StageFile) -> Result<StageMetadata, String> {
        let (patch, vertex) = self.output_slots.split_at(self.num_per_patch_slots);
        Ok(StageMetadata::TessControl(TessControlMetadata {
            dispatch: StageDispatch::Simd4x2,
            input_vertices: None,
            output_vertices: self.instances * 2,
            inputs: layout(&vs.output_slots)?,
            patch_outputs: layout(patch)?,
            vertex_outputs: layout(vertex)?,
            entry_bytes: self.urb_entry_size * 64,
            uses_barrier: true,
        }))
    }

    /// The metadata of a tessellation evaluation shader. Its inputs are the outputs of `tcs`.
    fn tess_eval(&self, tcs: &StageFile) -> Result<StageMetadata, String> {
        let (patch, vertex) = tcs.output_slots.split_at(tcs.num_per_patch_slots);
        Ok(StageMetadata::TessEval(TessEvalMetadata {
            distances: Distances::default(),
            feedback: None,
            dispatch: StageDispatch::Simd4x2,
            domain: match self.domain {
                0 => Domain::Quads,
                1 => Domain::Triangles,
                2 => Domain::Isolines,
                other => return Err(format!("domain {other}")),
            },
            spacing: match self.partitioning {
                0 => Spacing::Equal,
                1 => Spacing::FractionalOdd,
                2 => Spacing::FractionalEven,
                other => return Err(format!("partitioning {other}")),
            },
            output: match self.output_topology {
                0 => TessOutput::Points,
                1 => TessOutput::Lines,
                2 => TessOutput::TrianglesCw,
                3 => TessOutput::TrianglesCcw,
                other => return Err(format!("output topology {other}")),
            },
            patch_inputs: layout(patch)?,
            vertex_inputs: layout(vertex)?,
            first_input_register: self.dispatch_grf_start_reg,
            pushed_slots: self.urb_read_length * 2,
            outputs: layout(&self.output_slots)?,
            entry_bytes: self.urb_entry_size * 64,
        }))
    }

    /// The metadata of a geometry shader.
    fn geometry(&self) -> Result<StageMetadata, String> {
        let inputs: Result<_, _> = self.input_slots.iter().map(|slot| varying(slot)).collect();
        Ok(StageMetadata::Geometry(GeometryMetadata {
            distances: Distances::default(),
            feedback: None,
            dispatch: match self.dispatch_mode {
                0 => GeometryDispatch::Single,
                1 => GeometryDispatch::DualInstance,
                2 => GeometryDispatch::DualObject,
                other => return Err(format!("dispatch mode {other}")),
            },
            input_vertices: self.vertices_in,
            invocations: self.invocations,
            primitive_id: self.gs_include_primitive_id != 0,
            vertex_handles: None,
            inputs: inputs?,
            first_input_register: self.dispatch_grf_start_reg,
            pushed_slots: self.urb_read_length * 2,
            output: match self.output_topology {
                1 => GeometryOutput::Points,
                3 => GeometryOutput::LineStrip,
                5 => GeometryOutput::TriangleStrip,
                other => return Err(format!("output topology {other}")),
            },
            count_bytes: 0,
            control_bytes: self.control_data_header_size_hwords * 32,
            control_data: match self.control_data_format {
                0 => ControlData::Cut,
                _ => ControlData::StreamId,
            },
            outputs: layout(&self.output_slots)?,
            vertex_bytes: self.output_vertex_size_hwords * 32,
            entry_bytes: self.urb_entry_size * 64,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shader_of_the_pack_translates() {
        let Some(oracle) = crate::ask(Oracle::find()) else { return };
        let mut count = 0;
        for case in oracle.stage_cases().expect("the pack's cases are readable") {
            let stages: &[ShaderStage] = match case.data {
                StageData::Vertex { .. } => &[ShaderStage::Vertex],
                StageData::Geometry { .. } => &[ShaderStage::Vertex, ShaderStage::Geometry],
                StageData::Tessellation { .. } => {
                    &[ShaderStage::Vertex, ShaderStage::TessControl, ShaderStage::TessEval]
                }
            };
            for variant in &case.variants {
                for stage in stages {
                    let shader = case.shader(variant, *stage).expect("the shader is readable");
                    shader.metadata.check().expect("the metadata is possible");
                    shader.metadata.check_code(&shader.code).expect("the code fits");
                    count += 1;
                }
            }
        }
        assert_eq!(count, 2 * (25 + 3 * 2 + 3));
    }
}
