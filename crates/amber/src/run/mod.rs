//! Runs scripts: [`run`] in the emulator, [`run_on`] on any [`Engine`].
//!
//! `memory` has the contents of buffers and images, `expect` checks expectations. `emulator` is the engine that compiles the
//! shaders of each pipeline (`compile`) and runs them in the emulator: `resources` binds memory for a run, `draw` performs
//! draw calls with the stages before rasterization in `geometry`.

mod compile;
mod draw;
mod emulator;
mod engine;
mod expect;
mod geometry;
mod memory;
mod resources;

use crate::error::Place;
use crate::limits;
use crate::requirements::{self, Support};
use crate::script::{Action, Check, Command, Script, Work};
use crestline::{Device, Platform, Simd};
use crestline_emu::EmuError;
use crestline_frontend::{FrontendError, Source, TranslateOptions};

pub use compile::spirv;
pub use draw::rectangle_vertices;
pub use emulator::Emulator;
pub use engine::{ClearValues, Engine};
pub use memory::{Memory, Stored};

/// What a script needs from outside: files and parsers of source languages.
pub trait Host {
    /// The contents of a file whose path is relative to the script.
    ///
    /// # Errors
    /// Why the file cannot be read.
    fn read(&self, path: &str) -> Result<Vec<u8>, String>;

    /// Decodes a PNG file to pixels of red, green, blue and alpha; returns width, height and the bytes.
    ///
    /// # Errors
    /// Why the file cannot be decoded.
    fn decode_png(&self, bytes: &[u8]) -> Result<(u32, u32, Vec<u8>), String>;

    /// Compiles a shader of a stage to SPIR-V, for example by [`crestline_frontend::to_spirv_with`].
    ///
    /// # Errors
    /// Why the shader does not compile.
    fn to_spirv(
        &self,
        source: &Source<'_>,
        options: &TranslateOptions<'_>,
    ) -> Result<Vec<u32>, SourceError>;
}

/// Why a shader's text does not compile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceError {
    /// What is wrong; several lines if a source compiler found several errors.
    pub message: String,
    /// The line and column in the text, both from 1, if they are known; column 0 is the whole line.
    pub position: Option<(u32, u32)>,
}

impl From<FrontendError> for SourceError {
    fn from(error: FrontendError) -> SourceError {
        let position = error.source_position.map(|at| (at.line, at.column));
        SourceError { message: error.detail, position }
    }
}

/// The kinds of reasons why a script did not run to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FailureKind {
    /// The hardware of the target lacks what the script requires.
    Skipped,
    /// Crestline does not support a part of the script.
    Unsupported,
    /// The script is wrong.
    Script,
    /// A shader does not compile.
    Shader,
    /// A program did not run in the emulator.
    Run,
    /// An expectation does not hold.
    Expectation,
}

/// Why a script did not run to its end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// The kind.
    pub kind: FailureKind,
    /// The place in the script.
    pub place: Place,
    /// The reason.
    pub message: String,
    /// Details, each of one or several lines.
    pub notes: Vec<String>,
}

impl Failure {
    /// A failure without notes.
    pub fn new(kind: FailureKind, place: Place, message: impl Into<String>) -> Failure {
        Failure { kind, place, message: message.into(), notes: Vec::new() }
    }

    /// A script that is wrong.
    pub fn script(place: Place, message: impl Into<String>) -> Failure {
        Failure::new(FailureKind::Script, place, message)
    }

    /// A part that Crestline does not support.
    pub fn unsupported(place: Place, what: impl std::fmt::Display) -> Failure {
        Failure::new(FailureKind::Unsupported, place, format!("Crestline does not support {what}"))
    }

    fn with_note(mut self, note: impl Into<String>) -> Failure {
        self.notes.push(note.into());
        self
    }

    /// The failure for an error of the emulator.
    fn of_emulator(place: Place, what: &str, error: &EmuError) -> Failure {
        let kind = match error {
            EmuError::Unsupported { .. } | EmuError::Message(..) => FailureKind::Unsupported,
            _ => FailureKind::Run,
        };
        if let EmuError::MissingResource { resource, .. } = error {
            let message = format!(
                "the {what} shader uses the descriptor set {}, binding {}, element {}, which the pipeline does not bind",
                resource.set, resource.binding, resource.element
            );
            return Failure::script(place, message);
        }
        Failure::new(kind, place, format!("{what}: {error}"))
    }
}

/// Counts of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunStatistics {
    /// The place of the command.
    pub place: Place,
    /// The name of the pipeline.
    pub pipeline: String,
    /// For each stage: its name, the SIMD widths of its program, the instructions and the bytes of the code.
    pub stages: Vec<(&'static str, Vec<u32>, u32, usize)>,
    /// Instructions that all threads executed.
    pub instructions: u64,
    /// Hardware threads.
    pub threads: u64,
    /// Messages.
    pub sends: u64,
}

/// The result of a script.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Why the script did not run to its end.
    pub failure: Option<Failure>,
    /// The number of expectations that hold.
    pub expectations: u64,
    /// Counts of each run, up to the first [`MAX_STATISTICS`].
    pub statistics: Vec<RunStatistics>,
    memory: Memory,
}

/// The most runs with statistics.
pub const MAX_STATISTICS: usize = 1000;

impl Outcome {
    /// The pixels of an image as red, green, blue and alpha of 8 bits each, with its width and height.
    ///
    /// # Errors
    /// Why the script has no such picture.
    pub fn picture(&self, script: &Script, name: &str) -> Result<(u32, u32, Vec<u8>), String> {
        self.memory.picture(script, name)
    }
}

