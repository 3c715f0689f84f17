//! `crestline amber`: runs scripts with pipelines.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use crestline::{Platform, Source};
use crestline_amber::run::{
    self, FailureKind, Host, Outcome, RunStatistics, Settings, SourceError,
};
use crestline_amber::{limits, script::Script};
use crestline_frontend::TranslateOptions;
use serde_json::{Value, json};

use crate::args::Target;
use crate::error::{Code, Failure, Origin};
use crate::files::Limit;
use crate::reader::{self, Refusal};
use crate::{files, picture};

/// The exit status if the hardware of the target lacks what all scripts require.
const SKIPPED: u8 = 77;

/// Run scripts with pipelines: AmberScript, or the older VkScript.
///
/// Exit status: 0 if all expectations hold; 1 if one does not hold, a script is wrong or Crestline does not support a part of it;
/// 77 if scripts were skipped, because the hardware of the target lacks what they require, and no script ran.
#[derive(Debug, Args)]
pub(crate) struct Amber {
    /// The scripts.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The chip, such as `skl`; `crestline targets` lists them.
    #[arg(long, value_parser = Target, hide_possible_values = true)]
    target: Platform,
    /// Write an attachment or image as a picture.
    #[arg(long, value_name = "ATTACHMENT:FILE")]
    png: Vec<PngOut>,
    /// Print the counts of each run.
    #[arg(long, value_enum)]
    show: Vec<Show>,
    /// The most instructions of a thread.
    #[arg(long, value_name = "COUNT", default_value_t = 1 << 26)]
    budget: u64,
    /// Print errors and results as JSON, one object per line.
    #[arg(long)]
    pub(crate) json: bool,
}

/// What is printed beside the results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Show {
    /// The counts of each run.
    Stats,
}

/// `--png ATTACHMENT:FILE`.
#[derive(Debug, Clone, PartialEq, Eq)]
struct PngOut {
    name: String,
    file: PathBuf,
}

impl std::str::FromStr for PngOut {
    type Err = String;

    fn from_str(text: &str) -> Result<PngOut, String> {
        match text.split_once(':') {
            Some((name, file)) if !name.is_empty() && !file.is_empty() => {
                Ok(PngOut { name: name.to_owned(), file: file.into() })
            }
            _ => Err(format!("{text:?} is not ATTACHMENT:FILE")),
        }
    }
}

/// Files beside a script, and parsers in child processes.
struct Files {
    folder: PathBuf,
}

impl Host for Files {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        let path = self.folder.join(path);
        let most = limits::BUFFER_BYTES;
        match files::read_at_most(&path, most) {
            Ok(Some(bytes)) => Ok(bytes),
            Ok(None) => Err(format!("{} has more than {most} bytes", files::shown(&path))),
            Err(failure) => Err(failure.message().to_owned()),
        }
    }

    fn decode_png(&self, bytes: &[u8]) -> Result<(u32, u32, Vec<u8>), String> {
        picture::decode(bytes)
    }

    fn to_spirv(
        &self,
        source: &Source<'_>,
        options: &TranslateOptions<'_>,
    ) -> Result<Vec<u32>, SourceError> {
        reader::read(source, options).map_err(|refusal| match refusal {
            Refusal::Source(error) => error.into(),
            Refusal::Process(failure) => {
                SourceError { message: failure.message().to_owned(), position: None }
            }
        })
    }
}

/// How a script ended.
enum End {
    Passed,
    Skipped,
    Failed,
}

