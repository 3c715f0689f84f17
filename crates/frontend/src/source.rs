//! Source languages to SPIR-V.

use crestline_ssa::ir::Shader;

use crate::confine::confined;
use crate::error::{ErrorCode, FrontendError, Result};
use crate::origin::in_source;
use crate::{TranslateOptions, limits, translate};

/// A language that shaders are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// SPIR-V, binary.
    Spirv,
    /// WGSL.
    Wgsl,
    /// GLSL for Vulkan; the stage is compute unless the file extension says otherwise.
    Glsl,
    /// HLSL, entry point `main`.
    Hlsl,
}

impl Language {
    /// The language of files with that extension, which stands without its dot.
    ///
    /// # Errors
    /// [`ErrorCode::UnknownLanguage`] if it is none of `spv wgsl comp vert frag tesc tese geom glsl hlsl`.
    pub fn from_extension(extension: &str) -> std::result::Result<Language, FrontendError> {
        match extension {
            "spv" => Ok(Language::Spirv),
            "wgsl" => Ok(Language::Wgsl),
            "comp" | "vert" | "frag" | "tesc" | "tese" | "geom" | "glsl" => Ok(Language::Glsl),
            "hlsl" => Ok(Language::Hlsl),
            other => Err(FrontendError::new(
                ErrorCode::UnknownLanguage,
                format!(
                    "expected spv, wgsl, comp, vert, frag, tesc, tese, geom, glsl or hlsl, found {other:?}"
                ),
            )),
        }
    }
}

impl Language {
    /// What reads the language to SPIR-V.
    pub fn reader(self) -> &'static str {
        match self {
            Language::Spirv => "crestline",
            Language::Wgsl => "naga",
            Language::Glsl | Language::Hlsl if cfg!(feature = "glslang") => "glslang",
            Language::Glsl | Language::Hlsl => "naga",
        }
    }
}

/// A shader as it was written.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// The file's name: for messages, and for the stage of GLSL.
    pub name: &'a str,
    /// The language.
    pub language: Language,
    /// The file's contents.
    pub bytes: &'a [u8],
}

/// SPIR-V words of a shader in any language.
///
/// # Errors
/// If the source does not compile, with the compiler's message, or is no whole number of words.
pub fn to_spirv(source: &Source<'_>) -> std::result::Result<Vec<u32>, FrontendError> {
    match source.language {
        Language::Spirv => spirv_words(source.bytes),
        _ => from_text(source, &[], false),
    }
}

/// As [`to_spirv`], and the module says which line of the text each instruction is of, where the reader can tell: that of
/// WGSL, up to 128 KiB. For messages only: the module is larger, and takes longer to make.
///
/// # Errors
/// See [`to_spirv`].
pub fn to_spirv_with_lines(source: &Source<'_>) -> std::result::Result<Vec<u32>, FrontendError> {
    match source.language {
        Language::Spirv => spirv_words(source.bytes),
        _ => from_text(source, &[], true),
    }
}

/// The most bytes of a text whose lines are told: `naga` counts them anew for each statement.
const MAX_BYTES_WITH_LINES: usize = 128 << 10;

/// SPIR-V words of a source text, by a reader that runs where it can do no harm.
fn from_text(source: &Source<'_>, spec: &[(u32, u64)], lines: bool) -> Result<Vec<u32>> {
    let text = text(source)?;
    let lines = lines && text.len() <= MAX_BYTES_WITH_LINES;
    limits::check(text, source.language)?;
    confined(source.language.reader(), || match source.language {
        Language::Spirv => spirv_words(source.bytes),
        Language::Wgsl => wgsl::compile(source.name, text, spec, lines),
        Language::Glsl => glsl::compile(source.name, text),
        Language::Hlsl => glsl::compile_hlsl(source.name, text),
    })
}

