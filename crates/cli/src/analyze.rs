//! `crestline analyze`: reports on shaders and on machine code.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use crestline::{Device, Language, Platform, line_variables};
use crestline_analysis::{
    Analysis, AnalysisError, Budget, BudgetError, Document, HINTS, Input, LineVariable, METRICS,
    Measurement, ShaderReport, TextOptions, WidthAttempt, WidthOutcome, analyze, analyze_program,
    comparison, csv, html, text,
};
use crestline_emu::{Kernel, Profile, Report};
use crestline_program::{self as program, Metadata, Program, StageMetadata};

use crate::args::{self, Resources, Source, Stage, Target, Width, nearest};
use crate::compile::{self, Watcher};
use crate::error::{Code, Failure, Origin};
use crate::files::Limit;
use crate::grammar::{Descriptors, ImageFormat, Spec};
use crate::source::Shader;
use crate::{code, files, run};

/// The exit status if a budget is exceeded.
const EXCEEDED: u8 = 3;

/// Report on shaders or machine code: times, registers, messages, source lines, advice.
///
/// Exit status: 0; 1 on an error in an input; 2 on wrong usage; 3 if a condition of `--fail-if` holds.
#[derive(Debug, Args)]
pub(crate) struct Analyze {
    /// Shaders in any source language, programs that `compile --emit json` wrote, or machine code in any container
    /// that `disasm` reads; `-` for standard input.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The chip, such as `skl`; `crestline targets` lists them. May be repeated.
    #[arg(long, required = true, value_parser = Target, hide_possible_values = true)]
    target: Vec<Platform>,
    /// The language of the shaders, if the extensions do not determine it.
    #[arg(long, value_name = "LANGUAGE")]
    lang: Option<String>,
    /// The entry point of the shaders.
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
    /// The stage of the shaders.
    #[arg(long, value_enum)]
    stage: Option<Stage>,
    /// Channels of a thread, as for `compile`; may be repeated. Default: auto.
    #[arg(long, value_enum)]
    simd: Vec<Width>,
    /// A specialization constant, as for `compile`; may be repeated.
    #[arg(long, value_name = "ID=VALUE")]
    spec: Vec<Spec>,
    /// Number of elements of a descriptor array without a size in the shader.
    #[arg(long, value_name = "SET.BINDING=COUNT")]
    descriptors: Vec<Descriptors>,
    /// Format of a storage image that the shader declares without a format.
    #[arg(long, value_name = "SET.BINDING=FORMAT")]
    image_format: Vec<ImageFormat>,
    /// Only this kernel of a container that has several.
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// Machine code is text in which each group of 8 hex digits is a little-endian dword.
    #[arg(long)]
    dwords: bool,
    /// The metadata of machine code, as JSON, alone or in a program.
    #[arg(long, value_name = "FILE")]
    meta: Option<PathBuf>,
    /// The form of the report.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// The output file. Default: standard output.
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    /// Show each instruction in the text, with its issue and its wait.
    #[arg(long)]
    instructions: bool,
    /// The most source lines, blocks and values in each table of the text.
    #[arg(long, value_name = "COUNT", default_value_t = 10)]
    rows: usize,
    /// Run the program on the emulator, and use its counts instead of assumed trips of loops.
    #[arg(long)]
    measure: bool,
    /// Show the differences to an older report (JSON), to another file, or to the same file for another target.
    #[arg(long, value_name = "REPORT|FILE|TARGET")]
    compare: Option<PathBuf>,
    /// End with status 3 if a condition such as `spills>0` or `cycles>2000` holds; may be repeated.
    #[arg(long, value_name = "CONDITION", value_parser = budget)]
    fail_if: Vec<Budget>,
    /// A rule for hints to leave out, such as H7; may be repeated.
    #[arg(long, value_name = "RULE", value_parser = hint)]
    without_hint: Vec<String>,
    #[command(flatten)]
    resources: Resources,
    /// Print errors and warnings as JSON, one object per line.
    #[arg(long)]
    pub(crate) json: bool,
}

/// The form of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum Format {
    /// Aligned text.
    #[default]
    Text,
    /// A document with everything, as `docs/analysis.schema.json` describes it.
    Json,
    /// A row for each program and SIMD width.
    Csv,
    /// A page for a browser, in one file.
    Html,
}

