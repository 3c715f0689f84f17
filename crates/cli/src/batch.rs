//! `crestline batch` and `crestline report`.
//!
//! Child processes compile, a module at a time for all targets and widths. So a module that takes too much time or memory costs a
//! process, and the others go on. A request is a line of JSON with a [`Request`], an answer a line of JSON with rows.
//!
//! Rows are added to the file `RESULTS.part` as they come. At the end they are sorted and written to the result file, so the result does
//! not depend on the number of processes. A batch that was interrupted continues with the modules that have no rows there and have
//! not changed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ExitCode};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use crestline::compile_spirv;
use crestline_batch::{
    Outcome, Results, ResultsError, Row, Shard, ShardError, collect, csv, from_json_lines,
    json_lines, part_of, row_lines,
};
use crestline_device::Platform;
use crestline_frontend::entry_points;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::args::{Source, Stage, Target, Width};
use crate::error::{Code, Failure, Origin, warn};
use crate::files::{self, Limit};
use crate::reader;
use crate::source::Shader;

/// The first argument of a process that compiles modules of a batch.
pub(crate) const COMMAND: &str = "compile-modules-of-a-batch";

/// The most bytes of a result file.
const RESULT_BYTES: u64 = 4 << 30;

/// The most bytes of a process's answer.
const ANSWER_BYTES: u64 = 64 << 20;

/// The last bytes of a process's standard error that are kept.
const SAID_BYTES: usize = 4096;

#[derive(Debug, Args)]
pub(crate) struct Batch {
    /// Shaders, folders, patterns such as 'shaders/**/*.comp', or @FILE with one of these per line.
    #[arg(required = true)]
    inputs: Vec<String>,
    /// The result file: .jsonl (a JSON object per line) or .csv.
    #[arg(short, long, value_name = "RESULTS")]
    output: PathBuf,
    /// The chips to compile for, such as skl,bdw.
    #[arg(long, value_delimiter = ',', required_unless_present = "merge", value_parser = Target, hide_possible_values = true)]
    target: Vec<Platform>,
    /// The SIMD widths to compile for.
    #[arg(long, value_enum, value_delimiter = ',', default_value = "auto")]
    simd: Vec<Width>,
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
    #[arg(long, conflicts_with_all = ["target", "shard", "jobs"])]
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
}