/// The settings of a run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The platform to compile for.
    pub platform: Platform,
    /// The most instructions of a thread.
    pub budget: u64,
    /// The most work of all commands together: the instructions of threads, and for each command the bytes of the buffers and
    /// images of its pipeline, its workgroups, and its vertices with the pixels that they may cover.
    pub work: u64,
    /// The SIMD width of compute and fragment shaders for which the script requires no subgroup size.
    pub simd: Simd,
    /// The SIMD width of the stages before the fragment shader.
    pub geometry_simd: Simd,
}

impl Settings {
    /// The default settings: the compiler chooses the SIMD widths.
    pub fn new(platform: Platform) -> Settings {
        Settings {
            platform,
            budget: 1 << 26,
            work: limits::WORK,
            simd: Simd::Auto,
            geometry_simd: Simd::Auto,
        }
    }
}

/// Runs a script in the emulator.
pub fn run(script: &Script, host: &dyn Host, settings: &Settings) -> Outcome {
    let device = Device::new(settings.platform);
    let memory = match check(script, &device).and_then(|()| Memory::new(script, host)) {
        Ok(memory) => memory,
        Err(failure) => return Outcome { failure: Some(failure), ..Outcome::default() },
    };
    let mut emulator = Emulator::new(script, host, settings, memory);
    let mut outcome = run_on(script, &mut emulator);
    outcome.memory = emulator.into_memory();
    outcome
}

/// Runs the commands of a script on an engine. The outcome has no pictures.
pub fn run_on(script: &Script, engine: &mut dyn Engine) -> Outcome {
    let mut outcome = Outcome::default();
    let clears = vec![ClearValues::default(); script.pipelines.len()];
    let mut runner = Runner { script, engine, clears, outcome: &mut outcome };
    let result = runner.commands(&script.commands);
    outcome.failure = result.err();
    outcome
}

/// Checks that the device has what the script requires, and that Crestline supports all parts of the script.
fn check(script: &Script, device: &Device) -> Result<(), Failure> {
    let mut lacking = None;
    let features = script.features.iter().map(|(place, name)| {
        let known = requirements::feature(name, device);
        (*place, name, known.ok_or_else(|| format!("there is no feature `{name}`")))
    });
    let extensions = script
        .extensions
        .iter()
        .map(|(place, name)| (*place, name, Ok(requirements::extension(name))));
    for (place, name, support) in features.chain(extensions) {
        match support.map_err(|message| Failure::script(place, message))? {
            Support::Yes => {}
            Support::Unsupported => {
                return Err(Failure::unsupported(place, format_args!("the feature `{name}`")));
            }
            Support::Lacking(reason) => {
                let message = format!("the hardware lacks `{name}`: {reason}");
                lacking.get_or_insert(Failure::new(FailureKind::Skipped, place, message));
            }
        }
    }
    if let Some(failure) = lacking {
        return Err(failure);
    }
    match script.unsupported.first() {
        Some((place, what)) => Err(Failure::unsupported(*place, what)),
        None => Ok(()),
    }
}

/// The state of a run.
struct Runner<'a> {
    script: &'a Script,
    engine: &'a mut dyn Engine,
    /// The clear values of each pipeline.
    clears: Vec<ClearValues>,
    outcome: &'a mut Outcome,
}

impl Runner<'_> {
    fn commands(&mut self, commands: &[Command]) -> Result<(), Failure> {
        commands.iter().try_for_each(|command| self.command(command))
    }

    fn command(&mut self, command: &Command) -> Result<(), Failure> {
        let place = command.place;
        match &command.action {
            Action::Run { pipeline, work } => {
                let statistics = match work {
                    Work::Dispatch(grid) => self.engine.dispatch(place, *pipeline, *grid)?,
                    work => self.engine.draw(place, *pipeline, work)?,
                };
                if self.outcome.statistics.len() < MAX_STATISTICS {
                    self.outcome.statistics.push(statistics);
                }
                Ok(())
            }
            Action::Clear { pipeline } => {
                let clear = self.clears[self.clear_index(*pipeline)];
                self.engine.clear(place, *pipeline, &clear)
            }
            Action::ClearColour { pipeline, colour, integers } => {
                let index = self.clear_index(*pipeline);
                let clear = &mut self.clears[index];
                (clear.colour, clear.integers) = (*colour, *integers);
                Ok(())
            }
            Action::ClearDepth { pipeline, depth } => {
                let index = self.clear_index(*pipeline);
                self.clears[index].depth = *depth;
                Ok(())
            }
            Action::ClearStencil { pipeline, value } => {
                let index = self.clear_index(*pipeline);
                self.clears[index].stencil = *value;
                Ok(())
            }
            Action::Copy { from, to } => self.engine.copy(place, *from, *to),
            Action::Write { buffer, values } => self.engine.write(place, *buffer, values),
            Action::Expect { buffer, check } => {
                let other = match check {
                    Check::Equal { other }
                    | Check::Rmse { other, .. }
                    | Check::Histogram { other, .. } => *other,
                    Check::Values { .. } | Check::Pixels { .. } => *buffer,
                };
                let memory = self.engine.memory(place, &[*buffer, other])?;
                expect::check(self.script, memory, *buffer, check)
                    .map_err(|failed| failed.into_failure(self.script, place, *buffer))?;
                self.outcome.expectations += 1;
                Ok(())
            }
            Action::Repeat { count, commands } => {
                (0..*count).try_for_each(|_| self.commands(commands))
            }
        }
    }

    /// The index of a pipeline's clear values. The pipelines of a VkScript, which have the same name, share them.
    fn clear_index(&self, pipeline: usize) -> usize {
        let name = &self.script.pipelines[pipeline].name;
        let same = self.script.pipelines.iter().position(|other| other.name == *name);
        same.unwrap_or(pipeline)
    }
}