/// A condition of `--fail-if`.
fn budget(text: &str) -> Result<Budget, String> {
    text.parse().map_err(|error: BudgetError| match &error {
        BudgetError::Metric(name) => {
            let nearest = nearest(name, METRICS.iter().map(|metric| metric.name));
            format!("{error}: did you mean {nearest}?")
        }
        _ => error.to_string(),
    })
}

/// The id of a rule for hints.
fn hint(text: &str) -> Result<String, String> {
    let known = HINTS.iter().any(|rule| rule.id == text);
    known.then(|| text.to_owned()).ok_or_else(|| {
        format!("no rule has this id: expected H1 to H{}, as docs/hints.md lists them", HINTS.len())
    })
}

/// Runs the command.
pub(crate) fn command(arguments: &Analyze) -> ExitCode {
    match run(arguments) {
        Ok(false) => ExitCode::SUCCESS,
        Ok(true) => EXCEEDED.into(),
        Err(failure) => {
            failure.report();
            ExitCode::FAILURE
        }
    }
}

/// Runs the command. Returns whether a budget is exceeded.
fn run(arguments: &Analyze) -> Result<bool, Failure> {
    let mut found = Vec::new();
    let mut sources = Vec::new();
    for target in &arguments.target {
        for file in &arguments.files {
            found.extend(analyses(arguments, file, *target, &mut sources)?);
        }
    }
    let analyses = &Document::new(found);
    let found = &analyses.programs;
    let mut report = match arguments.format {
        Format::Json => document(analyses)?,
        Format::Csv => csv(found),
        Format::Html => {
            let sources: Vec<(&str, &str)> =
                sources.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
            html(analyses, &sources)
        }
        Format::Text if arguments.compare.is_some() => String::new(),
        Format::Text => {
            let options =
                TextOptions { rows: arguments.rows, instructions: arguments.instructions };
            let texts: Vec<String> = found.iter().map(|each| text(each, options)).collect();
            texts.join("\n")
        }
    };
    if let Some(old) = &arguments.compare {
        let changes = comparison(&older(arguments, old)?, found);
        match arguments.format {
            Format::Text => report.push_str(&changes),
            _ => eprint!("{changes}"),
        }
    }
    files::write(&arguments.output, report.as_bytes())?;
    let breaches: Vec<String> = found
        .iter()
        .flat_map(|each| arguments.fail_if.iter().filter_map(|budget| budget.breach(each)))
        .collect();
    breaches.iter().for_each(|line| eprintln!("{line}"));
    Ok(!breaches.is_empty())
}

/// A document as JSON text.
fn document(document: &Document) -> Result<String, Failure> {
    match serde_json::to_string_pretty(document) {
        Ok(text) => Ok(text + "\n"),
        Err(error) => Err(Failure::new(Code::Analysis, error)),
    }
}

/// The analyses to compare with.
fn older(arguments: &Analyze, old: &Path) -> Result<Vec<Analysis>, Failure> {
    let target = old.to_str().and_then(|text| text.parse::<Platform>().ok());
    if let Some(target) = target.filter(|_| !old.exists()) {
        let found =
            arguments.files.iter().map(|file| analyses(arguments, file, target, &mut Vec::new()));
        return Ok(found.collect::<Result<Vec<_>, _>>()?.concat());
    }
    let bytes = files::read(old, Limit::JSON)?;
    // A report is the only JSON document with this field.
    if bytes.starts_with(b"{") {
        let read: Result<Document, _> = serde_json::from_slice(&bytes);
        match read {
            Ok(document) if document.analysis_version == crestline_analysis::VERSION => {
                return Ok(document.programs);
            }
            Ok(document) => {
                let (found, expected) = (document.analysis_version, crestline_analysis::VERSION);
                let message = format!("the report has version {found}: expected {expected}");
                return Err(
                    Failure::new(Code::Analysis, message).at(Origin::file(files::shown(old)))
                );
            }
            Err(error) if !contains(&bytes, b"\"metadata\"") => {
                let failure = Failure::new(Code::Analysis, format!("no report: {error}"));
                return Err(failure.at(Origin::file(files::shown(old))));
            }
            Err(_) => {}
        }
    }
    let found =
        arguments.target.iter().map(|target| analyses(arguments, old, *target, &mut Vec::new()));
    Ok(found.collect::<Result<Vec<_>, _>>()?.concat())
}