/// One entry point of a shader in any language as IR.
///
/// Specialization values of a WGSL shader go to its `override` declarations with that `@id`; WGSL has no constants
/// that SPIR-V would leave open.
///
/// # Errors
/// See [`to_spirv`] and [`translate`].
pub fn load(
    source: &Source<'_>,
    options: &TranslateOptions<'_>,
) -> std::result::Result<Shader, FrontendError> {
    let is_wgsl = source.language == Language::Wgsl;
    let words = if is_wgsl { from_text(source, options.spec, false)? } else { to_spirv(source)? };
    let spec = if is_wgsl { &[] } else { options.spec };
    let translation = TranslateOptions { spec, ..*options };
    translate(&words, &translation).map_err(|error| {
        // Once more, for the line.
        if is_wgsl
            && let Ok(words) = from_text(source, options.spec, true)
            && let Err(again) = translate(&words, &translation)
            && again.code == error.code
        {
            return in_source(again, &words, source);
        }
        match source.language {
            Language::Spirv => error,
            _ => in_source(error, &words, source),
        }
    })
}

/// The words of a SPIR-V file: little-endian.
///
/// # Errors
/// [`ErrorCode::BadHeader`] if the file's length is no multiple of four.
pub fn spirv_words(bytes: &[u8]) -> std::result::Result<Vec<u32>, FrontendError> {
    let (words, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() {
        let detail = format!("expected whole words of 4 bytes, found {} bytes", bytes.len());
        return Err(FrontendError::new(ErrorCode::BadHeader, detail));
    }
    Ok(words.iter().map(|&w| u32::from_le_bytes(w)).collect())
}

fn text<'a>(source: &Source<'a>) -> Result<&'a str> {
    std::str::from_utf8(source.bytes).map_err(|e| {
        FrontendError::new(
            ErrorCode::NotText,
            format!("{}: expected UTF-8, found {e}", source.name),
        )
    })
}

fn source_error(name: &str, message: &str) -> FrontendError {
    FrontendError::new(ErrorCode::SourceError, format!("{name}: {}", message.trim()))
}

/// A module that `naga` has read, as SPIR-V, with its `override`s settled.
fn from_naga(
    name: &str,
    text: &str,
    module: &naga::Module,
    spec: &[(u32, u64)],
    lines: bool,
) -> Result<Vec<u32>> {
    use naga::back::{pipeline_constants::process_overrides, spv};
    use naga::valid::{Capabilities, ValidationFlags, Validator};

    let info = Validator::new(ValidationFlags::all(), Capabilities::all())
        .validate(module)
        .map_err(|e| source_error(name, &e.emit_to_string_with_path(text, name)))?;
    let values = overrides(module, spec)?;
    let (module, info) = process_overrides(module, &info, None, &values)
        .map_err(|e| source_error(name, &e.to_string()))?;
    let options = spv::Options {
        lang_version: (1, 3),
        flags: spv::WriterFlags::DEBUG,
        // An initializer, which the translation does with all invocations together.
        zero_initialize_workgroup_memory: spv::ZeroInitializeWorkgroupMemoryMode::Native,
        force_loop_bounding: false,
        debug_info: lines.then_some(spv::DebugInfo {
            source_code: text,
            file_name: name,
            language: spv::SourceLanguage::WGSL,
        }),
        ..spv::Options::default()
    };
    spv::write_vec(&module, &info, &options, None).map_err(|e| source_error(name, &e.to_string()))
}

/// Values of `override`s by their `@id`: the bits given become a number of the declared type.
fn overrides(module: &naga::Module, spec: &[(u32, u64)]) -> Result<naga::back::PipelineConstants> {
    let mut values = naga::back::PipelineConstants::default();
    for &(id, bits) in spec {
        let wanted = |o: &&naga::Override| o.id.is_some_and(|i| u32::from(i) == id);
        let found = module.overrides.iter().map(|(_, o)| o).find(wanted);
        let scalar = found.and_then(|o| match module.types[o.ty].inner {
            naga::TypeInner::Scalar(scalar) => Some(scalar),
            _ => None,
        });
        let Some(scalar) = scalar else {
            let detail = format!("expected the @id of an override, found {id}");
            return Err(FrontendError::new(ErrorCode::UnknownSpecId, detail));
        };
        let value = match scalar.kind {
            naga::ScalarKind::Bool => f64::from(u8::from(bits != 0)),
            naga::ScalarKind::Sint => f64::from(bits as u32 as i32),
            naga::ScalarKind::Float => {
                let size = u32::from(scalar.width) * 8;
                f64::from_bits(crate::half::convert(bits, size, 64).unwrap_or(0))
            }
            _ => f64::from(bits as u32),
        };
        values.insert(id.to_string(), value);
    }
    Ok(values)
}

