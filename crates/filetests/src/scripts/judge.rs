//! Runs a script on lavapipe and in the emulator, and compares.

use std::path::Path;

use crestline::{Platform, Simd};
use crestline_amber::Place;
use crestline_amber::run::{Emulator, Engine, Failure, FailureKind, Memory, Settings, run_on};
use crestline_amber::script::{Action, Command, Sampler, Script};
use crestline_device::Filter;
use crestline_judges::lavapipe::Lavapipe;

use super::{Folder, LavapipeEngine, Tolerance, compare};

/// A script, and what lavapipe makes of it.
pub struct Expected {
    /// The script, without its expectations.
    pub script: Script,
    host: Folder,
    /// The contents of the buffers on lavapipe; those of images with several samples are not known.
    pub memory: Memory,
}

/// The result of a comparison.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// All buffers and images with one sample are equal.
    Equal,
    /// They differ, or the script did not run.
    Differs(String),
    /// An engine does not support the script, or the hardware lacks what it requires.
    Unsupported(String),
}

impl From<Failure> for Verdict {
    fn from(failure: Failure) -> Verdict {
        let text = format!("line {}: {failure} {}", failure.place.line, failure.notes.join(" "));
        match failure.kind {
            FailureKind::Unsupported | FailureKind::Skipped => Verdict::Unsupported(text),
            _ => Verdict::Differs(text),
        }
    }
}

/// Removes the expectations: what lavapipe draws takes their place.
fn without_expectations(commands: &mut Vec<Command>) {
    commands.retain(|command| !matches!(command.action, Action::Expect { .. }));
    for command in commands {
        if let Action::Repeat { commands, .. } = &mut command.action {
            without_expectations(commands);
        }
    }
}

/// The buffers that are compared: lavapipe's engine cannot read images with several samples.
fn compared(script: &Script) -> Vec<usize> {
    let single = |number: &usize| {
        script.buffers[*number].image.as_ref().is_none_or(|image| image.samples == 1)
    };
    (0..script.buffers.len()).filter(single).collect()
}

impl Expected {
    /// Reads a script and runs it on lavapipe.
    ///
    /// # Errors
    /// Why it does not run.
    pub fn new(
        text: &str,
        folder: &Path,
        lavapipe: &'static Lavapipe,
    ) -> Result<Expected, Verdict> {
        let script = crestline_amber::parse(text)
            .map_err(|error| Verdict::Differs(format!("line {}: {error}", error.place.line)))?;
        Expected::of(script, folder, lavapipe)
    }

    /// A script whose buffers on lavapipe are not known.
    pub fn unjudged(script: Script, folder: &Path) -> Expected {
        Expected { script, host: Folder { path: folder.to_owned() }, memory: Memory::default() }
    }

    /// Runs a script on lavapipe.
    ///
    /// # Errors
    /// Why it does not run.
    pub fn of(
        mut script: Script,
        folder: &Path,
        lavapipe: &'static Lavapipe,
    ) -> Result<Expected, Verdict> {
        if let Some((_, what)) = script.unsupported.first() {
            return Err(Verdict::Unsupported(what.clone()));
        }
        without_expectations(&mut script.commands);
        let host = Folder { path: folder.to_owned() };
        let mut engine = LavapipeEngine::new(&script, &host, lavapipe)?;
        if let Some(failure) = run_on(&script, &mut engine).failure {
            return Err(failure.into());
        }
        let buffers = compared(&script);
        let memory = engine.memory(Place { line: 1, column: 1 }, &buffers)?.clone();
        drop(engine);
        Ok(Expected { script, host, memory })
    }

    /// Runs the script in the emulator, with these widths of compute and fragment shaders and of other stages.
    ///
    /// # Errors
    /// Why it does not run.
    pub fn emulate(
        &self,
        platform: Platform,
        [simd, geometry_simd]: [Simd; 2],
    ) -> Result<Memory, Verdict> {
        let settings = Settings { simd, geometry_simd, ..Settings::new(platform) };
        let memory = Memory::new(&self.script, &self.host)?;
        let mut emulator = Emulator::new(&self.script, &self.host, &settings, memory);
        match run_on(&self.script, &mut emulator).failure {
            Some(failure) => Err(failure.into()),
            None => Ok(emulator.into_memory()),
        }
    }

    /// Runs the script in the emulator, as [`emulate`](Self::emulate), and compares.
    pub fn compare(&self, platform: Platform, simd: [Simd; 2]) -> Verdict {
        let memory = match self.emulate(platform, simd) {
            Ok(memory) => memory,
            Err(verdict) => return verdict,
        };
        let linear =
            |sampler: &Sampler| [sampler.magnify, sampler.minify].contains(&Filter::Linear);
        let tolerance = Tolerance { filtered: self.script.samplers.iter().any(linear) };
        for buffer in compared(&self.script) {
            let result = compare(&self.script, buffer, &self.memory, &memory, tolerance);
            if let Err(difference) = result {
                return Verdict::Differs(difference.to_string());
            }
        }
        Verdict::Equal
    }
}

/// Runs a script on lavapipe, and in the emulator on a platform, and compares.
pub fn judge(
    text: &str,
    folder: &Path,
    lavapipe: &'static Lavapipe,
    platform: Platform,
) -> Verdict {
    match Expected::new(text, folder, lavapipe) {
        Ok(expected) => expected.compare(platform, [Simd::Auto; 2]),
        Err(verdict) => verdict,
    }
}
