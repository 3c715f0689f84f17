//! `crestline batch` and `crestline report`.
//!
//! Child processes compile, a module at a time for all targets and widths. So a module that takes too much time or memory costs a
//! process, and the others go on. A request is a line of JSON with a [`process::Request`], an answer one with a
//! [`process::Answer`].
//!
//! Rows are added to the file `RESULTS.part` as they come. At the end they are sorted and written to the result file, so the result does
//! not depend on the number of processes. A batch that was interrupted continues with the modules that have no rows there and have
//! not changed.

mod cached;
mod process;
mod programs;
mod progress;
mod run;
mod serve;
mod task;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use clap::{Args, ValueEnum};
use crestline_batch::{
    Results, ResultsError, Row, Shard, ShardError, collect, csv, from_json_lines, json_lines,
    part_of, to_parquet,
};
use crestline_device::Platform;

use crate::args::{Target, Width};
use crate::error::{Code, Failure, Origin};
use crate::files;
use crate::grammar::{GrammarError, Spec};
use cached::Cached;
use process::{Limits, Wanted};
use progress::Progress;
use run::{Part, Run};

pub(crate) use serve::serve;

/// The first argument of a process that compiles modules of a batch.
pub(crate) const COMMAND: &str = "compile-modules-of-a-batch";

/// The most bytes of a result file.
const RESULT_BYTES: u64 = 4 << 30;

#[derive(Debug, Args)]
pub(crate) struct Batch {
    /// Shaders, Fossilize databases (.foz), folders, patterns such as 'shaders/**/*.comp', or @FILE with one of these per line.
    #[arg(required = true)]
    inputs: Vec<String>,
    /// The result file: .jsonl (a JSON object per line), .csv or .parquet.
    #[arg(short, long, value_name = "RESULTS")]
    output: PathBuf,
    /// The chips to compile for, such as skl,bdw.
    #[arg(long, value_delimiter = ',', required_unless_present = "merge", value_parser = Target, hide_possible_values = true)]
    target: Vec<Platform>,
    /// The SIMD widths to compile for.
    #[arg(long, value_enum, value_delimiter = ',', default_value = "auto")]
    simd: Vec<Width>,
    /// A specialization constant, for the modules that have it; may be repeated.
    #[arg(long, value_name = "ID=VALUE", value_parser = spec_text)]
    spec: Vec<SpecText>,
    /// Take compiled programs from a cache and store them there: a folder, or s3://BUCKET/PATH, gs://BUCKET/PATH or
    /// az://CONTAINER/PATH with keys and region from the variables AWS_*, GOOGLE_* or AZURE_*.
    #[arg(long, value_name = "FOLDER|URL")]
    cache: Option<String>,
    /// Write each program too: FOLDER/MODULE/ENTRY.STAGE.TARGET.WIDTH.json.
    #[arg(long, value_name = "FOLDER")]
    programs: Option<PathBuf>,
    /// Number of processes that compile at the same time. Default: the number of cores.
    #[arg(long, value_name = "COUNT")]
    jobs: Option<usize>,
    /// Compile one of N disjoint parts of the modules: K/N with K from 1, or `auto` for what the job scheduler says (CRESTLINE_SHARD, or
    /// the variables of Slurm and of Kubernetes' indexed jobs).
    #[arg(long, value_name = "K/N")]
    shard: Option<String>,
    /// Give a module up after this time, for all targets and widths together.
    #[arg(long, value_name = "SECONDS", default_value_t = 120, value_parser = clap::value_parser!(u64).range(1..))]
    time: u64,
    /// Give a module up if it needs more memory.
    #[arg(long, value_name = "MIB", default_value_t = 4096, value_parser = clap::value_parser!(u64).range(256..1 << 30))]
    memory: u64,
    /// Compile nothing: the inputs are result files (.jsonl), whose rows are written to one file.
    #[arg(long, conflicts_with_all = ["target", "shard", "jobs", "spec", "cache", "programs"])]
    merge: bool,
    /// Print no progress.
    #[arg(short, long)]
    quiet: bool,
    /// Print errors and warnings as JSON, one object per line.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Report {
    /// The old result file (.jsonl).
    old: PathBuf,
    /// The new result file (.jsonl).
    new: PathBuf,
    /// The form of the report.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// The output file. Default: standard output.
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
    /// Print errors and warnings as JSON, one object per line.
    #[arg(long)]
    pub(crate) json: bool,
}

