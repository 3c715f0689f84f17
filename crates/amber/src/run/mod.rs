//! Runs scripts: compiles the shaders of each pipeline, and runs dispatches and draw calls in the emulator.
//!
//! `memory` has the contents of buffers and images, `compile` the programs, `resources` binds memory for a run,
//! `draw` performs draw calls with the stages before rasterization in `geometry`, `expect` checks expectations.

mod compile;
mod draw;
mod expect;
mod geometry;
mod memory;
mod resources;

use crate::error::Place;
use crate::requirements::{self, Support};
use crate::script::{Action, Command, Script, Stage, Work};
use compile::{Compiled, Programs};
use crestline::{Device, Platform};
use crestline_emu::{EmuError, Kernel, Options};
use crestline_frontend::{FrontendError, Source};
use memory::Memory;
use std::collections::BTreeMap;

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
        stage: crestline::Stage,
        entry: &str,
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
    fn new(kind: FailureKind, place: Place, message: impl Into<String>) -> Failure {
        Failure { kind, place, message: message.into(), notes: Vec::new() }
    }

    fn script(place: Place, message: impl Into<String>) -> Failure {
        Failure::new(FailureKind::Script, place, message)
    }

    /// A part that Crestline does not support.
    fn unsupported(place: Place, what: impl std::fmt::Display) -> Failure {
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
#[derive(Debug)]
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
}

/// Runs a script.
pub fn run(script: &Script, host: &dyn Host, settings: &Settings) -> Outcome {
    let device = Device::new(settings.platform);
    let mut outcome = Outcome {
        failure: None,
        expectations: 0,
        statistics: Vec::new(),
        memory: Memory::default(),
    };
    if let Err(failure) = check(script, &device) {
        outcome.failure = Some(failure);
        return outcome;
    }
    match Memory::new(script, host) {
        Ok(memory) => outcome.memory = memory,
        Err(failure) => {
            outcome.failure = Some(failure);
            return outcome;
        }
    }
    let mut runner = Runner {
        script,
        device,
        options: Options { budget: settings.budget, ..Options::default() },
        programs: Programs::new(script, host, settings.platform),
        hidden_depth: BTreeMap::new(),
        clears: vec![draw::ClearValues::default(); script.pipelines.len()],
        outcome: &mut outcome,
    };
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
    device: Device,
    options: Options,
    programs: Programs<'a>,
    /// The clear values of each pipeline.
    clears: Vec<draw::ClearValues>,
    /// The depth and stencil attachments of pipelines that test, but have none, by name.
    hidden_depth: BTreeMap<String, Vec<u8>>,
    outcome: &'a mut Outcome,
}

impl Runner<'_> {
    fn commands(&mut self, commands: &[Command]) -> Result<(), Failure> {
        commands.iter().try_for_each(|command| self.command(command))
    }

    fn command(&mut self, command: &Command) -> Result<(), Failure> {
        let place = command.place;
        match &command.action {
            Action::Run { pipeline, work } => self.run(place, *pipeline, work),
            Action::Clear { pipeline } => self.clear(place, *pipeline),
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
            Action::Copy { from, to } => {
                let memory = &mut self.outcome.memory;
                memory.copy(*from, *to).map_err(|message| Failure::script(place, message))
            }
            Action::Write { buffer, values } => {
                self.outcome.memory.write(*buffer, values);
                Ok(())
            }
            Action::Expect { buffer, check } => {
                expect::check(self.script, &self.outcome.memory, *buffer, check)
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

    fn run(&mut self, place: Place, index: usize, work: &Work) -> Result<(), Failure> {
        let compiled = self.programs.get(index)?;
        let mut kernels = Vec::new();
        for program in &compiled.programs {
            let kernel =
                Kernel::load(&program.program.code, program.program.metadata.clone(), &self.device)
                    .map_err(|error| Failure::of_emulator(place, program.stage.name(), &error))?;
            kernels.push((program.stage, kernel));
        }
        let mut statistics = statistics(place, &self.script.pipelines[index].name, &compiled);
        let report = match work {
            Work::Dispatch(grid) => self.dispatch(place, index, &kernels, *grid)?,
            work => self.draw(place, index, &kernels, work)?,
        };
        statistics.instructions = report.instructions;
        statistics.threads = report.threads;
        statistics.sends = report.sends;
        if self.outcome.statistics.len() < MAX_STATISTICS {
            self.outcome.statistics.push(statistics);
        }
        Ok(())
    }

    fn dispatch(
        &mut self,
        place: Place,
        index: usize,
        kernels: &[(Stage, Kernel)],
        grid: [u32; 3],
    ) -> Result<crestline_emu::Report, Failure> {
        let pipeline = &self.script.pipelines[index];
        let Some((_, kernel)) = kernels.first() else {
            return Err(Failure::script(place, "the pipeline has no compute shader"));
        };
        let metadata = [kernel.metadata()];
        let memory = &self.outcome.memory;
        let mut resources = resources::bind(self.script, memory, place, pipeline, &metadata)?;
        let report = kernel
            .dispatch(grid, &mut resources, &self.options)
            .map_err(|error| Failure::of_emulator(place, "compute", &error))?;
        resources::read_back(self.script, &mut self.outcome.memory, pipeline, &resources);
        Ok(report)
    }
}

/// The numbers of a run that are known before it.
fn statistics(place: Place, name: &str, compiled: &Compiled) -> RunStatistics {
    let stages = compiled.programs.iter().map(|program| {
        let dispatches = program.program.metadata.dispatches.iter();
        let widths = dispatches.map(|dispatch| dispatch.simd_width).collect();
        let instructions = program.program.statistics().map_or(0, |counted| counted.instructions);
        (program.stage.name(), widths, instructions, program.program.code.len())
    });
    RunStatistics {
        place,
        pipeline: name.to_owned(),
        stages: stages.collect(),
        ..RunStatistics::default()
    }
}