mod wgsl {
    use super::{Result, from_naga, source_error};

    pub(super) fn compile(
        name: &str,
        text: &str,
        spec: &[(u32, u64)],
        lines: bool,
    ) -> Result<Vec<u32>> {
        let module = naga::front::wgsl::parse_str(text)
            .map_err(|e| source_error(name, &e.emit_to_string_with_path(text, name)))?;
        from_naga(name, text, &module, spec, lines)
    }
}

#[cfg(feature = "glslang")]
mod glsl {
    //! GLSL and HLSL by the Khronos reference front end.

    use glslang::{
        Compiler, CompilerOptions, Shader, ShaderInput, ShaderSource, ShaderStage, SourceLanguage,
        SpirvVersion, Target, VulkanVersion,
    };

    use super::{Result, source_error};
    use crate::error::{ErrorCode, FrontendError};

    pub(super) fn compile(name: &str, text: &str) -> Result<Vec<u32>> {
        compile_as(name, text, SourceLanguage::GLSL)
    }

    pub(super) fn compile_hlsl(name: &str, text: &str) -> Result<Vec<u32>> {
        compile_as(name, text, SourceLanguage::HLSL)
    }

    fn compile_as(name: &str, text: &str, source_language: SourceLanguage) -> Result<Vec<u32>> {
        let compiler = Compiler::acquire().ok_or_else(|| {
            FrontendError::new(ErrorCode::NoReader, "expected glslang to start, but it did not")
        })?;
        // A zero byte would end the text early inside glslang.
        if text.contains('\0') {
            return Err(source_error(name, "expected text without zero bytes"));
        }
        let source = ShaderSource::from(text.to_owned());
        let options = CompilerOptions {
            source_language,
            target: Target::Vulkan {
                version: VulkanVersion::Vulkan1_2,
                spirv_version: SpirvVersion::SPIRV1_5,
            },
            ..CompilerOptions::default()
        };
        let fail = |e: glslang::error::GlslangError| source_error(name, &e.to_string());
        let input = ShaderInput::new(&source, stage(name), &options, None, None).map_err(fail)?;
        let mut shader = Shader::new(compiler, input);
        // HLSL has no entry point of its own accord.
        if source_language == SourceLanguage::HLSL {
            shader.entry_point("main");
            shader.source_entry_point("main");
        }
        shader.parse().map_err(fail)?.compile().map_err(fail)
    }

    fn stage(name: &str) -> ShaderStage {
        match name.rsplit('.').next() {
            Some("vert") => ShaderStage::Vertex,
            Some("frag") => ShaderStage::Fragment,
            Some("tesc") => ShaderStage::TesselationControl,
            Some("tese") => ShaderStage::TesselationEvaluation,
            Some("geom") => ShaderStage::Geometry,
            _ => ShaderStage::Compute,
        }
    }
}

#[cfg(not(feature = "glslang"))]
mod glsl {
    //! GLSL by `naga`, where the Khronos front end is not built in.

    use naga::ShaderStage;
    use naga::front::glsl::{Frontend, Options};

    use super::{Result, from_naga, source_error};
    use crate::error::{ErrorCode, FrontendError};

    pub(super) fn compile(name: &str, text: &str) -> Result<Vec<u32>> {
        let stage = match name.rsplit('.').next() {
            Some("vert") => ShaderStage::Vertex,
            Some("frag") => ShaderStage::Fragment,
            Some("tesc" | "tese" | "geom") => {
                let detail = "expected a vertex, fragment or compute shader without glslang";
                return Err(FrontendError::new(ErrorCode::NoReader, detail));
            }
            _ => ShaderStage::Compute,
        };
        let module = Frontend::default()
            .parse(&Options::from(stage), text)
            .map_err(|e| source_error(name, &e.emit_to_string(text)))?;
        from_naga(name, text, &module, &[], false)
    }

    pub(super) fn compile_hlsl(name: &str, _text: &str) -> Result<Vec<u32>> {
        let detail = format!("{name}: expected the cargo feature glslang, which reads HLSL");
        Err(FrontendError::new(ErrorCode::NoReader, detail))
    }
}
