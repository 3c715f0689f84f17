//! Compiles source languages to SPIR-V: WGSL with `naga`, GLSL and HLSL with `glslang`. Builds without the feature
//! `glslang` use `naga` for GLSL.

mod naga_fixups;
mod request;

use crestline_ssa::ir::Shader;
use rspirv::spirv::MAGIC_NUMBER;

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
    /// GLSL for Vulkan.
    Glsl,
    /// HLSL.
    Hlsl,
}

/// All languages with their names, in the order of the enumeration.
const LANGUAGES: [(Language, &str); 4] = [
    (Language::Spirv, "spirv"),
    (Language::Wgsl, "wgsl"),
    (Language::Glsl, "glsl"),
    (Language::Hlsl, "hlsl"),
];

/// A text that names no language.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown language `{name}`: expected spirv, wgsl, glsl or hlsl")]
pub struct UnknownLanguage {
    /// The text.
    pub name: String,
}

impl std::str::FromStr for Language {
    type Err = UnknownLanguage;

    fn from_str(name: &str) -> std::result::Result<Language, UnknownLanguage> {
        let row = LANGUAGES.iter().find(|row| row.1 == name);
        row.map(|row| row.0).ok_or_else(|| UnknownLanguage { name: name.to_owned() })
    }
}

impl Language {
    /// The name, such as `glsl`; [`str::parse`] reads it.
    pub const fn name(self) -> &'static str {
        LANGUAGES[self as usize].1
    }

    /// [`Language::Spirv`] if the bytes start with SPIR-V's magic number, in either byte order; `None` otherwise. No
    /// source text starts with these bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Language> {
        let magic = u32::from_le_bytes(*bytes.first_chunk()?);
        let known = [MAGIC_NUMBER, MAGIC_NUMBER.swap_bytes()];
        known.contains(&magic).then_some(Language::Spirv)
    }

    /// The language of files with that extension (without its dot).
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
    /// The name of the parser that compiles the language to SPIR-V.
    pub fn reader(self) -> &'static str {
        match self {
            Language::Spirv => "crestline",
            Language::Wgsl => "naga",
            Language::Glsl | Language::Hlsl if cfg!(feature = "glslang") => "glslang",
            Language::Glsl | Language::Hlsl => "naga",
        }
    }
}

/// The contents of a shader file.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// The file's name. Messages contain it, and it can give the stage of GLSL and HLSL.
    pub name: &'a str,
    /// The language.
    pub language: Language,
    /// The file's contents.
    pub bytes: &'a [u8],
}

/// SPIR-V words of a shader in any language, with the default [`TranslateOptions`].
///
/// # Errors
/// See [`to_spirv_with`].
pub fn to_spirv(source: &Source<'_>) -> std::result::Result<Vec<u32>, FrontendError> {
    to_spirv_with(source, &TranslateOptions::default())
}

/// SPIR-V words of a shader in any language.
///
/// The stage of a GLSL or HLSL text is the one in `options`, else the one of a `#pragma shader_stage(STAGE)`, else the
/// one in the file's name (`a.vert`, `a.vert.glsl`), else compute. The entry point of an HLSL text is the one in
/// `options`, or `main`; the entry point of a GLSL text is always `main`. The module of a SPIR-V or WGSL source
/// contains all its entry points.
/// # Errors
/// If the source does not compile (with the compiler's message), if it does not have the entry point, or if SPIR-V is
/// not a whole number of words.
pub fn to_spirv_with(
    source: &Source<'_>,
    options: &TranslateOptions<'_>,
) -> std::result::Result<Vec<u32>, FrontendError> {
    match source.language {
        Language::Spirv => spirv_words(source.bytes),
        _ => from_text(source, options),
    }
}

/// Like [`to_spirv`], but the module contains the source line of each instruction, except for WGSL texts of more than
/// 128 KiB. The module is larger, and compiling takes longer.
///
/// # Errors
/// See [`to_spirv`].
pub fn to_spirv_with_lines(source: &Source<'_>) -> std::result::Result<Vec<u32>, FrontendError> {
    match source.language {
        Language::Spirv => spirv_words(source.bytes),
        _ => from_text(source, &TranslateOptions { lines: true, ..TranslateOptions::default() }),
    }
}