fn contains(bytes: &[u8], text: &[u8]) -> bool {
    bytes.windows(text.len()).any(|window| window == text)
}

/// The analyses of a file for a target. Adds the name and text of the source to `sources`.
fn analyses(
    arguments: &Analyze,
    file: &Path,
    target: Platform,
    sources: &mut Vec<(String, String)>,
) -> Result<Vec<Analysis>, Failure> {
    if is_source(arguments, file)? {
        let mut all = Vec::new();
        let widths = if arguments.simd.is_empty() { &[Width::Auto][..] } else { &arguments.simd };
        for width in widths {
            all.extend(of_source(arguments, file, target, *width, sources)?);
        }
        return Ok(all);
    }
    let bytes = files::read(file, Limit::CODE)?;
    let name = files::shown(file);
    let given = arguments.meta.as_deref().map(run::read_metadata).transpose()?;
    match (run::document(&bytes, &name)?, given) {
        (Some(program::Document::Program(program)), given) => {
            let program = match given {
                Some(metadata) => Program { metadata, ..program },
                None => program,
            };
            of_program(arguments, &name, &program, target, Known::default())
        }
        (Some(program::Document::Metadata(_)), _) => {
            let message = "the file contains metadata without code: expected code";
            Err(Failure::new(Code::Container, message).at(Origin::file(name)))
        }
        (None, Some(metadata)) => {
            let kernel = arguments.kernel.as_deref();
            let kernel = code::of(&bytes, file, target, kernel, arguments.dwords)?;
            let program = Program { code: kernel.code.to_vec(), metadata };
            of_program(arguments, &name, &program, target, Known::default())
        }
        (None, None) => of_code(arguments, file, &bytes, target),
    }
}

/// Whether a file is a shader: by its first bytes, `--lang` or its extension.
fn is_source(arguments: &Analyze, file: &Path) -> Result<bool, Failure> {
    if arguments.lang.is_some() {
        return Ok(true);
    }
    let extension = file.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    if extension == "spv" || Language::from_extension(extension).is_ok() {
        return Ok(true);
    }
    // Standard input can be read only once, so there `--lang` is needed.
    if file.as_os_str() == "-" || file.is_dir() {
        return Ok(false);
    }
    let mut first = Vec::new();
    let opened = std::fs::File::open(file);
    if let Ok(opened) = opened {
        let _ = std::io::Read::read_to_end(&mut std::io::Read::take(opened, 4), &mut first);
    }
    Ok(Language::from_bytes(&first).is_some())
}

/// Compiles and analyses a shader.
fn of_source(
    arguments: &Analyze,
    file: &Path,
    target: Platform,
    width: Width,
    sources: &mut Vec<(String, String)>,
) -> Result<Vec<Analysis>, Failure> {
    let of = Source::of(file.to_owned(), target, Stage::Compute, width);
    let source = Source {
        lang: arguments.lang.clone(),
        entry: arguments.entry.clone(),
        stage: arguments.stage,
        spec: arguments.spec.clone(),
        descriptors: arguments.descriptors.clone(),
        image_format: arguments.image_format.clone(),
        ..of
    };
    let shader = Shader::load(&source)?;
    let bound = arguments.measure.then_some(&arguments.resources.bindings);
    let vertices = arguments.resources.draw.patch_vertices;
    let mut watcher = Watcher::new(&source);
    watcher.wants_report = true;
    let program = compile::program_of(&shader, &source, bound, vertices, &mut watcher)?;
    let mut widths = std::mem::take(&mut watcher.widths);
    for attempt in &mut widths {
        let used = program.metadata.dispatches.iter().any(|d| d.simd_width == attempt.simd_width);
        if used && attempt.outcome == WidthOutcome::NotFaster {
            attempt.outcome = WidthOutcome::Used;
        }
    }
    if let Some((name, text)) = shader.text()
        && sources.iter().all(|(known, _)| known != name)
    {
        sources.push((name.to_owned(), text.to_owned()));
    }
    let known = Known {
        source: shader.text(),
        variables: &line_variables(&shader.spirv),
        widths: &widths,
        shader: watcher.report.as_ref(),
    };
    of_program(arguments, &shader.name, &program, target, known)
}

