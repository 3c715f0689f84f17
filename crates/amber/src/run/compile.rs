//! The programs of pipelines.

use super::{Failure, FailureKind, Host, Settings};
use crate::error::Place;
use crate::limits;
use crate::script::{
    Attached, Descriptor, Language, Pipeline, Script, Shader, Stage, SubgroupSize, Text,
};
use crestline::{
    CompileError, Options, Platform, Program, Simd, Source, StageMetadata, TessDomain, TessSpacing,
    compile_spirv,
};
use crestline_frontend::{ErrorCode, TranslateOptions, assemble, named_line};
use crestline_program::{Domain, Spacing};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The vertex shader of `PASSTHROUGH`.
const PASSTHROUGH: &str = "#version 450\n\
    layout(location = 0) in vec4 position;\n\
    void main() { gl_Position = position; }\n";

/// The program of a stage.
pub(super) struct StageProgram {
    pub(super) stage: Stage,
    pub(super) program: Program,
}

/// The programs of a pipeline, in the order of the stages.
pub(super) struct Compiled {
    pub(super) programs: Vec<StageProgram>,
}

/// The programs of all pipelines; each is compiled when it is first used.
pub(super) struct Programs<'a> {
    script: &'a Script,
    host: &'a dyn Host,
    settings: Settings,
    compiled: BTreeMap<usize, Rc<Compiled>>,
    /// The SPIR-V of each shader, by its number, stage and entry point.
    modules: BTreeMap<(usize, Stage, String), Rc<Vec<u32>>>,
}

/// The compiler's name of a stage.
fn stage_of(stage: Stage) -> crestline::Stage {
    match stage {
        Stage::Vertex => crestline::Stage::Vertex,
        Stage::TessControl => crestline::Stage::TessControl,
        Stage::TessEval => crestline::Stage::TessEval,
        Stage::Geometry => crestline::Stage::Geometry,
        Stage::Fragment => crestline::Stage::Fragment,
        // A module with several stages is attached with one of them.
        Stage::Compute | Stage::Multi => crestline::Stage::Compute,
    }
}

/// The SPIR-V of a shader of a pipeline.
///
/// # Errors
/// Why the shader cannot be read, or does not compile.
pub fn spirv(script: &Script, host: &dyn Host, attached: &Attached) -> Result<Vec<u32>, Failure> {
    Programs::new(script, host, &Settings::new(Platform::Skl)).translate(attached)
}

/// Whether the compiler can choose between three SIMD widths for a stage.
fn has_width(stage: Stage) -> bool {
    matches!(stage, Stage::Compute | Stage::Fragment)
}

