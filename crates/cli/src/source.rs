//! Reads a shader's file and compiles it to SPIR-V. Determines the language and the values of specialization constants,
//! and adds source positions to errors.

use std::path::Path;

use crestline::{
    CompileError, ErrorPlace, Language, Options, Simd, Source, Stage, TessDomain, TessSpacing,
    check_link,
};
use crestline_frontend::{
    ErrorCode, FrontendError, TranslateOptions, in_source, named_line, translate,
};

use crate::args::{self, Width};
use crate::error::{Code, Failure, Origin};
use crate::files::Limit;
use crate::grammar::{Bind, Descriptors, Spec, SpecValue};
use crate::reader::Refusal;
use crate::{files, reader, spec};

/// A shader in SPIR-V, compiled from source text if necessary.
pub(crate) struct Shader {
    /// The file's name as messages show it.
    pub(crate) name: String,
    /// The module.
    pub(crate) spirv: Vec<u32>,
    language: Language,
    text: Option<String>,
    /// Values of the module's specialization constants: `SpecId` and bits. A module made from WGSL has no constants.
    specialization: Vec<(u32, u64)>,
}

/// The properties that the command line gives for a source.
#[derive(Clone, Copy, Default)]
struct Request<'a> {
    language: Option<&'a str>,
    entry: Option<&'a str>,
    stage: Option<Stage>,
    spec: &'a [Spec],
    /// Whether constants that the shader does not have are left out, instead of being an error.
    known_only: bool,
}

impl<'a> Request<'a> {
    /// What the arguments give for a shader.
    fn of(source: &'a args::Source) -> Request<'a> {
        Request {
            language: source.lang.as_deref(),
            entry: source.entry.as_deref(),
            stage: source.stage.map(Stage::from),
            spec: &source.spec,
            known_only: false,
        }
    }

    /// The given constants among those that the shader has.
    fn constants(&self, types: &spec::Types) -> Vec<Spec> {
        let known =
            |spec: &&Spec| !self.known_only || types.iter().any(|(key, _)| *key == spec.key);
        self.spec.iter().filter(known).cloned().collect()
    }
}

/// The options with which a text was compiled.
struct Asked {
    entry: Option<String>,
    stage: Option<Stage>,
    /// Values of WGSL's `override`s, by number or name.
    values: Vec<(String, u64)>,
}

impl Asked {
    /// Calls `work` with these options in the front end's form.
    fn with_options<T>(&self, work: impl FnOnce(&TranslateOptions<'_>) -> T) -> T {
        let (ids, names) = by_id(self.values.iter().map(|(key, bits)| (key.as_str(), *bits)));
        work(&TranslateOptions {
            entry: self.entry.as_deref(),
            stage: self.stage,
            spec: &ids,
            named_spec: &names,
            lines: true,
            ..TranslateOptions::default()
        })
    }
}

impl Shader {
    /// Reads the shader that the arguments name, and compiles it to SPIR-V.
    pub(crate) fn load(source: &args::Source) -> Result<Shader, Failure> {
        Shader::read(&source.shader, Request::of(source))
    }

    /// Like [`Shader::load`], but leaves out constants that the shader does not have.
    pub(crate) fn load_with_known_constants(source: &args::Source) -> Result<Shader, Failure> {
        Shader::read(&source.shader, Request { known_only: true, ..Request::of(source) })
    }

    /// A module that was read before. Constants that it does not have are left out; `spec` precedes `specialization`.
    pub(crate) fn of_module(
        name: &str,
        words: &[u32],
        specialization: &[(u32, u64)],
        spec: &[Spec],
    ) -> Result<Shader, Failure> {
        let types = spec::types(words);
        let request = Request { spec, known_only: true, ..Request::default() };
        let given = request.constants(&types);
        let (mut values, _) = by_id(spec_values(name, &given, &types)?);
        for &(id, bits) in specialization {
            let ty = types.iter().find(|(key, _)| *key == id.to_string()).map(|(_, ty)| *ty);
            if let (Some(ty), false) = (ty, values.iter().any(|(known, _)| *known == id)) {
                values.push((id, ty.of_memory(bits)));
            }
        }
        Ok(Shader {
            name: name.to_owned(),
            spirv: words.to_vec(),
            language: Language::Spirv,
            text: None,
            specialization: values,
        })
    }

