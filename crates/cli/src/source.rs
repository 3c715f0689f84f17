//! From a shader's file to SPIR-V: language, specialization constants, errors with their place.

use std::path::Path;

use crestline::{
    CompileError, Language, Options, Simd, Source, Stage, TessDomain, compile_spirv, link,
};
use crestline_frontend::{FrontendError, TranslateOptions, in_source, translate};

use crate::args::{self, Width};
use crate::error::{Code, Failure, Origin};
use crate::files::Limit;
use crate::grammar::{Bind, Descriptors, Spec, SpecValue};
use crate::reader::Refusal;
use crate::{files, reader, spec};

/// A shader that has been read and, where it was source text, compiled to SPIR-V.
pub(crate) struct Shader {
    /// The file's name as messages show it.
    pub(crate) name: String,
    /// The module.
    pub(crate) spirv: Vec<u32>,
    language: Language,
    text: Option<String>,
}

impl Shader {
    /// Reads and compiles to SPIR-V.
    pub(crate) fn load(source: &args::Source) -> Result<Shader, Failure> {
        Shader::read(&source.shader, source.lang.as_deref())
    }

    /// Reads a file and compiles it to SPIR-V.
    fn read(path: &Path, language: Option<&str>) -> Result<Shader, Failure> {
        let name = files::shown(path);
        let extension = || path.extension().and_then(|e| e.to_str()).unwrap_or_default();
        let language = language.unwrap_or_else(extension);
        let language = Language::from_extension(language).map_err(|error| {
            frontend_failure(&error, &name, None).help("--lang names the language")
        })?;
        let bytes = files::read(path, Limit::SHADER)?;
        let text = match language {
            Language::Spirv => None,
            _ => std::str::from_utf8(&bytes).ok().map(str::to_owned),
        };
        let source = Source { name: &name, language, bytes: &bytes };
        let spirv = reader::read(&source, false).map_err(|refusal| match refusal {
            Refusal::Source(error) => frontend_failure(&error, &name, text.as_deref()),
            Refusal::Process(failure) => failure.at(Origin::file(&name)),
        })?;
        Ok(Shader { name, language, spirv, text })
    }

    /// Checks that this shader's inputs are what the shader of the stage before gives.
    pub(crate) fn check_link(&self, source: &args::Source) -> Result<(), Failure> {
        let Some(path) = &source.after else { return Ok(()) };
        let before = Shader::read(path, None)?;
        let translated = |shader: &Shader, options: &TranslateOptions<'_>| {
            translate(&shader.spirv, options).map_err(|error| {
                shader.frontend_failure(error, |words| translate(words, options).err())
            })
        };
        let stage = self.options(source, &[])?.stage;
        let entry = source.entry.as_deref();
        let options = TranslateOptions { entry, stage, ..TranslateOptions::default() };
        let after = translated(self, &options)?;
        link(&translated(&before, &TranslateOptions::default())?, &after).map_err(|error| {
            Failure::new(Code::Link, error)
                .at(Origin::file(&self.name))
                .note(format!("the stage before is {}", before.name))
        })
    }

    /// The compiler's options; arrays of descriptors without a bound have as many elements as `bound` binds.
    pub(crate) fn options(
        &self,
        source: &args::Source,
        bound: &[Bind],
    ) -> Result<Options, Failure> {
        let mut options = Options::new(source.target).with_simd(match source.simd {
            Width::Auto => Simd::Auto,
            Width::W8 => Simd::Simd8,
            Width::W16 => Simd::Simd16,
            Width::W32 => Simd::Simd32,
            Width::W4x2 => Simd::Simd4x2,
        });
        options.entry = source.entry.clone();
        options.stage = source.stage.map(|stage| match stage {
            args::Stage::Vertex => Stage::Vertex,
            args::Stage::TessControl => Stage::TessControl,
            args::Stage::TessEval => Stage::TessEval,
            args::Stage::Geometry => Stage::Geometry,
            args::Stage::Compute => Stage::Compute,
        });
        options.patch.domain = source.domain.map(|domain| match domain {
            args::Domain::Triangles => TessDomain::Triangles,
            args::Domain::Quads => TessDomain::Quads,
            args::Domain::Isolines => TessDomain::Isolines,
        });
        options.disabled = source.skip_pass.iter().cloned().collect();
        options.fuel = source.fuel;
        for Bind { place, .. } in bound {
            let count = options.descriptor_counts.entry((place.set, place.binding)).or_default();
            *count = place.element.saturating_add(1).max(*count);
        }
        for Descriptors { place, count } in &source.descriptors {
            options.descriptor_counts.insert((place.set, place.binding), *count);
        }
        let types = spec::types(&self.spirv);
        for spec in &source.spec {
            let bits = types
                .get(&spec.id)
                .ok_or_else(|| format!("the shader has no specialization constant {}", spec.id))
                .and_then(|ty| ty.bits(spec.value))
                .map_err(|message| self.spec_failure(spec, &message, &types))?;
            options.specialization.push((spec.id, bits));
        }
        Ok(options)
    }

    fn spec_failure(&self, spec: &Spec, message: &str, types: &spec::Types) -> Failure {
        let value = match spec.value {
            SpecValue::Bool(value) => value.to_string(),
            SpecValue::Integer(value) => value.to_string(),
            SpecValue::Float(value) => value.to_string(),
        };
        let known = types.iter().map(|(id, ty)| format!("{id} ({ty})")).collect::<Vec<_>>();
        let failure =
            Failure::new(Code::Specialization, format!("--spec {}={value}: {message}", spec.id))
                .at(Origin::file(&self.name));
        match known.as_slice() {
            [] => failure.note("it has no specialization constants"),
            known => failure.note(format!("it has {}", known.join(", "))),
        }
    }

    /// A compiler's error as a failure with its place in this shader, which was compiled with `options`.
    pub(crate) fn failure(&self, error: &CompileError, options: &Options) -> Failure {
        match error {
            CompileError::Frontend(error) => {
                self.frontend_failure(error.clone(), |words| match compile_spirv(words, options) {
                    Err(CompileError::Frontend(error)) => Some(error),
                    _ => None,
                })
            }
            error => {
                let failure = Failure::with_code(error.code(), error).at(Origin::file(&self.name));
                match error {
                    CompileError::UnboundedArray { set, binding } => {
                        failure.help(format!("--descriptors {set}.{binding}=COUNT"))
                    }
                    CompileError::Threads { expected: "SIMD4x2", .. } => failure.help("--simd 4x2"),
                    _ => failure,
                }
            }
        }
    }

    /// An error of the front end in the words of who wrote the shader; `again` says what is wrong with another form of
    /// the module.
    fn frontend_failure(
        &self,
        error: FrontendError,
        again: impl FnOnce(&[u32]) -> Option<FrontendError>,
    ) -> Failure {
        let Some(text) = &self.text else {
            return frontend_failure(&error, &self.name, None).notes(self.words(&error));
        };
        let source = Source { name: &self.name, language: self.language, bytes: text.as_bytes() };
        let told = match reader::read(&source, true) {
            Ok(words) => again(&words)
                .filter(|again| again.code == error.code)
                .map(|again| in_source(again, &words, &source)),
            Err(_) => None,
        };
        let told = told.unwrap_or_else(|| in_source(error, &self.spirv, &source));
        frontend_failure(&told, &self.name, Some(text))
    }

    /// The words of the instruction that a front end's error speaks of.
    fn words(&self, error: &FrontendError) -> Option<String> {
        let place = error.place?;
        let start = place.word as usize;
        let count = (self.spirv.get(start)? >> 16) as usize;
        let words = self.spirv.get(start..start.checked_add(count.clamp(1, 8))?)?;
        let shown: Vec<String> = words.iter().map(|word| format!("{word:08x}")).collect();
        let rest = if count > 8 { " ..." } else { "" };
        let name = match place.inst {
            "" => String::new(),
            name => format!(" Op{name}:"),
        };
        Some(format!("word {start} (byte {:#x}):{name} {}{rest}", 4 * start, shown.join(" ")))
    }
}