/// A module to compile.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Request {
    /// The file.
    path: PathBuf,
    /// The module's name in rows.
    module: String,
    /// Names of targets.
    targets: Vec<String>,
    /// Names of widths.
    widths: Vec<String>,
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
        _ => {
            let message = "the name of the result file: expected one that ends with .jsonl or .csv";
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
    let fail = |error| Failure::new(Code::Batch, error);
    let mut requests = Vec::new();
    for path in collect(&arguments.inputs).map_err(fail)? {
        let module = path.to_string_lossy().replace('\\', "/");
        if shard.has(&module) {
            requests.push(Request {
                path,
                module,
                targets: arguments.target.iter().map(|target| target.name().to_owned()).collect(),
                widths: arguments.simd.iter().copied().map(width_name).collect(),
            });
        }
    }
    let settings = format!(
        "{}, targets {}, widths {}",
        tool(),
        arguments.target.iter().map(|target| target.name()).collect::<Vec<_>>().join(" "),
        arguments.simd.iter().copied().map(width_name).collect::<Vec<_>>().join(" ")
    );
    let part = Part::open(&part_of(&arguments.output), &settings)?;
    let total = requests.len();
    let wanted: BTreeSet<String> = requests.iter().map(|request| request.module.clone()).collect();
    let hashes: BTreeMap<String, String> =
        part.found.modules().into_iter().map(|(m, h)| (m.to_owned(), h.to_owned())).collect();
    requests.retain(|request| {
        let known = hashes.get(&request.module);
        // A file that changed or disappeared since is compiled again, which gives the reason.
        known.is_none_or(|known| *known != hash_of(&request.path).unwrap_or_default())
    });
    let again: BTreeSet<&str> = requests.iter().map(|request| request.module.as_str()).collect();
    let mut rows: Vec<Row> = part.found.rows().to_vec();
    rows.retain(|row| wanted.contains(&row.module) && !again.contains(row.module.as_str()));
    let progress = Progress::new(total, total - requests.len(), arguments.quiet);
    let run = Run {
        requests: &requests,
        next: AtomicUsize::new(0),
        done: Mutex::new((part.file, rows, progress)),
        time: Duration::from_secs(arguments.time),
        memory: arguments.memory << 20,
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = arguments.jobs.unwrap_or(cores).clamp(1, requests.len().max(1));
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
    progress.end(&results, &arguments.output);
    Ok(())
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

/// SHA-256 of a file in hexadecimal digits.
fn hash_of(path: &Path) -> Result<String, Failure> {
    let digest = Sha256::digest(files::read(path, Limit::SHADER)?);
    Ok(digest.iter().map(|byte| format!("{byte:02x}")).collect())
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
    let text = match form {
        Form::JsonLines => json_lines(results.rows(), tool),
        Form::Csv => csv(results.rows()),
    };
    files::write(path, text.as_bytes())
}

/// The file with the rows of a batch that is not complete.
struct Part {
    file: File,
    /// The rows that an interrupted batch with the same settings left.
    found: Results,
}

impl Part {
    /// Opens the file, and reads its rows if a batch with the same settings wrote them.
    fn open(path: &Path, settings: &str) -> Result<Part, Failure> {
        let fail = |error: io::Error| {
            Failure::new(Code::Write, format!("cannot write the file: {error}"))
                .at(Origin::file(files::shown(path)))
        };
        let left = match std::fs::read_to_string(path) {
            Ok(text) => from_json_lines(&text, true).ok(),
            Err(_) => None,
        };
        if let Some((found, tool, bytes)) = left
            && tool == settings
        {
            let file = OpenOptions::new().append(true).open(path).map_err(fail)?;
            // An incomplete last line is removed.
            file.set_len(bytes as u64).map_err(fail)?;
            return Ok(Part { file, found });
        }
        let mut file = File::create(path).map_err(fail)?;
        file.write_all(json_lines(&[], settings).as_bytes()).map_err(fail)?;
        Ok(Part { file, found: Results::default() })
    }
}

/// A running batch.
struct Run<'a> {
    requests: &'a [Request],
    next: AtomicUsize,
    /// The file of rows, all rows, and the progress.
    done: Mutex<(File, Vec<Row>, Progress)>,
    time: Duration,
    /// The most bytes of a process.
    memory: u64,
}

impl Run<'_> {
    /// Takes modules until there are none, and lets a process compile them.
    fn work(&self) -> Result<(), Failure> {
        let mut process: Option<Process> = None;
        while let Some(request) = self.requests.get(self.next.fetch_add(1, Ordering::Relaxed)) {
            let mut rows = match process.take().map_or_else(|| Process::start(self.memory), Ok) {
                Ok(mut started) => match started.ask(request, self.time) {
                    Ok(rows) => {
                        process = Some(started);
                        rows
                    }
                    Err(stop) => given_up(request, &started.reason(stop, self)),
                },
                Err(error) => {
                    let message = format!("cannot start a process that compiles: {error}");
                    return Err(Failure::new(Code::Batch, message));
                }
            };
            // A file that cannot be read has rows that say so.
            let hash = hash_of(&request.path).unwrap_or_default();
            for row in &mut rows {
                row.hash.clone_from(&hash);
            }
            let lines = row_lines(&rows);
            let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
            let (file, all, progress) = &mut *done;
            // One write for all rows of a module, so that a module is there whole or not at all.
            file.write_all(lines.as_bytes()).map_err(|error| {
                Failure::new(Code::Write, format!("cannot write the rows: {error}"))
            })?;
            all.append(&mut rows);
            progress.step();
        }
        Ok(())
    }
}

/// The rows of a module that no process could compile.
fn given_up(request: &Request, reason: &str) -> Vec<Row> {
    let mut rows = Vec::new();
    for target in &request.targets {
        for asked in &request.widths {
            rows.push(unknown(request, target, asked).without(Outcome::GivenUp, None, reason));
        }
    }
    rows
}

/// A row without entry point.
fn unknown(request: &Request, target: &str, asked: &str) -> Row {
    Row {
        module: request.module.clone(),
        target: target.to_owned(),
        asked: asked.to_owned(),
        ..Row::default()
    }
}

/// Why a process gave no rows.
enum Stop {
    /// It took too long.
    Time,
    /// It ended.
    End,
}

/// A process that compiles modules. It is killed when this value is dropped.
struct Process {
    child: Child,
    requests: Option<ChildStdin>,
    answers: Receiver<String>,
    said: Option<JoinHandle<String>>,
}