impl<'a> Programs<'a> {
    pub(super) fn new(script: &'a Script, host: &'a dyn Host, settings: &Settings) -> Programs<'a> {
        Programs {
            script,
            host,
            settings: settings.clone(),
            compiled: BTreeMap::new(),
            modules: BTreeMap::new(),
        }
    }

    /// The programs of a pipeline.
    pub(super) fn get(&mut self, index: usize) -> Result<Rc<Compiled>, Failure> {
        if let Some(compiled) = self.compiled.get(&index) {
            return Ok(Rc::clone(compiled));
        }
        let pipeline = &self.script.pipelines[index];
        let mut modules = Vec::new();
        for attached in &pipeline.shaders {
            modules.push(self.module(attached)?);
        }
        let mut programs: Vec<StageProgram> = Vec::new();
        // A tessellation control shader is compiled after the evaluation shader, because it depends on its domain.
        for (attached, module) in pipeline.shaders.iter().zip(&modules).rev() {
            let mut options = self.options(pipeline, attached)?;
            if attached.stage == Stage::TessControl
                && let Some(StageMetadata::TessEval(eval)) =
                    programs.last().map(|program| &program.program.metadata.stage)
            {
                options.patch.domain = Some(match eval.domain {
                    Domain::Quads => TessDomain::Quads,
                    Domain::Triangles => TessDomain::Triangles,
                    Domain::Isolines => TessDomain::Isolines,
                });
                options.patch.spacing = Some(match eval.spacing {
                    Spacing::Equal => TessSpacing::Equal,
                    Spacing::FractionalOdd => TessSpacing::FractionalOdd,
                    Spacing::FractionalEven => TessSpacing::FractionalEven,
                });
            }
            let program =
                compile_spirv(module, &options).map_err(|error| self.failure(attached, &error))?;
            programs.push(StageProgram { stage: attached.stage, program });
        }
        programs.reverse();
        let compiled = Rc::new(Compiled { programs });
        self.compiled.insert(index, Rc::clone(&compiled));
        Ok(compiled)
    }

    fn options(&self, pipeline: &Pipeline, attached: &Attached) -> Result<Options, Failure> {
        let mut options = Options::new(self.settings.platform);
        options.entry = Some(attached.entry.clone());
        options.stage = Some(stage_of(attached.stage));
        options.specialization.clone_from(&attached.specialization);
        for binding in &pipeline.bindings {
            options
                .descriptor_counts
                .insert((binding.set, binding.binding), binding.elements.len() as u32);
        }
        if attached.stage == Stage::TessControl {
            options.patch.input_vertices = Some(pipeline.patch_points);
        }
        if attached.stage == Stage::Fragment {
            let samples =
                pipeline.colours.iter().chain(&pipeline.depth_stencil).filter_map(|attachment| {
                    self.script.buffers[attachment.buffer].image.as_ref().map(|image| image.samples)
                });
            let samples = samples.max().unwrap_or(1);
            options.samples = u8::try_from(samples).ok();
        }
        options.robust_access = attached.robust_access;
        options.full_subgroups = attached.full_subgroups;
        options.simd = match attached.subgroup_size {
            None if has_width(attached.stage) => self.settings.simd,
            None => self.settings.geometry_simd,
            Some(size) => self.width(attached, size)?,
        };
        Ok(options)
    }

    /// The SIMD width with a subgroup size.
    fn width(&self, attached: &Attached, size: SubgroupSize) -> Result<Simd, Failure> {
        match (has_width(attached.stage), size) {
            (false, SubgroupSize::Min | SubgroupSize::Max | SubgroupSize::Of(8)) => Ok(Simd::Auto),
            (true, SubgroupSize::Min | SubgroupSize::Of(8)) => Ok(Simd::Simd8),
            (true, SubgroupSize::Of(16)) => Ok(Simd::Simd16),
            (true, SubgroupSize::Max | SubgroupSize::Of(32)) => Ok(Simd::Simd32),
            (_, size) => {
                let message = format!(
                    "the subgroup size {size:?} is not possible for a {} shader: expected 8, 16 or 32, or 8 before \
                     the fragment shader",
                    attached.stage.name()
                );
                Err(Failure::script(attached.place, message))
            }
        }
    }

    /// The SPIR-V of a shader.
    fn module(&mut self, attached: &Attached) -> Result<Rc<Vec<u32>>, Failure> {
        let key = (attached.shader, attached.stage, attached.entry.clone());
        if let Some(module) = self.modules.get(&key) {
            return Ok(Rc::clone(module));
        }
        let module = Rc::new(self.translate(attached)?);
        self.modules.insert(key, Rc::clone(&module));
        Ok(module)
    }

    fn translate(&self, attached: &Attached) -> Result<Vec<u32>, Failure> {
        let shader = &self.script.shaders[attached.shader];
        let fail = |message: String| Failure::new(FailureKind::Shader, shader.place, message);
        let bytes = match &shader.text {
            Text::Passthrough => PASSTHROUGH.as_bytes().to_vec(),
            Text::Inline(text, _) => text.clone().into_bytes(),
            Text::Virtual(path) => {
                let file = self.script.files.get(path);
                file.ok_or_else(|| fail(format!("there is no virtual file `{path}`")))?
                    .clone()
                    .into_bytes()
            }
            Text::File(path) => self.host.read(path).map_err(fail)?,
        };
        let text = || {
            let text = std::str::from_utf8(&bytes);
            text.map_err(|_| fail(format!("the shader `{}` is no text in UTF-8", shader.name)))
        };
        match shader.language {
            Language::Glsl | Language::Hlsl => {
                let base = match &shader.text {
                    Text::Virtual(path) | Text::File(path) => path.as_str(),
                    _ => "",
                };
                let whole = self.include(text()?, base, 0).map_err(fail)?;
                self.compile_source(attached, shader, &whole)
            }
            Language::SpirvAssembly => {
                let first = match &shader.text {
                    Text::Inline(_, line) => Some(*line),
                    _ => None,
                };
                assemble(text()?, version(shader.target.as_deref())).map_err(|error| {
                    let place = first
                        .map(|first| Place { line: first + error.line - 1, column: error.column });
                    let message = format!("the SPIR-V assembly: {}", error.message);
                    Failure::new(FailureKind::Shader, place.unwrap_or(shader.place), message)
                })
            }
            Language::SpirvHex => hex_words(text()?).map_err(fail),
            Language::SpirvBinary => {
                crestline_frontend::spirv_words(&bytes).map_err(|error| fail(error.to_string()))
            }
            Language::OpenClC => Err(Failure::unsupported(shader.place, "shaders in OpenCL C")),
        }
    }

    /// Compiles GLSL or HLSL.
    fn compile_source(
        &self,
        attached: &Attached,
        shader: &Shader,
        text: &str,
    ) -> Result<Vec<u32>, Failure> {
        let language = match shader.language {
            Language::Hlsl => crestline::Language::Hlsl,
            _ => crestline::Language::Glsl,
        };
        let source = Source { name: &shader.name, language, bytes: text.as_bytes() };
        let stage = stage_of(attached.stage);
        let options = TranslateOptions {
            stage: Some(stage),
            entry: Some(&attached.entry),
            ..TranslateOptions::default()
        };
        self.host.to_spirv(&source, &options).map_err(|error| {
            let mut place = shader.place;
            let position = error.position.or_else(|| Some((named_line(&error.message)?, 1)));
            if let (Text::Inline(own, first), Some((line, column))) = (&shader.text, position)
                && own == text
            {
                place = Place { line: first + line.saturating_sub(1), column: column.max(1) };
            }
            let message = format!("the shader `{}` does not compile", shader.name);
            Failure::new(FailureKind::Shader, place, message).with_note(error.message)
        })
    }

    /// Replaces the `#include` lines of a text by the virtual files, or else the files, that they name.
    fn include(&self, text: &str, base: &str, depth: u32) -> Result<String, String> {
        if depth > limits::INCLUDES {
            return Err(format!(
                "the #include lines are nested more than {} deep",
                limits::INCLUDES
            ));
        }
        if !text.contains("#include") {
            return Ok(text.to_owned());
        }
        let mut whole = String::new();
        for line in text.split_inclusive('\n') {
            let named = line.trim_start().strip_prefix("#include").and_then(|rest| {
                let (_, rest) = rest.split_once('"')?;
                Some(rest.split_once('"')?.0)
            });
            match named {
                None => whole.push_str(line),
                Some(path) => {
                    let beside = beside(base, path);
                    let file = [beside.as_str(), path]
                        .into_iter()
                        .find_map(|path| Some((path, self.script.files.get(path)?.clone())));
                    let (path, file) = match file {
                        Some((path, file)) => (path.to_owned(), file),
                        None => {
                            let bytes = self.host.read(&beside)?;
                            let file = String::from_utf8(bytes);
                            (
                                beside.clone(),
                                file.map_err(|_| format!("{beside} is no text in UTF-8"))?,
                            )
                        }
                    };
                    whole.push_str(&self.include(&file, &path, depth + 1)?);
                    whole.push('\n');
                }
            }
            if whole.len() > limits::SHADER_BYTES {
                return Err(format!(
                    "the shader has more than {} bytes after its #include lines are replaced",
                    limits::SHADER_BYTES
                ));
            }
        }
        Ok(whole)
    }

    /// The failure for an error of the compiler.
    fn failure(&self, attached: &Attached, error: &CompileError) -> Failure {
        let shader = &self.script.shaders[attached.shader];
        let message = format!("the {} shader `{}`: {error}", attached.stage.name(), shader.name);
        let kind = match error {
            CompileError::Frontend(error)
                if matches!(error.code, ErrorCode::Unsupported | ErrorCode::UnsupportedType) =>
            {
                FailureKind::Unsupported
            }
            CompileError::Select(_) => FailureKind::Unsupported,
            _ => FailureKind::Shader,
        };
        let failure = Failure::new(kind, attached.place, message);
        failure.with_note(format!("code {}", error.code()))
    }
}