/// A front end's error; `text` is the source, to show the line that the message names.
fn frontend_failure(error: &FrontendError, name: &str, text: Option<&str>) -> Failure {
    let code = error.code.as_str();
    let detail = error.detail.strip_prefix(name).and_then(|rest| rest.strip_prefix(": "));
    let detail = detail.unwrap_or(&error.detail).trim();
    // What a source compiler says has many lines; our own errors have one.
    let failure = if detail.contains('\n') {
        Failure::with_code(code, "the source does not compile").note(tidy(detail))
    } else {
        Failure::with_code(code, detail).note(format!("the rule: {}", error.code.rule()))
    };
    let place = error.source_place.map(|place| (place.line as usize, place.column as usize));
    let place = place.or_else(|| Some((named_line(detail, name)?, 0)));
    match text.zip(place) {
        // What is not a line of a text that people read is not shown.
        Some((text, (line, column))) => {
            let origin = Origin::line(name, text, line);
            failure.at(if column == 0 { origin } else { origin.column(column) })
        }
        None => failure.at(Origin::file(name)),
    }
}

/// A source compiler's messages without its headings and blank lines.
fn tidy(detail: &str) -> String {
    let heading = |line: &str| matches!(line.trim(), "" | "parse error: Log:" | "DebugLog:");
    detail.lines().filter(|line| !heading(line)).collect::<Vec<_>>().join("\n")
}

/// The line number in a message of the GLSL front end, which writes `ERROR: NAME:LINE:` with
/// the file's name or a number for it. WGSL messages bring their own piece of source.
fn named_line(detail: &str, name: &str) -> Option<usize> {
    let (_, rest) = detail.split_once("ERROR: ")?;
    let rest = rest.strip_prefix(name).or_else(|| rest.strip_prefix('0'))?.strip_prefix(':')?;
    rest.split_once(':')?.0.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_a_glsl_message_is_found() {
        assert_eq!(named_line("a.comp: ERROR: a.comp:7: 'x' : undeclared", "a.comp"), Some(7));
        assert_eq!(named_line("a.comp: ERROR: 0:12: 'x' : undeclared", "a.comp"), Some(12));
        assert_eq!(named_line("a.comp: no luck", "a.comp"), None);
    }
}