impl Process {
    fn start(memory: u64) -> io::Result<Process> {
        let mut child = reader::child()?.args([COMMAND, &memory.to_string()]).spawn()?;
        let (send, answers) = channel();
        if let Some(stdout) = child.stdout.take() {
            std::thread::spawn(move || {
                let mut stdout = BufReader::new(stdout);
                loop {
                    let mut line = String::new();
                    let read = stdout.by_ref().take(ANSWER_BYTES).read_line(&mut line);
                    if !read.is_ok_and(|bytes| bytes > 0) || send.send(line).is_err() {
                        return;
                    }
                }
            });
        }
        let said = child.stderr.take().map(|stderr| std::thread::spawn(move || last_said(stderr)));
        let requests = child.stdin.take();
        Ok(Process { child, requests, answers, said })
    }

    /// Lets the process compile a module.
    fn ask(&mut self, request: &Request, time: Duration) -> Result<Vec<Row>, Stop> {
        let mut line = serde_json::to_string(request).map_err(|_| Stop::End)?;
        line.push('\n');
        let requests = self.requests.as_mut().ok_or(Stop::End)?;
        requests.write_all(line.as_bytes()).map_err(|_| Stop::End)?;
        match self.answers.recv_timeout(time) {
            Ok(line) => serde_json::from_str(&line).map_err(|_| Stop::End),
            Err(RecvTimeoutError::Timeout) => Err(Stop::Time),
            Err(RecvTimeoutError::Disconnected) => Err(Stop::End),
        }
    }