    /// Reads a file and compiles it to SPIR-V.
    fn read(path: &Path, request: Request<'_>) -> Result<Shader, Failure> {
        let name = files::shown(path);
        let bytes = files::read(path, Limit::SHADER)?;
        let language = match Language::from_bytes(&bytes) {
            Some(language) => language,
            None => {
                let extension = || path.extension().and_then(|e| e.to_str()).unwrap_or_default();
                let language = request.language.unwrap_or_else(extension);
                Language::from_extension(language).map_err(|error| {
                    frontend_failure(&error, &name, None).help("--lang LANGUAGE gives the language")
                })?
            }
        };
        let text = match language {
            Language::Spirv => None,
            _ => std::str::from_utf8(&bytes).ok().map(str::to_owned),
        };
        let source = Source { name: &name, language, bytes: &bytes };
        let fail = |refusal| match refusal {
            Refusal::Source(error) => frontend_failure(&error, &name, text.as_deref()),
            Refusal::Process(failure) => failure.at(Origin::file(&name)),
        };
        // The values for a WGSL text must be found before it is compiled: names and constants are not in the module.
        let values = if language == Language::Wgsl && !request.spec.is_empty() {
            let types = spec::wgsl_types(&reader::overrides(&source).map_err(fail)?);
            let given = request.constants(&types);
            let values = spec_values(&name, &given, &types)?;
            values.into_iter().map(|(key, bits)| (key.to_owned(), bits)).collect()
        } else {
            Vec::new()
        };
        let entry = request.entry.map(str::to_owned);
        let asked = Asked { entry, stage: request.stage, values };
        let spirv = asked.with_options(|options| reader::read(&source, options)).map_err(fail)?;
        let specialization = match language {
            Language::Wgsl => Vec::new(),
            _ => {
                let types = spec::types(&spirv);
                by_id(spec_values(&name, &request.constants(&types), &types)?).0
            }
        };
        Ok(Shader { name, language, spirv, text, specialization })
    }

    /// The name and text of the source; `None` if it was SPIR-V.
    pub(crate) fn text(&self) -> Option<(&str, &str)> {
        Some((&self.name, self.text.as_deref()?))
    }

    /// Checks that the shader of the previous stage (`--after`) writes this shader's inputs.
    pub(crate) fn check_link(&self, source: &args::Source) -> Result<(), Failure> {
        let Some(path) = &source.after else { return Ok(()) };
        let before = Shader::read(path, Request::default())?;
        let translated = |shader: &Shader, options: &TranslateOptions<'_>| {
            translate(&shader.spirv, options).map_err(|error| shader.frontend_failure(error))
        };
        let stage = source.stage.map(Stage::from);
        let entry = source.entry.as_deref();
        let spec = &self.specialization;
        let options = TranslateOptions { entry, stage, spec, ..TranslateOptions::default() };
        let after = translated(self, &options)?;
        let mut options = TranslateOptions::default();
        let mut found = translated(&before, &options);
        // The module may have several stages: try those that may come before this one.
        for &stage in stages_before(after.stage.stage()) {
            if found.is_ok() {
                break;
            }
            options.stage = Some(stage);
            found = translated(&before, &options).or(found);
        }
        check_link(&found?, &after).map_err(|error| {
            Failure::new(Code::Link, error)
                .at(Origin::file(&self.name))
                .note(format!("the stage before is {}", before.name))
        })
    }