/// The most bytes of a text for which line numbers are made: for each statement `naga` counts the lines from the
/// text's start.
const MAX_BYTES_WITH_LINES: usize = 128 << 10;

/// Checks the limits of a source text and compiles it to SPIR-V on a thread of its own; see [`confined`].
fn from_text(source: &Source<'_>, options: &TranslateOptions<'_>) -> Result<Vec<u32>> {
    let text = text(source)?;
    // Without the feature, `naga` reads GLSL too.
    let by_naga = source.language == Language::Wgsl || !cfg!(feature = "glslang");
    let lines = options.lines && (!by_naga || text.len() <= MAX_BYTES_WITH_LINES);
    let options = TranslateOptions { lines, ..*options };
    limits::check(text, source.language)?;
    confined(source.language.reader(), || match source.language {
        Language::Spirv => spirv_words(source.bytes),
        Language::Wgsl => wgsl::compile(source.name, text, &options),
        Language::Glsl => {
            let stage = request::stage(source.name, text, options.stage)?;
            glsl::compile(source.name, text, stage, &options)
        }
        Language::Hlsl => {
            let stage = request::stage(source.name, text, options.stage)?;
            glsl::compile_hlsl(source.name, text, stage, &options)
        }
    })
}

/// Translates one entry point of a shader in any language to IR.
///
/// In a WGSL shader the specialization values set `override` declarations, by `@id` or by name. `naga` replaces these
/// by their values, so the SPIR-V made from WGSL has no specialization constants.
///
/// # Errors
/// See [`to_spirv_with`] and [`translate`].
pub fn load(
    source: &Source<'_>,
    options: &TranslateOptions<'_>,
) -> std::result::Result<Shader, FrontendError> {
    let words = to_spirv_with(source, options)?;
    let is_wgsl = source.language == Language::Wgsl;
    let spec = if is_wgsl { &[] } else { options.spec };
    let translation = TranslateOptions { spec, named_spec: &[], ..*options };
    translate(&words, &translation).map_err(|error| {
        // Compile again with line numbers, so that the message can contain the line.
        if !options.lines
            && source.language != Language::Spirv
            && let Ok(words) = from_text(source, &TranslateOptions { lines: true, ..*options })
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

/// The source as a string; an error if it is not UTF-8.
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

/// Validates a `naga` module, replaces its `override`s by their values, and writes it as SPIR-V.
fn from_naga(
    name: &str,
    text: &str,
    module: &naga::Module,
    options: &TranslateOptions<'_>,
) -> Result<Vec<u32>> {
    use naga::back::{pipeline_constants::process_overrides, spv};
    use naga::valid::{Capabilities, ValidationFlags, Validator};

    let info = Validator::new(ValidationFlags::all(), Capabilities::all())
        .validate(module)
        .map_err(|e| source_error(name, &e.emit_to_string_with_path(text, name)))?;
    let values = overrides(module, options)?;
    let lines = options.lines;
    let (module, info) = process_overrides(module, &info, None, &values)
        .map_err(|e| source_error(name, &e.to_string()))?;
    let options = spv::Options {
        lang_version: (1, 3),
        flags: spv::WriterFlags::DEBUG,
        // Writes a null initializer; the translation clears the memory with all invocations of the workgroup.
        zero_initialize_workgroup_memory: spv::ZeroInitializeWorkgroupMemoryMode::Native,
        force_loop_bounding: false,
        debug_info: lines.then_some(spv::DebugInfo {
            source_code: text,
            file_name: name,
            language: spv::SourceLanguage::WGSL,
        }),
        ..spv::Options::default()
    };
    let mut words = spv::write_vec(&module, &info, &options, None)
        .map_err(|e| source_error(name, &e.to_string()))?;
    naga_fixups::fix_up(&mut words)?;
    Ok(words)
}

/// The values of `override`s in the form that `naga` expects: the key is `@id` or name, and the given bits are
/// converted to a number of the declared type.
fn overrides(
    module: &naga::Module,
    options: &TranslateOptions<'_>,
) -> Result<naga::back::PipelineConstants> {
    let mut values = naga::back::PipelineConstants::default();
    let by_id = options.spec.iter().map(|&(id, bits)| (id.to_string(), bits));
    let by_name = options.named_spec.iter().map(|&(name, bits)| (name.to_owned(), bits));
    for (key, bits) in by_id.chain(by_name) {
        let wanted = |o: &&naga::Override| override_key(o).as_ref() == Some(&key);
        let found = module.overrides.iter().map(|(_, o)| o).find(wanted);
        let Some(scalar) = found.and_then(|o| override_scalar(module, o)) else {
            let detail = format!("expected the @id or name of an override, found {key}");
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
        values.insert(key, value);
    }
    Ok(values)
}

/// The key of an `override` in [`overrides`]: its `@id` as a decimal number, or its name if it has none.
fn override_key(o: &naga::Override) -> Option<String> {
    o.id.map(|id| id.to_string()).or_else(|| o.name.clone())
}

fn override_scalar(module: &naga::Module, o: &naga::Override) -> Option<naga::Scalar> {
    match module.types[o.ty].inner {
        naga::TypeInner::Scalar(scalar) => Some(scalar),
        _ => None,
    }
}

/// An `override` of a WGSL shader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Override {
    /// Its `@id` as a decimal number, or its name if it has none.
    pub key: String,
    /// The type's kind.
    pub kind: OverrideKind,
    /// The size of its value in bits; 1 for a boolean.
    pub bits: u32,
}

/// The kind of number that an `override` has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverrideKind {
    /// `bool`.
    Bool,
    /// A signed integer.
    Sint,
    /// An unsigned integer.
    Uint,
    /// A float.
    Float,
}

/// The `override` declarations of a WGSL shader, in order.
///
/// # Errors
/// If the text is no UTF-8 or does not parse.
pub fn wgsl_overrides(source: &Source<'_>) -> std::result::Result<Vec<Override>, FrontendError> {
    let text = text(source)?;
    limits::check(text, Language::Wgsl)?;
    let module = confined(Language::Wgsl.reader(), || wgsl::parse(source.name, text))?;
    let row = |o: &naga::Override| {
        let scalar = override_scalar(&module, o)?;
        let (kind, bits) = match scalar.kind {
            naga::ScalarKind::Bool => (OverrideKind::Bool, 1),
            naga::ScalarKind::Sint => (OverrideKind::Sint, u32::from(scalar.width) * 8),
            naga::ScalarKind::Uint => (OverrideKind::Uint, u32::from(scalar.width) * 8),
            naga::ScalarKind::Float => (OverrideKind::Float, u32::from(scalar.width) * 8),
            _ => return None,
        };
        Some(Override { key: override_key(o)?, kind, bits })
    };
    Ok(module.overrides.iter().filter_map(|(_, o)| row(o)).collect())
}

mod wgsl {
    use super::{Result, from_naga, source_error};
    use crate::TranslateOptions;

    pub(super) fn parse(name: &str, text: &str) -> Result<naga::Module> {
        naga::front::wgsl::parse_str(text)
            .map_err(|e| source_error(name, &e.emit_to_string_with_path(text, name)))
    }

    pub(super) fn compile(
        name: &str,
        text: &str,
        options: &TranslateOptions<'_>,
    ) -> Result<Vec<u32>> {
        from_naga(name, text, &parse(name, text)?, options)
    }
}

#[cfg(feature = "glslang")]
mod glsl {
    //! GLSL and HLSL by the Khronos reference front end.

    use crestline_glslang::{Error, Input, Language};
    use crestline_ssa::ir::Stage;

    use super::{Result, request, source_error};
    use crate::TranslateOptions;
    use crate::error::{ErrorCode, FrontendError};

    pub(super) fn compile(
        name: &str,
        text: &str,
        stage: Stage,
        options: &TranslateOptions<'_>,
    ) -> Result<Vec<u32>> {
        compile_as(Language::Glsl, name, text, stage, "main", options.lines)
    }

    pub(super) fn compile_hlsl(
        name: &str,
        text: &str,
        stage: Stage,
        options: &TranslateOptions<'_>,
    ) -> Result<Vec<u32>> {
        let entry = options.entry.unwrap_or("main");
        if !request::is_identifier(entry) {
            return Err(request::no_entry_point(entry, text));
        }
        let words = compile_as(Language::Hlsl, name, text, stage, entry, options.lines)?;
        // If the function does not exist, glslang writes an entry point that does nothing.
        if request::calls_source_entry(&words, entry) {
            Ok(words)
        } else {
            Err(request::no_entry_point(entry, text))
        }
    }

    fn compile_as(
        language: Language,
        name: &str,
        text: &str,
        stage: Stage,
        entry: &str,
        lines: bool,
    ) -> Result<Vec<u32>> {
        let stage = shader_stage(stage);
        // A zero byte in the name would end it early. The name is only for lines.
        let shown = name.replace('\0', "?");
        let input = Input { name: &shown, text, language, stage, entry, lines };
        crestline_glslang::compile(&input).map_err(|error| match error {
            Error::Absent => FrontendError::new(ErrorCode::NoReader, error),
            error => source_error(name, &error.to_string()),
        })
    }

    fn shader_stage(stage: Stage) -> crestline_glslang::Stage {
        match stage {
            Stage::Vertex => crestline_glslang::Stage::Vertex,
            Stage::Fragment => crestline_glslang::Stage::Fragment,
            Stage::TessControl => crestline_glslang::Stage::TessControl,
            Stage::TessEval => crestline_glslang::Stage::TessEval,
            Stage::Geometry => crestline_glslang::Stage::Geometry,
            Stage::Compute => crestline_glslang::Stage::Compute,
        }
    }
}

#[cfg(not(feature = "glslang"))]
mod glsl {
    //! GLSL by `naga`, in builds without the feature `glslang`.

    use naga::ShaderStage;
    use naga::front::glsl::{Frontend, Options};

    use super::{Result, from_naga, source_error};
    use crate::error::{ErrorCode, FrontendError};

    pub(super) fn compile(
        name: &str,
        text: &str,
        stage: crate::Stage,
        options: &crate::TranslateOptions<'_>,
    ) -> Result<Vec<u32>> {
        let stage = match stage {
            crate::Stage::Vertex => ShaderStage::Vertex,
            crate::Stage::Fragment => ShaderStage::Fragment,
            crate::Stage::Compute => ShaderStage::Compute,
            crate::Stage::TessControl | crate::Stage::TessEval | crate::Stage::Geometry => {
                let detail = "expected a vertex, fragment or compute shader, because this build does not include glslang";
                return Err(FrontendError::new(ErrorCode::NoReader, detail));
            }
        };
        let module = Frontend::default()
            .parse(&Options::from(stage), text)
            .map_err(|e| source_error(name, &e.emit_to_string(text)))?;
        let options = crate::TranslateOptions { lines: options.lines, ..Default::default() };
        from_naga(name, text, &module, &options)
    }

    pub(super) fn compile_hlsl(
        name: &str,
        _text: &str,
        _stage: crate::Stage,
        _options: &crate::TranslateOptions<'_>,
    ) -> Result<Vec<u32>> {
        let detail = format!(
            "{name}: expected a build with the cargo feature glslang, which is needed for HLSL"
        );
        Err(FrontendError::new(ErrorCode::NoReader, detail))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_the_order_of_the_enumeration() {
        for (index, (language, name)) in LANGUAGES.into_iter().enumerate() {
            assert_eq!(language as usize, index);
            assert_eq!(language.name(), name);
            assert_eq!(name.parse(), Ok(language));
        }
        assert!("msl".parse::<Language>().is_err());
    }
}