/// The form of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum Format {
    /// Aligned columns.
    #[default]
    Text,
    /// Tables and lists of Markdown.
    Markdown,
    /// One JSON document.
    Json,
}

/// The forms of a result file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    JsonLines,
    Csv,
    Parquet,
}

/// Runs `crestline report`.
pub(crate) fn report(arguments: &Report) -> Result<(), Failure> {
    let report = crestline_batch::Report::new(&read(&arguments.old)?, &read(&arguments.new)?);
    let text = match arguments.format {
        Format::Text => report.to_text(),
        Format::Markdown => report.to_markdown(),
        Format::Json => report.to_json(),
    };
    files::write(&arguments.output, text.as_bytes())
}

/// Runs `crestline batch`.
pub(crate) fn command(arguments: Batch) -> Result<(), Failure> {
    let form = match arguments.output.extension().and_then(|extension| extension.to_str()) {
        Some("jsonl") => Form::JsonLines,
        Some("csv") => Form::Csv,
        Some("parquet") => Form::Parquet,
        _ => {
            let message =
                "the name of the result file: expected one that ends with .jsonl, .csv or .parquet";
            return Err(Failure::new(Code::Batch, message)
                .at(Origin::file(files::shown(&arguments.output))));
        }
    };
    if arguments.merge {
        let parts = arguments.inputs.iter().map(|path| read(Path::new(path)));
        let merged = Results::merge(parts.collect::<Result<_, _>>()?);
        let merged = merged.map_err(|error| Failure::new(Code::Results, error))?;
        return write(&arguments.output, form, &merged, &tool());
    }
    let shard = shard(arguments.shard.as_deref())
        .map_err(|error| Failure::new(Code::Batch, format!("--shard: {error}")))?;
    let paths = collect(&arguments.inputs).map_err(|error| Failure::new(Code::Batch, error))?;
    let targets: Vec<&str> = arguments.target.iter().map(|target| target.name()).collect();
    let widths: Vec<String> = arguments.simd.iter().copied().map(width_name).collect();
    let wanted: BTreeSet<Wanted> = targets
        .iter()
        .flat_map(|target| {
            let wanted =
                |width: &String| Wanted { target: (*target).to_owned(), width: width.clone() };
            widths.iter().map(wanted)
        })
        .collect();
    let wanted: Vec<Wanted> = wanted.into_iter().collect();
    let spec = specialization(&arguments.spec);
    let cached = arguments.cache.as_deref().map(|place| Cached::open(place, &spec)).transpose()?;
    let mut tasks = task::tasks(paths, &wanted, shard);
    let mut settings =
        format!("{}, targets {}, widths {}", tool(), targets.join(" "), widths.join(" "));
    if !spec.is_empty() {
        settings.push_str(&format!(", spec {}", spec.join(" ")));
    }
    let part = Part::open(&part_of(&arguments.output), &settings)?;
    let total: usize = tasks.iter().map(|task| task.names.len()).sum();
    let names: BTreeSet<String> = tasks.iter().flat_map(|task| task.names.clone()).collect();
    let hashes: BTreeMap<&str, &str> = part.found.modules().into_iter().collect();
    tasks.retain(|task| {
        // A file that changed or disappeared since is compiled again, which gives the reason.
        let hash = task.hash.as_deref().unwrap_or_default();
        task.names.iter().any(|name| hashes.get(name.as_str()).is_none_or(|known| *known != hash))
    });
    let again: BTreeSet<&str> =
        tasks.iter().flat_map(|task| task.names.iter().map(String::as_str)).collect();
    let mut rows: Vec<Row> = part.found.rows().to_vec();
    rows.retain(|row| names.contains(&row.module) && !again.contains(row.module.as_str()));
    let progress = Progress::new(total, total - again.len(), arguments.quiet);
    if let Some(cached) = &cached {
        cached.find(&mut tasks, arguments.programs.is_some());
    }
    let run = Run {
        tasks: &tasks,
        next: AtomicUsize::new(0),
        done: Mutex::new((part.file, rows, progress)),
        limits: Limits {
            time: Duration::from_secs(arguments.time),
            memory: arguments.memory << 20,
        },
        spec: &spec,
        programs: arguments.programs.as_deref(),
        cached: cached.as_ref(),
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = arguments.jobs.unwrap_or(cores).clamp(1, tasks.len().max(1));
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..jobs).map(|_| scope.spawn(|| run.work())).collect();
        workers.into_iter().try_for_each(|worker| match worker.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        })
    })?;
    let (_, rows, progress) = run.done.into_inner().unwrap_or_else(PoisonError::into_inner);
    let results = Results::of(rows);
    write(&arguments.output, form, &results, &tool())?;
    // What is left over would only be read by a next batch.
    let _ = std::fs::remove_file(part_of(&arguments.output));
    let from_cache = cached.map(|cached| cached.modules.load(Ordering::Relaxed));
    progress.end(&results, &arguments.output, from_cache);
    Ok(())
}