/// A run and the code entry that ran.
struct Run {
    profile: Profile,
    report: Report,
    /// The counts of the entry, from its first instruction on.
    executions: Vec<u64>,
    accessed: Vec<(u64, u64)>,
}

/// What is known of a program because it was compiled here.
#[derive(Clone, Copy, Default)]
struct Known<'a> {
    /// The name and text of the source.
    source: Option<(&'a str, &'a str)>,
    variables: &'a [LineVariable],
    widths: &'a [WidthAttempt],
    shader: Option<&'a ShaderReport>,
}

/// Analyses all code entries of a program.
fn of_program(
    arguments: &Analyze,
    file: &str,
    program: &Program,
    target: Platform,
    known: Known<'_>,
) -> Result<Vec<Analysis>, Failure> {
    let device = Device::new(target);
    if program.metadata.platform.generation() != device.generation() {
        let found = program.metadata.platform;
        let message = format!("the metadata is for {found}, but --target is {target}");
        return Err(Failure::new(Code::Metadata, message).at(Origin::file(file)));
    }
    let mut run = None;
    if arguments.measure {
        let mut measured = measure(arguments, file, program, &device)?;
        let counts = &measured.profile.instructions;
        measured.executions = counts.iter().map(|count| count.executions).collect();
        measured.accessed =
            counts.iter().map(|count| (count.accessed.bytes, count.accessed.lines)).collect();
        run = Some(measured);
    }
    let found = analyze_program(file, program, &device, known.source, |number, input| {
        input.without_hints = &arguments.without_hint;
        input.variables = known.variables;
        input.widths = known.widths;
        input.shader = known.shader;
        // The emulator runs the first entry.
        if let Some(run) = run.as_ref().filter(|_| number == 0) {
            input.measured = Some(Measurement {
                threads: run.report.threads,
                executions: &run.executions,
                accessed: &run.accessed,
            });
        }
    });
    found.map_err(|error| failure(&error, file))
}

fn measure(
    arguments: &Analyze,
    file: &str,
    program: &Program,
    device: &Device,
) -> Result<Run, Failure> {
    let metadata: Metadata = program.metadata.clone();
    let kernel = Kernel::load(&program.code, metadata, device)
        .map_err(|error| run::emulator_failure(&error, file))?;
    let draws = !matches!(kernel.metadata().stage, StageMetadata::Compute(_));
    let strict = arguments.resources.bindings.strict;
    let mut profile = Profile::default();
    let report =
        run::measure(&kernel, &arguments.resources, device, file, &mut profile, |found| {
            !found.is_harmless(draws, strict)
        })?;
    Ok(Run { profile, report, executions: Vec::new(), accessed: Vec::new() })
}

/// Analyses the kernels of a container.
fn of_code(
    arguments: &Analyze,
    file: &Path,
    bytes: &[u8],
    target: Platform,
) -> Result<Vec<Analysis>, Failure> {
    let (device, name) = (Device::new(target), files::shown(file));
    if arguments.measure {
        let failure = Failure::new(Code::Metadata, "machine code without metadata cannot run");
        return Err(failure.at(Origin::file(name)).help("--meta FILE"));
    }
    let input = args::Input {
        file: file.to_owned(),
        target,
        kernel: arguments.kernel.clone(),
        dwords: arguments.dwords,
        json: arguments.json,
    };
    let mut all = Vec::new();
    for kernel in code::of_input(bytes, &input)? {
        let code = if kernel.name.is_empty() { &kernel.code } else { kernel.instructions() };
        let mut input = Input::new(&name, code, &device);
        input.name = &kernel.name;
        input.simd_width = kernel.simd_width;
        input.without_hints = &arguments.without_hint;
        all.push(analyze(&input).map_err(|error| {
            let failure = failure(&error, &name);
            if kernel.maybe_dwords { code::perhaps_dwords(failure) } else { failure }
        })?);
    }
    Ok(all)
}

fn failure(error: &AnalysisError, file: &str) -> Failure {
    let code = match error {
        AnalysisError::Undecodable { .. } => Code::Decode,
        AnalysisError::TooLong { .. } | AnalysisError::NoEntry { .. } => Code::Analysis,
    };
    Failure::new(code, error).at(Origin::file(file))
}