/// Runs the command.
pub(crate) fn command(arguments: &Amber) -> ExitCode {
    let (mut passed, mut skipped, mut failed) = (0, 0, 0);
    for file in &arguments.files {
        match script(arguments, file) {
            Ok(End::Passed) => passed += 1,
            Ok(End::Skipped) => skipped += 1,
            Ok(End::Failed) => failed += 1,
            Err(failure) => {
                failure.report();
                failed += 1;
            }
        }
    }
    match (failed, passed, skipped) {
        (0, 0, 1..) => ExitCode::from(SKIPPED),
        (0, ..) => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

/// Runs a script.
fn script(arguments: &Amber, path: &Path) -> Result<End, Failure> {
    let name = files::shown(path);
    let bytes = files::read(path, Limit::SCRIPT)?;
    let text = String::from_utf8(bytes).map_err(|_| {
        Failure::new(Code::Script, "the script is no text in UTF-8").at(Origin::file(&name))
    })?;
    let at = |place: crestline_amber::Place| {
        Origin::column(&name, &text, place.line as usize, place.column as usize)
    };
    let script = crestline_amber::parse(&text)
        .map_err(|error| Failure::new(Code::Script, &error).at(at(error.place)))?;
    let host = Files { folder: path.parent().map(Path::to_owned).unwrap_or_default() };
    let settings = Settings { budget: arguments.budget, ..Settings::new(arguments.target) };
    let outcome = run::run(&script, &host, &settings);
    let mut end = End::Passed;
    if let Some(failure) = &outcome.failure {
        let code = match failure.kind {
            FailureKind::Skipped => Code::ScriptSkipped,
            FailureKind::Unsupported => Code::ScriptSupport,
            FailureKind::Script => Code::Script,
            FailureKind::Shader => Code::ScriptShader,
            FailureKind::Run => Code::ScriptRun,
            FailureKind::Expectation => Code::Expectation,
        };
        let shown = Failure::new(code, failure).at(at(failure.place)).notes(&failure.notes);
        end = match failure.kind {
            FailureKind::Skipped => End::Skipped,
            _ => End::Failed,
        };
        shown.report();
    }
    if arguments.show.contains(&Show::Stats) && !arguments.json {
        let lines: String = outcome.statistics.iter().map(statistics).collect();
        files::write("-".as_ref(), lines.as_bytes())?;
    }
    report(arguments, &name, &outcome, &end)?;
    for png in &arguments.png {
        write_png(&script, &outcome, png)?;
    }
    Ok(end)
}

/// Prints the result of a script.
fn report(arguments: &Amber, name: &str, outcome: &Outcome, end: &End) -> Result<(), Failure> {
    let word = match end {
        End::Passed => "passed",
        End::Skipped => "skipped",
        End::Failed => "failed",
    };
    let held = outcome.expectations;
    let line = if arguments.json {
        let mut result = json!({
            "schema": "crestline-amber", "version": files::DOCUMENT_VERSION,
            "file": name, "result": word, "expectations": held,
        });
        if arguments.show.contains(&Show::Stats) {
            result["runs"] = outcome.statistics.iter().map(statistics_json).collect();
        }
        result.to_string()
    } else {
        format!("{name}: {word}, {held} expectations hold")
    };
    files::write("-".as_ref(), format!("{line}\n").as_bytes())
}

/// The counts of a run as text.
fn statistics(run: &RunStatistics) -> String {
    let mut text = format!(
        "line {}: {}: {} instructions of {} threads, {} sends\n",
        run.place.line, run.pipeline, run.instructions, run.threads, run.sends
    );
    for (stage, widths, instructions, bytes) in &run.stages {
        let widths: Vec<String> = widths.iter().map(u32::to_string).collect();
        text += &format!(
            "    {stage}: SIMD{}, {instructions} instructions, {bytes} bytes\n",
            widths.join("/")
        );
    }
    text
}

/// The counts of a run as JSON.
fn statistics_json(run: &RunStatistics) -> Value {
    let stages: Vec<Value> = run
        .stages
        .iter()
        .map(|(stage, widths, instructions, bytes)| {
            json!({ "stage": stage, "simd": widths, "instructions": instructions, "bytes": bytes })
        })
        .collect();
    json!({
        "line": run.place.line,
        "pipeline": run.pipeline,
        "instructions": run.instructions,
        "threads": run.threads,
        "sends": run.sends,
        "stages": stages,
    })
}

fn write_png(script: &Script, outcome: &Outcome, png: &PngOut) -> Result<(), Failure> {
    let fail =
        |message: String| Failure::new(Code::Attachment, format!("--png {}: {message}", png.name));
    let (width, height, pixels) = outcome.picture(script, &png.name).map_err(fail)?;
    let bytes = picture::encode(width, height, &pixels).map_err(fail)?;
    files::write(&png.file, &bytes)
}