/// The constants of `--spec`, each once, in an order that does not depend on that of the flags.
fn specialization(given: &[SpecText]) -> Vec<String> {
    let last: BTreeMap<&str, &str> =
        given.iter().map(|SpecText(key, text)| (key.as_str(), text.as_str())).collect();
    last.into_values().map(str::to_owned).collect()
}

/// A constant of `--spec`: its key, and the text, which a process parses again.
#[derive(Clone, Debug)]
struct SpecText(String, String);

/// Reads a constant of `--spec`.
fn spec_text(text: &str) -> Result<SpecText, String> {
    let spec: Spec = text.parse().map_err(|error: GrammarError| error.to_string())?;
    Ok(SpecText(spec.key, text.to_owned()))
}

/// A row without entry point.
fn unknown(module: &str, wanted: &Wanted) -> Row {
    Row {
        module: module.to_owned(),
        target: wanted.target.clone(),
        asked: wanted.width.clone(),
        ..Row::default()
    }
}

/// The part of the modules that `--shard` names.
fn shard(argument: Option<&str>) -> Result<Shard, ShardError> {
    match argument {
        None => Ok(Shard::WHOLE),
        Some("auto") => Shard::from_environment(|name| std::env::var(name).ok()),
        Some(text) => text.parse(),
    }
}

/// The name and version of this program.
fn tool() -> String {
    format!("crestline {}", env!("CARGO_PKG_VERSION"))
}

fn width_name(width: Width) -> String {
    width.to_possible_value().map_or(String::new(), |value| value.get_name().to_owned())
}

/// Reads a result file.
fn read(path: &Path) -> Result<Results, Failure> {
    let at = |failure: Failure| failure.at(Origin::file(files::shown(path)));
    let bytes = files::read_at_most(path, RESULT_BYTES)?.ok_or_else(|| {
        at(Failure::new(
            Code::TooLarge,
            format!("a result file may have at most {RESULT_BYTES} bytes"),
        ))
    })?;
    let text = String::from_utf8(bytes)
        .map_err(|_| at(Failure::new(Code::Results, "expected a text in UTF-8")))?;
    let (results, ..) = from_json_lines(&text, false)
        .map_err(|error: ResultsError| at(Failure::new(Code::Results, error)))?;
    Ok(results)
}

fn write(path: &Path, form: Form, results: &Results, tool: &str) -> Result<(), Failure> {
    let bytes = match form {
        Form::JsonLines => json_lines(results.rows(), tool).into_bytes(),
        Form::Csv => csv(results.rows()).into_bytes(),
        Form::Parquet => to_parquet(results.rows(), tool).map_err(|error| {
            Failure::new(Code::Write, format!("cannot make the file: {error}"))
                .at(Origin::file(files::shown(path)))
        })?,
    };
    files::write(path, &bytes)
}