    /// Ends the process and gives the reason why it did not compile a module.
    fn reason(mut self, stop: Stop, run: &Run<'_>) -> String {
        // The process has ended or is to end. An error here changes nothing.
        drop(self.requests.take());
        if matches!(stop, Stop::Time) {
            let _ = self.child.kill();
        }
        let status = self.child.wait();
        if matches!(stop, Stop::Time) {
            return format!("it takes more than {} seconds", run.time.as_secs());
        }
        let said = self.said.take().and_then(|said| said.join().ok()).unwrap_or_default();
        if said.contains("memory allocation of") {
            return format!("it takes more than {} MiB of memory", run.memory >> 20);
        }
        if said.contains("overflowed its stack") {
            return "it takes more than the stack of the compiler".to_owned();
        }
        let status = status.map_or("no status".to_owned(), |status| status.to_string());
        let said = said.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        format!(
            "the process that compiles it ended ({status}), which is a bug of Crestline: {said}"
        )
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Normally the process ends because its standard input ends; killing it then does nothing.
        drop(self.requests.take());
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The last bytes of a process's standard error.
fn last_said(mut stderr: impl Read) -> String {
    let (mut kept, mut buffer) = (Vec::new(), [0; SAID_BYTES]);
    while let Ok(count @ 1..) = stderr.read(&mut buffer) {
        kept.extend_from_slice(&buffer[..count]);
        let over = kept.len().saturating_sub(SAID_BYTES);
        kept.drain(..over);
    }
    String::from_utf8_lossy(&kept).into_owned()
}

/// The main function of a process that compiles modules.
pub(crate) fn serve() -> ExitCode {
    let memory = std::env::args().nth(2).and_then(|bytes| bytes.parse().ok());
    if memory.is_none_or(|bytes| reader::limit_memory(bytes).is_err()) {
        eprintln!("the memory of the process cannot be limited");
        return ExitCode::FAILURE;
    }
    for line in io::stdin().lock().lines() {
        let Some(request) = line.ok().and_then(|line| serde_json::from_str(&line).ok()) else {
            eprintln!("expected a request");
            return ExitCode::FAILURE;
        };
        let rows = compile(&request);
        let mut line = serde_json::to_string(&rows).unwrap_or_default();
        line.push('\n');
        let mut out = io::stdout().lock();
        if out.write_all(line.as_bytes()).and_then(|()| out.flush()).is_err() {
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// Compiles all entry points of a module for all targets and widths.
fn compile(request: &Request) -> Vec<Row> {
    let refused = |failure: &Failure| {
        let row = |target: &String, asked: &String| {
            unknown(request, target, asked).without(
                Outcome::Refused,
                Some(failure.code()),
                failure.message(),
            )
        };
        request
            .targets
            .iter()
            .flat_map(|target| request.widths.iter().map(move |asked| row(target, asked)))
            .collect()
    };
    let of = |target, stage: Option<Stage>, simd| {
        let stage_of_file = stage.unwrap_or(Stage::Compute);
        let mut source = Source::of(request.path.clone(), target, stage_of_file, simd);
        source.stage = stage;
        source
    };
    let shader = match Shader::load(&of(Platform::Skl, None, Width::Auto)) {
        Ok(shader) => shader,
        Err(failure) => return refused(&failure),
    };
    let entries = match entry_points(&shader.spirv) {
        Ok(entries) => entries,
        Err(error) => return refused(&shader.failure(&error.into())),
    };
    let mut rows = Vec::new();
    for (stage, entry) in entries {
        let stage = stage.map(Stage::from);
        for target in &request.targets {
            for asked in &request.widths {
                let row = Row {
                    entry: entry.clone(),
                    stage: stage.map_or(String::new(), stage_name),
                    ..unknown(request, target, asked)
                };
                let (Ok(platform), Ok(simd)) = (target.parse(), Width::from_str(asked, false))
                else {
                    let reason = "the process that compiles has another version";
                    rows.push(row.without(Outcome::GivenUp, None, reason));
                    continue;
                };
                let mut source = of(platform, stage, simd);
                source.entry = Some(entry.clone());
                one(&shader, &source, row, &mut rows);
            }
        }
    }
    rows
}

fn stage_name(stage: Stage) -> String {
    stage.to_possible_value().map_or(String::new(), |value| value.get_name().to_owned())
}

/// Compiles an entry point, and adds a row for each of its widths.
fn one(shader: &Shader, source: &Source, row: Row, rows: &mut Vec<Row>) {
    let program = shader.options(source, None).and_then(|mut options| {
        options.assume_image_formats = true;
        compile_spirv(&shader.spirv, &options).map_err(|error| shader.failure(&error))
    });
    match program {
        Err(failure) => {
            let (code, message) = (Some(failure.code()), failure.message());
            rows.push(row.without(Outcome::Refused, code, message));
        }
        Ok(program) => {
            let code = program.code.len() as u64;
            let starts: Vec<u64> =
                program.metadata.dispatches.iter().map(|d| u64::from(d.offset)).collect();
            for dispatch in program.metadata.dispatches.iter() {
                let start = u64::from(dispatch.offset);
                let end = starts.iter().copied().filter(|&s| s > start).min().unwrap_or(code);
                let statistics = dispatch.statistics.unwrap_or_default();
                rows.push(row.clone().with(&statistics, end.saturating_sub(start)));
            }
        }
    }
}

/// The progress of a batch on standard error: a line that changes on a terminal, else a line for each tenth.
struct Progress {
    total: usize,
    done: usize,
    /// The modules that an earlier run compiled.
    before: usize,
    start: Instant,
    shown: Option<Instant>,
    tenth: usize,
    quiet: bool,
    terminal: bool,
}

impl Progress {
    fn new(total: usize, before: usize, quiet: bool) -> Progress {
        if before > 0 && !quiet {
            warn(format_args!("{before} of {total} modules were compiled by an earlier run"));
        }
        Progress {
            total,
            done: before,
            before,
            start: Instant::now(),
            shown: None,
            tenth: before * 10 / total.max(1),
            quiet,
            terminal: io::stderr().is_terminal(),
        }
    }

    /// A module is compiled.
    fn step(&mut self) {
        self.done += 1;
        if self.quiet {
            return;
        }
        if self.terminal {
            let recent = self.shown.is_some_and(|shown| shown.elapsed().as_millis() < 200);
            if !recent {
                self.shown = Some(Instant::now());
                // An error does not matter here.
                let _ = write!(io::stderr(), "\r\x1b[K{}", self.line());
            }
        } else if self.done * 10 / self.total.max(1) > self.tenth {
            self.tenth = self.done * 10 / self.total.max(1);
            let _ = writeln!(io::stderr(), "{}", self.line());
        }
    }

    /// The share, the rate, and the time that remains.
    fn line(&self) -> String {
        const CELLS: usize = 30;
        let Progress { total, done, before, start, .. } = self;
        let seconds = start.elapsed().as_secs_f64();
        let rate = (done - before) as f64 / seconds.max(1e-3);
        let left = (total - done) as f64 / rate.max(1e-9);
        let full = done * CELLS / total.max(&1);
        let bar = "#".repeat(full) + &".".repeat(CELLS - full);
        format!("[{bar}] {done} of {total} modules, {rate:.1} per second, {left:.0} s left")
    }

    /// The batch is complete.
    fn end(self, results: &Results, path: &Path) {
        if self.quiet {
            return;
        }
        if self.terminal {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
        let count = |outcome| results.rows().iter().filter(|row| row.outcome == outcome).count();
        let _ = writeln!(
            io::stderr(),
            "{}: {} modules, {} programs, {} refused, {} given up",
            files::shown(path),
            self.total,
            count(Outcome::Compiled),
            count(Outcome::Refused),
            count(Outcome::GivenUp),
        );
    }
}
