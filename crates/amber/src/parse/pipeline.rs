//! `PIPELINE` and `DERIVE_PIPELINE`, and the commands in them that are no bindings and no state.

use super::{Object, Parser, wrong};
use crate::error::{Place, Result, ScriptError, one_of};
use crate::lexer::{Kind, Number};
use crate::limits;
use crate::script::{
    Attached, Pipeline, PipelineKind, PolygonMode, Stage, SubgroupSize, VertexData, Viewport,
};
use crate::types::Scalar;

/// The commands of a pipeline.
const COMMANDS: &[&str] = &[
    "ATTACH",
    "SHADER_OPTIMIZATION",
    "COMPILE_OPTIONS",
    "SUBGROUP",
    "FRAMEBUFFER_SIZE",
    "VIEWPORT",
    "POLYGON_MODE",
    "PATCH_CONTROL_POINTS",
    "DEPTH",
    "STENCIL",
    "BLEND",
    "BIND",
    "VERTEX_DATA",
    "INDEX_DATA",
    "SET",
];
const MODES: &[(&str, PolygonMode)] =
    &[("fill", PolygonMode::Fill), ("line", PolygonMode::Line), ("point", PolygonMode::Point)];
/// The most control points of a patch.
const MAX_PATCH_POINTS: u32 = 32;
/// The largest location of a vertex attribute or colour attachment.
pub(super) const MAX_LOCATION: u32 = 31;