    /// The compiler's options. A descriptor array without a bound gets as many elements as `bound` binds, and an image
    /// without a format that of the bound image.
    pub(crate) fn options(
        &self,
        source: &args::Source,
        bound: Option<&args::Bindings>,
    ) -> Result<Options, Failure> {
        let mut options = Options::new(source.target).with_simd(match source.simd {
            Width::Auto => Simd::Auto,
            Width::W8 => Simd::Simd8,
            Width::W16 => Simd::Simd16,
            Width::W32 => Simd::Simd32,
            Width::W4x2 => Simd::Simd4x2,
        });
        options.subgroup_size = source.subgroup_size;
        options.full_subgroups = source.full_subgroups;
        options.samples = source.samples;
        options.alpha_to_coverage = source.alpha_to_coverage;
        options.robust_access = source.robust_access;
        options.entry = source.entry.clone();
        options.stage = source.stage.map(Stage::from);
        options.patch.domain = source.domain.map(|domain| match domain {
            args::Domain::Triangles => TessDomain::Triangles,
            args::Domain::Quads => TessDomain::Quads,
            args::Domain::Isolines => TessDomain::Isolines,
        });
        options.patch.spacing = source.spacing.map(|spacing| match spacing {
            args::Spacing::Equal => TessSpacing::Equal,
            args::Spacing::FractionalOdd => TessSpacing::FractionalOdd,
            args::Spacing::FractionalEven => TessSpacing::FractionalEven,
        });
        options.disabled = source.skip_pass.iter().cloned().collect();
        options.fuel = source.fuel;
        for Bind { descriptor, .. } in bound.into_iter().flat_map(|bound| &bound.bind) {
            let count =
                options.descriptor_counts.entry((descriptor.set, descriptor.binding)).or_default();
            *count = descriptor.element.saturating_add(1).max(*count);
        }
        for Descriptors { descriptor, count } in &source.descriptors {
            options.descriptor_counts.insert((descriptor.set, descriptor.binding), *count);
        }
        // The first entry for a binding counts: flags take precedence.
        let given = source.image_format.iter().map(|given| (given.descriptor, given.format));
        let images = bound.into_iter().flat_map(|bound| &bound.image);
        // A storage image cannot have a compressed format: the emulator reports it.
        let images = images.filter(|image| image.format.info().compression.is_none());
        let images = images.map(|image| (image.descriptor, image.format));
        options.image_formats = given
            .chain(images)
            .map(|(place, format)| ((place.set, place.binding), format))
            .collect();
        options.specialization.clone_from(&self.specialization);
        Ok(options)
    }

    /// Converts a compiler error to a failure with its position in this shader.
    pub(crate) fn failure(&self, error: &CompileError) -> Failure {
        match error {
            CompileError::Frontend(error) => self.frontend_failure(error.clone()),
            error => {
                let failure = Failure::with_code(error.code(), error);
                let failure = match error.place() {
                    None => failure.at(Origin::file(&self.name)),
                    Some(place) => self.at_place(failure, place),
                };
                match error {
                    CompileError::ImageFormat { set, binding } => {
                        failure.help(format!("--image-format {set}.{binding}=FORMAT"))
                    }
                    CompileError::Threads { expected: "SIMD4x2", .. } => failure.help("--simd 4x2"),
                    _ => failure,
                }
            }
        }
    }

    /// Adds the place of the source that debug information names. A line is shown if the text is at hand.
    fn at_place(&self, failure: Failure, place: &ErrorPlace) -> Failure {
        let (line, column) = (place.line as usize, place.column as usize);
        match (&self.text, column) {
            (Some(text), 0) if place.file == self.name => {
                failure.at(Origin::line(&self.name, text, line))
            }
            (Some(text), column) if place.file == self.name => {
                failure.at(Origin::column(&self.name, text, line, column))
            }
            (_, 0) => failure
                .at(Origin::file(&self.name))
                .note(format!("in the source: {}:{line}", place.file)),
            _ => failure
                .at(Origin::file(&self.name))
                .note(format!("in the source: {}:{line}:{column}", place.file)),
        }
    }

    /// An error of the front end in the words of the shader's author.
    fn frontend_failure(&self, error: FrontendError) -> Failure {
        let Some(text) = &self.text else {
            return frontend_failure(&error, &self.name, None).notes(self.words(&error));
        };
        let source = Source { name: &self.name, language: self.language, bytes: text.as_bytes() };
        let told = in_source(error, &self.spirv, &source);
        frontend_failure(&told, &self.name, Some(text))
    }