/// A path relative to the folder of another file, without `.` and `..`.
fn beside(base: &str, path: &str) -> String {
    let folder = base.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// The version of SPIR-V for a target environment, as the second word of a module.
fn version(target: Option<&str>) -> u32 {
    match target {
        Some("spv1.1") => 0x0001_0100,
        Some("spv1.2") => 0x0001_0200,
        Some("spv1.3" | "vulkan1.1") => 0x0001_0300,
        Some("spv1.4" | "vulkan1.1spv1.4") => 0x0001_0400,
        Some("spv1.5" | "vulkan1.2") => 0x0001_0500,
        Some("spv1.6" | "vulkan1.3" | "vulkan1.4") => 0x0001_0600,
        _ => 0x0001_0000,
    }
}

/// The words of a text in hexadecimal: numbers of 32 bits, separated by white space or commas.
fn hex_words(text: &str) -> Result<Vec<u32>, String> {
    let mut words = Vec::new();
    for line in text.lines() {
        let content = line.split('#').next().unwrap_or_default();
        for word in content.split([' ', '\t', '\r', ',']).filter(|word| !word.is_empty()) {
            let digits = word.trim_start_matches("0x").trim_start_matches("0X");
            let value = u32::from_str_radix(digits, 16);
            words.push(value.map_err(|_| format!("expected a hexadecimal word, found `{word}`"))?);
        }
    }
    Ok(words)
}

/// Whether a kind of descriptor accesses an image.
pub(super) fn is_image(kind: Descriptor) -> bool {
    !matches!(kind, Descriptor::Uniform | Descriptor::Storage | Descriptor::Sampler)
}