impl Parser<'_> {
    /// `PIPELINE KIND NAME`. False if the rest of the script is not read.
    pub(super) fn pipeline(&mut self, start: Place) -> Result<bool> {
        let (kind_place, kind) = self.word("compute or graphics")?;
        let kind = match kind {
            "compute" => PipelineKind::Compute,
            "graphics" => PipelineKind::Graphics,
            "ray_tracing" => {
                self.ray_tracing(kind_place);
                return Ok(false);
            }
            other => return Err(wrong(kind_place, "compute or graphics", other)),
        };
        let (place, name) = self.word("the name of the pipeline")?;
        self.declare(Object::Pipeline, place, name)?;
        self.end_of_line()?;
        self.block(start, Pipeline::new(name, place, kind))?;
        Ok(true)
    }

    /// `DERIVE_PIPELINE NAME FROM PARENT`.
    pub(super) fn derive_pipeline(&mut self, start: Place) -> Result<()> {
        let (place, name) = self.word("the name of the pipeline")?;
        self.keyword("FROM")?;
        let (_, parent) = self.reference(Object::Pipeline)?;
        self.declare(Object::Pipeline, place, name)?;
        self.end_of_line()?;
        let parent = self.script.pipelines[parent].clone();
        self.block(start, Pipeline { name: name.to_owned(), place, ..parent })
    }

    /// Reads the commands of a pipeline up to `END`.
    fn block(&mut self, start: Place, mut pipeline: Pipeline) -> Result<()> {
        while let Some((place, word)) = self.line_of_block(start)? {
            match word {
                "ATTACH" => self.attach(place, &mut pipeline)?,
                "SHADER_OPTIMIZATION" | "COMPILE_OPTIONS" => {
                    let (_, shader) = self.reference(Object::Shader)?;
                    self.end_of_line()?;
                    if self.passes(place)? {
                        let own = |attached: &&mut Attached| attached.shader == shader;
                        let attached = pipeline.shaders.iter_mut().filter(own);
                        attached.for_each(|attached| attached.robust_access = true);
                    }
                }
                "SUBGROUP" => self.subgroup(place, &mut pipeline)?,
                "FRAMEBUFFER_SIZE" => {
                    let side = |parser: &mut Self, what| parser.within(what, 1, limits::IMAGE_SIDE);
                    pipeline.size = [side(self, "a width")?, side(self, "a height")?];
                    self.end_of_line()?;
                }
                "VIEWPORT" => {
                    pipeline.viewport = Some(self.viewport()?);
                    self.end_of_line()?;
                }
                "POLYGON_MODE" => {
                    pipeline.polygon = self.choose(MODES)?;
                    self.end_of_line()?;
                }
                "PATCH_CONTROL_POINTS" => {
                    pipeline.patch_points =
                        self.within("a number of control points", 1, MAX_PATCH_POINTS)?;
                    self.end_of_line()?;
                }
                "DEPTH" => self.depth(place, &mut pipeline)?,
                "STENCIL" => self.stencil(place, &mut pipeline)?,
                "BLEND" => self.blend(place, &mut pipeline)?,
                "BIND" => self.bind(place, &mut pipeline)?,
                "VERTEX_DATA" => self.vertex_data(place, &mut pipeline)?,
                "INDEX_DATA" => {
                    let (_, buffer) = self.reference(Object::Buffer)?;
                    pipeline.index_data = Some((place, buffer));
                    self.end_of_line()?;
                }
                "SET" => {
                    self.keyword("KERNEL")?;
                    self.unsupported(place, "arguments of OpenCL kernels");
                    self.rest_of_line()?;
                }
                other => return Err(wrong(place, &format!("{} or END", one_of(COMMANDS)), other)),
            }
        }
        self.check(&pipeline)?;
        self.script.pipelines.push(pipeline);
        Ok(())
    }

    /// The names of passes up to `END`. The compiler has its own optimisations, so that only a pass that changes results
    /// matters. Returns whether this pass is among them.
    fn passes(&mut self, start: Place) -> Result<bool> {
        let mut robust_access = false;
        loop {
            let token = self.lexer.next_word()?;
            match token.kind {
                Kind::Word("END") => {
                    self.end_of_line()?;
                    return Ok(robust_access);
                }
                Kind::Word("--graphics-robust-access") => robust_access = true,
                Kind::Word(_) | Kind::Quoted(_) => {}
                _ => {
                    let message = "the block has no END before the end of the script";
                    return Err(ScriptError::new(start, message));
                }
            }
        }
    }

    /// Checks that a pipeline has the shaders that it needs.
    pub(crate) fn check(&self, pipeline: &Pipeline) -> Result<()> {
        let has = |stage| pipeline.shaders.iter().any(|attached| attached.stage == stage);
        let needed: &[Stage] = match pipeline.kind {
            PipelineKind::Compute => &[Stage::Compute],
            PipelineKind::Graphics => &[Stage::Vertex, Stage::Fragment],
        };
        match needed.iter().find(|stage| !has(**stage)) {
            Some(stage) => {
                let message =
                    format!("the pipeline `{}` has no {} shader", pipeline.name, stage.name());
                Err(ScriptError::new(pipeline.place, message))
            }
            None => Ok(()),
        }
    }

    /// `ATTACH SHADER [TYPE STAGE] [ENTRY_POINT NAME] [SPECIALIZE ID AS TYPE VALUE]...`.
    fn attach(&mut self, place: Place, pipeline: &mut Pipeline) -> Result<()> {
        let (name_place, index) = self.reference(Object::Shader)?;
        let own = self.script.shaders[index].stage;
        let mut stage = own;
        if let Some((type_place, _)) = self.optional(&["TYPE"])? {
            let list: Vec<_> =
                Stage::NAMES.iter().map(|(name, _, stage)| (*name, *stage)).collect();
            stage = self.choose(&list)?;
            if own != Stage::Multi && stage != own {
                let message = format!("the shader is a {} shader", own.name());
                return Err(ScriptError::new(type_place, message));
            }
        }
        let mut entry = "main".to_owned();
        if self.optional(&["ENTRY_POINT"])?.is_some() {
            entry = self.word("the name of an entry point")?.1.to_owned();
        }
        if stage == Stage::Multi {
            let message = "a `multi` shader needs TYPE STAGE and ENTRY_POINT NAME";
            return Err(ScriptError::new(name_place, message));
        }
        let fits = match pipeline.kind {
            PipelineKind::Compute => stage == Stage::Compute,
            PipelineKind::Graphics => stage != Stage::Compute,
        };
        if !fits {
            let message = format!("a {} shader does not fit the pipeline", stage.name());
            return Err(ScriptError::new(name_place, message));
        }
        let mut specialization = Vec::new();
        while self.optional(&["SPECIALIZE"])?.is_some() {
            let id = self.integer("the id of a specialization constant")?;
            self.keyword("AS")?;
            let (type_place, type_name) = self.word("a type of 32 bits")?;
            let scalar = Scalar::parse(type_name).filter(|scalar| scalar.bits == 32);
            let scalar = scalar.ok_or_else(|| {
                wrong(type_place, "a type of 32 bits: uint32, int32 or float", type_name)
            })?;
            let value_place = self.lexer.peek()?.place;
            let number: Number = self.number("a number")?;
            let bits = scalar.encode(number).map_err(|text| ScriptError::new(value_place, text))?;
            specialization.push((id, bits));
        }
        self.end_of_line()?;
        let attached = Attached {
            place,
            shader: index,
            stage,
            entry,
            specialization,
            subgroup_size: None,
            full_subgroups: false,
            robust_access: false,
        };
        pipeline.shaders.retain(|other| other.stage != stage);
        pipeline.shaders.push(attached);
        pipeline.shaders.sort_by_key(|attached| attached.stage);
        Ok(())
    }

    /// `SUBGROUP SHADER`.
    fn subgroup(&mut self, start: Place, pipeline: &mut Pipeline) -> Result<()> {
        let (name_place, index) = self.reference(Object::Shader)?;
        self.end_of_line()?;
        let (mut size, mut full) = (None, false);
        while let Some((place, word)) = self.line_of_block(start)? {
            match word {
                "FULLY_POPULATED" => full = self.switch()?,
                "VARYING_SIZE" => drop(self.switch()?),
                "REQUIRED_SIZE" => {
                    let what = "MIN, MAX or a power of two";
                    let (place, word) = self.word(what)?;
                    let power = |value: &u32| value.is_power_of_two() && *value <= 128;
                    size = Some(match word {
                        "MIN" => SubgroupSize::Min,
                        "MAX" => SubgroupSize::Max,
                        word => {
                            let value = word.parse().ok().filter(power);
                            SubgroupSize::Of(value.ok_or_else(|| wrong(place, what, word))?)
                        }
                    });
                }
                other => {
                    let what = "FULLY_POPULATED, VARYING_SIZE, REQUIRED_SIZE or END";
                    return Err(wrong(place, what, other));
                }
            }
            self.end_of_line()?;
        }
        let attached = pipeline.shaders.iter_mut().find(|attached| attached.shader == index);
        let attached = attached.ok_or_else(|| {
            ScriptError::new(name_place, "the shader is not attached to the pipeline")
        })?;
        attached.subgroup_size = size;
        attached.full_subgroups = full;
        Ok(())
    }

    /// The rest of `VIEWPORT`.
    fn viewport(&mut self) -> Result<Viewport> {
        let mut number = |what| Ok(self.float(what)? as f32);
        let origin = [number("the left edge")?, number("the upper edge")?];
        self.keyword("SIZE")?;
        let mut number = |what| Ok(self.float(what)? as f32);
        let size = [number("a width")?, number("a height")?];
        let mut depth = [0.0, 1.0];
        while let Some((_, option)) = self.optional(&["MIN_DEPTH", "MAX_DEPTH"])? {
            depth[usize::from(option == "MAX_DEPTH")] = self.float("a depth")? as f32;
        }
        Ok(Viewport { origin, size, depth })
    }

    /// `VERTEX_DATA BUFFER LOCATION ...`.
    fn vertex_data(&mut self, place: Place, pipeline: &mut Pipeline) -> Result<()> {
        let (_, buffer) = self.reference(Object::Buffer)?;
        self.keyword("LOCATION")?;
        let location_place = self.lexer.peek()?.place;
        let location = self.within("a location", 0, MAX_LOCATION)?;
        let mut data = VertexData {
            place,
            buffer,
            location,
            per_instance: false,
            format: None,
            offset: 0,
            stride: None,
        };
        while let Some((_, option)) = self.optional(&["RATE", "FORMAT", "OFFSET", "STRIDE"])? {
            match option {
                "RATE" => {
                    data.per_instance = self.choose(&[("vertex", false), ("instance", true)])?;
                }
                "FORMAT" => data.format = Some(self.format()?),
                "OFFSET" => data.offset = self.integer::<u32>("a number of bytes")?.into(),
                _ => data.stride = Some(self.integer("a number of bytes")?),
            }
        }
        self.end_of_line()?;
        if pipeline.vertex_data.iter().any(|other| other.location == location) {
            let message = format!("the pipeline has vertex data at location {location} already");
            return Err(ScriptError::new(location_place, message));
        }
        pipeline.vertex_data.push(data);
        Ok(())
    }
}