    /// The SPIR-V words of the instruction that a front end's error concerns.
    fn words(&self, error: &FrontendError) -> Option<String> {
        let position = error.position?;
        let start = position.word as usize;
        let count = (self.spirv.get(start)? >> 16) as usize;
        let words = self.spirv.get(start..start.checked_add(count.clamp(1, 8))?)?;
        let shown: Vec<String> = words.iter().map(|word| format!("{word:08x}")).collect();
        let rest = if count > 8 { " ..." } else { "" };
        let name = match position.inst {
            "" => String::new(),
            name => format!(" Op{name}:"),
        };
        Some(format!("word {start} (byte {:#x}):{name} {}{rest}", 4 * start, shown.join(" ")))
    }
}

impl From<args::Stage> for Stage {
    fn from(stage: args::Stage) -> Stage {
        match stage {
            args::Stage::Vertex => Stage::Vertex,
            args::Stage::TessControl => Stage::TessControl,
            args::Stage::TessEval => Stage::TessEval,
            args::Stage::Geometry => Stage::Geometry,
            args::Stage::Fragment => Stage::Fragment,
            args::Stage::Compute => Stage::Compute,
        }
    }
}

/// The stages that may come directly before a stage, the nearest one first.
fn stages_before(stage: Stage) -> &'static [Stage] {
    match stage {
        Stage::TessControl => &[Stage::Vertex],
        Stage::TessEval => &[Stage::TessControl],
        Stage::Geometry => &[Stage::TessEval, Stage::Vertex],
        Stage::Fragment => &[Stage::Geometry, Stage::TessEval, Stage::Vertex],
        Stage::Vertex | Stage::Compute => &[],
    }
}

/// The bits of each given value, with the key of its constant.
fn spec_values<'s>(
    file: &str,
    given: &'s [Spec],
    types: &spec::Types,
) -> Result<Vec<(&'s str, u64)>, Failure> {
    let value = |spec: &'s Spec| {
        let ty = types.iter().find(|(key, _)| *key == spec.key).map(|(_, ty)| ty);
        ty.ok_or_else(|| format!("the shader has no specialization constant {}", spec.key))
            .and_then(|ty| ty.bits(spec.value))
            .map(|bits| (spec.key.as_str(), bits))
            .map_err(|message| spec_failure(file, spec, &message, types))
    };
    given.iter().map(value).collect()
}

/// Divides values into those with a number as key and those with a name.
#[allow(clippy::type_complexity, reason = "two lists of pairs")]
fn by_id<'s>(
    values: impl IntoIterator<Item = (&'s str, u64)>,
) -> (Vec<(u32, u64)>, Vec<(&'s str, u64)>) {
    let mut lists = (Vec::new(), Vec::new());
    for (key, bits) in values {
        match key.parse() {
            Ok(id) => lists.0.push((id, bits)),
            Err(_) => lists.1.push((key, bits)),
        }
    }
    lists
}

/// The failure for a `--spec` argument that does not fit, with a list of the shader's constants.
fn spec_failure(file: &str, spec: &Spec, message: &str, types: &spec::Types) -> Failure {
    let value = match spec.value {
        SpecValue::Bool(value) => value.to_string(),
        SpecValue::Integer(value) => value.to_string(),
        SpecValue::Float(value) => value.to_string(),
    };
    let known = types.iter().map(|(key, ty)| format!("{key} ({ty})")).collect::<Vec<_>>();
    let failure =
        Failure::new(Code::Specialization, format!("--spec {}={value}: {message}", spec.key))
            .at(Origin::file(file));
    match known.as_slice() {
        [] => failure.note("it has no specialization constants"),
        known => failure.note(format!("it has {}", known.join(", "))),
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
        Failure::with_code(code, detail).note(format!("rule: {}", error.code.rule()))
    };
    let failure = match error.code {
        ErrorCode::NoEntryPoint | ErrorCode::ManyEntryPoints => {
            failure.help("--entry NAME and --stage STAGE select one")
        }
        _ => failure,
    };
    let place = error.source_position.map(|place| (place.line as usize, place.column as usize));
    let place = place.or_else(|| Some((named_line(detail)? as usize, 0)));
    match text.zip(place) {
        // What is not a line of a text that people read is not shown.
        Some((text, (line, 0))) => failure.at(Origin::line(name, text, line)),
        Some((text, (line, column))) => failure.at(Origin::column(name, text, line, column)),
        None => failure.at(Origin::file(name)),
    }
}

/// A source compiler's messages without blank lines.
fn tidy(detail: &str) -> String {
    let heading = |line: &str| line.trim().is_empty();
    detail.lines().filter(|line| !heading(line)).collect::<Vec<_>>().join("\n")
}
