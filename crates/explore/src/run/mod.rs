//! Runs the code of a source in the emulator, up to a moment of one thread.
//!
//! A request says everything: the source, the contents of all resources before the run, and where the run ends. So the
//! server keeps no state of a run, and a step back is a run that ends earlier. Runs are repeatable, because they have one host
//! thread.

mod draw;
mod picture;
mod resources;
mod watch;

use crestline_emu::{EmuError, Kernel, Options};
use crestline_program::StageMetadata;
use serde::{Deserialize, Serialize};

use crate::compile::{self, Problem};
use resources::{Contents, Setting};
use watch::{Message, Moment, Place, Stop, Watch};

/// The most instructions that one thread executes.
const BUDGET: u64 = 1 << 26;
/// The most workgroups of a grid.
const GROUPS: u64 = 1 << 20;

/// A request to run.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    program: compile::Request,
    /// The number of workgroups of a compute shader.
    #[serde(default = "one_group")]
    grid: [u32; 3],
    /// The size of the attachments of a fragment shader.
    #[serde(default = "small")]
    size: [u32; 2],
    /// The number of channels of the threads of a fragment shader; absent: the emulator's choice.
    width: Option<u32>,
    /// The resources that do not have their default contents.
    #[serde(default)]
    resources: Vec<Setting>,
    /// The push constants: numbers.
    #[serde(default)]
    push: String,
    /// The thread to look at; absent: the first that runs.
    thread: Option<Place>,
    stop: Stop,
    /// Whether the run ends at a diagnostic.
    #[serde(default)]
    diagnostics: bool,
    /// The number of diagnostics that do not end the run.
    #[serde(default)]
    skip: u64,
}

fn one_group() -> [u32; 3] {
    [1; 3]
}

fn small() -> [u32; 2] {
    [64; 2]
}

/// The result of a run.
#[derive(Debug, Serialize)]
pub(crate) struct Ran {
    /// Why the run ended.
    reason: Reason,
    /// The sentence of an error or a diagnostic.
    message: Option<String>,
    /// The thread at that moment; absent if it did not run.
    moment: Option<Moment>,
    /// All resources of the program, with their contents at that moment.
    resources: Vec<Contents>,
    /// Bytes of push constants that the program reads.
    push_bytes: u32,
    /// Threads that ran.
    threads: Vec<Place>,
    /// What the emulator reported, in the order of the run.
    messages: Vec<Message>,
    /// The number of diagnostics, also of those that `messages` has no room for.
    seen: u64,
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Reason {
    /// The thread is at the instruction that the request names.
    Step,
    /// The thread is at a breakpoint.
    Breakpoint,
    /// A diagnostic.
    Diagnostic,
    /// The thread has ended.
    ThreadEnd,
    /// All threads have ended.
    End,
    /// An error of the emulator, such as an endless loop.
    Error,
}

/// Runs the source of a request.
pub(crate) fn run(request: &Request) -> Result<Ran, Problem> {
    let (program, device) = compile::program(&request.program)?;
    let emulator = |error: EmuError| Problem::new("emulator", error.to_string());
    let kernel = Kernel::load(&program.code, program.metadata, &device).map_err(emulator)?;
    let metadata = kernel.metadata();
    let mut bound = resources::bind(metadata, &request.resources, &request.push)?;
    let options = Options { budget: BUDGET, host_threads: 1, ..Options::default() };
    let skip = request.diagnostics.then_some(request.skip);
    let draws = !matches!(metadata.stage, StageMetadata::Compute(_));
    let mut watch = Watch::new(request.thread, &request.stop, skip, draws);
    let mut pictures = Vec::new();
    let result = match &metadata.stage {
        StageMetadata::Compute(_) => {
            let groups = request.grid.iter().map(|side| u64::from(*side));
            if groups.fold(1, u64::saturating_mul) > GROUPS {
                return Err(Problem::request(format!("more than {GROUPS} workgroups")));
            }
            kernel.trace(request.grid, &mut bound.resources, &options, &mut watch).map(drop)
        }
        StageMetadata::Fragment(fragment) => {
            let mut target = draw::Target::new(fragment, request.size)?;
            let result =
                target.draw(&kernel, request.width, &bound.resources, &options, &mut watch);
            pictures = target.contents()?;
            result
        }
        stage => {
            let message = format!(
                "{} shaders do not run in this page: expected a compute or fragment shader",
                stage.name()
            );
            return Err(Problem::new("run", message));
        }
    };
    let (reason, message) = match result {
        Ok(()) => (Reason::End, None),
        Err(EmuError::Stopped(_)) => watch.reason(),
        Err(error) => (Reason::Error, Some(error.to_string())),
    };
    let mut resources = bound.contents()?;
    resources.extend(pictures);
    Ok(Ran {
        reason,
        message,
        resources,
        push_bytes: bound.push_bytes,
        threads: watch.threads(),
        seen: watch.seen(),
        messages: watch.take_messages(),
        moment: watch.into_moment(),
    })
}
