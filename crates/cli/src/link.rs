//! `crestline link`: compiles the stages of a pipeline together.

use std::fmt::Write;
use std::path::Path;

use crestline::{Components, Input, Job, LinkOptions, Linked, PipelineError, Program, Stage, link};
use crestline_program::write_hex;

use crate::args::{self, LinkEmit, Width};
use crate::error::{Failure, Origin};
use crate::progress::Progress;
use crate::source::Shader;
use crate::{code, files};

/// Runs the command.
pub(crate) fn command(arguments: &args::Link) -> Result<(), Failure> {
    let mut shaders = Vec::new();
    for (at, path) in arguments.shaders.iter().enumerate() {
        let source = source(arguments, at, path);
        let shader = Shader::load(&source)?;
        let mut options = shader.options(&source, None)?;
        options.patch.input_vertices = arguments.patch_vertices;
        shaders.push((shader, options));
    }
    let jobs = shaders.iter().map(|(shader, options)| {
        let input = Input::Spirv(&shader.spirv);
        Job { input, options: options.clone() }
    });
    let jobs: Vec<Job<'_>> = jobs.collect();
    let mut of_link = LinkOptions::default();
    of_link.captured.extend(&arguments.capture);
    of_link.no_fragment_shader = arguments.no_fragment_shader;
    let progress = Progress::start("linking");
    let linked = link(&jobs, &of_link);
    drop(progress);
    let linked = linked.map_err(|error| failure(error, &shaders))?;
    let mut outputs = Vec::new();
    for of in &linked.stages {
        let source = shaders.get(of.job).and_then(|(shader, _)| shader.text());
        let bytes = bytes(&of.program, arguments, source)?;
        let name = format!("{}.{}", of.stage.name(), extension(arguments.emit));
        outputs.push((arguments.output.join(name), bytes));
    }
    files::write_all(&arguments.output, &outputs)?;
    files::write("-".as_ref(), report(&linked).as_bytes())
}

/// The properties of shader number `at`.
fn source(arguments: &args::Link, at: usize, path: &Path) -> args::Source {
    let of_stage =
        args::Source::of(path.to_owned(), arguments.target, args::Stage::Vertex, Width::Auto);
    args::Source {
        entry: arguments.entry.get(at).cloned(),
        stage: arguments.stage.get(at).copied(),
        samples: arguments.samples,
        alpha_to_coverage: arguments.alpha_to_coverage,
        descriptors: arguments.descriptors.clone(),
        image_format: arguments.image_format.clone(),
        ..of_stage
    }
}

/// The failure for an error of the library, with the file of the shader.
fn failure(error: PipelineError, shaders: &[(Shader, crestline::Options)]) -> Failure {
    let text = error.to_string();
    let (job, error) = match error {
        PipelineError::Stage { job, stage, error } => {
            let Some((shader, _)) = shaders.get(job) else {
                return Failure::with_code(error.code(), text);
            };
            let failure = shader.failure(&error);
            return match stage {
                Some(stage) => failure.note(format!("in the {} shader", words(stage))),
                None => failure,
            };
        }
        PipelineError::Interface { job, .. } => (job, error),
        error => (None, error),
    };
    let failure = Failure::with_code(error.code(), text);
    match job.and_then(|job| shaders.get(job)) {
        Some((shader, _)) => failure.at(Origin::file(&shader.name)),
        None => failure,
    }
}

/// The name of a stage in messages.
fn words(stage: Stage) -> &'static str {
    match stage {
        Stage::TessControl => "tessellation control",
        Stage::TessEval => "tessellation evaluation",
        stage => stage.name(),
    }
}

const fn extension(emit: LinkEmit) -> &'static str {
    match emit {
        LinkEmit::Asm => "asm",
        LinkEmit::Bin => "bin",
        LinkEmit::Hex => "hex",
        LinkEmit::Json => "json",
    }
}

/// The contents of a stage's file. `source` is the name and text of its shader.
fn bytes(
    program: &Program,
    arguments: &args::Link,
    source: Option<(&str, &str)>,
) -> Result<Vec<u8>, Failure> {
    Ok(match arguments.emit {
        LinkEmit::Asm => code::listing(program, arguments.syntax, source)
            .map_err(|error| code::decode_failure(&error, "the compiled program"))?
            .into_bytes(),
        LinkEmit::Bin => program.code.clone(),
        LinkEmit::Hex => write_hex(&program.code).into_bytes(),
        LinkEmit::Json => format!("{}\n", program.to_json()).into_bytes(),
    })
}

/// Components by name: `xy`.
fn components(mask: u8) -> String {
    "xyzw".chars().enumerate().filter(|(at, _)| mask >> at & 1 == 1).map(|(_, name)| name).collect()
}

/// What linking changed, a line for each change.
fn report(linked: &Linked) -> String {
    let mut out = String::new();
    let mut list = |what: &str, all: &[Components]| {
        for of in all {
            let (stage, name, slot) = (words(of.stage), &of.name, of.slot);
            let _ = writeln!(out, "{what}: {stage} {name:?}, {slot} {}", components(of.mask));
        }
    };
    let report = &linked.report;
    list("not written, because nothing reads it", &report.removed);
    list("constant", &report.constants);
    list("undefined, because nothing writes it", &report.undefined);
    for of in &report.moved {
        let (stage, name) = (words(of.stage), &of.name);
        let (from, to) = (of.from, of.to);
        let _ = writeln!(
            out,
            "moved: {stage} {name:?}, from {} component {} to {} component {}",
            from.0, from.1, to.0, to.1
        );
    }
    for of in &report.slots {
        let (before, after) = (words(of.before), words(of.after));
        let _ = writeln!(out, "slots from {before} to {after}: {} instead of {}", of.to, of.from);
    }
    for of in &linked.entries {
        let (before, after) = (words(of.before), words(of.after));
        let _ = writeln!(out, "bytes of an entry from {before} to {after}: {}", of.bytes);
    }
    out
}
