//! The engine that compiles the shaders of a script and runs them in the emulator.

use super::compile::{Compiled, Programs};
use super::engine::{ClearValues, Engine};
use super::memory::Memory;
use super::{Failure, Host, RunStatistics, Settings, resources};
use crate::error::Place;
use crate::script::{Script, Stage, Work};
use crate::types::Slot;
use crestline::Device;
use crestline_emu::{Kernel, Options};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Kernels in the order of the stages, each with its stage.
type Kernels = Rc<Vec<(Stage, Kernel)>>;

/// The engine of the emulator.
pub struct Emulator<'a> {
    pub(super) script: &'a Script,
    device: Device,
    /// The options of the emulator.
    pub options: Options,
    programs: Programs<'a>,
    /// The kernels of pipelines that ran.
    kernels: BTreeMap<usize, Kernels>,
    /// The depth and stencil attachments of pipelines that test, but have none, by name.
    pub(super) hidden_depth: BTreeMap<String, Vec<u8>>,
    pub(super) memory: Memory,
}

impl<'a> Emulator<'a> {
    /// An engine with the first contents of the buffers.
    pub fn new(
        script: &'a Script,
        host: &'a dyn Host,
        settings: &Settings,
        memory: Memory,
    ) -> Emulator<'a> {
        Emulator {
            script,
            device: Device::new(settings.platform),
            options: Options { budget: settings.budget, ..Options::default() },
            programs: Programs::new(script, host, settings),
            kernels: BTreeMap::new(),
            hidden_depth: BTreeMap::new(),
            memory,
        }
    }

    /// The contents of the buffers.
    pub fn into_memory(self) -> Memory {
        self.memory
    }

    /// The kernels of a pipeline, and the numbers of a run that are known before it.
    fn load(&mut self, place: Place, index: usize) -> Result<(Kernels, RunStatistics), Failure> {
        let compiled = self.programs.get(index)?;
        let statistics = statistics(place, &self.script.pipelines[index].name, &compiled);
        if let Some(kernels) = self.kernels.get(&index) {
            return Ok((Rc::clone(kernels), statistics));
        }
        let mut kernels = Vec::new();
        for program in &compiled.programs {
            let kernel =
                Kernel::load(&program.program.code, program.program.metadata.clone(), &self.device)
                    .map_err(|error| Failure::of_emulator(place, program.stage.name(), &error))?;
            kernels.push((program.stage, kernel));
        }
        let kernels = Rc::new(kernels);
        self.kernels.insert(index, Rc::clone(&kernels));
        Ok((kernels, statistics))
    }
}

impl Engine for Emulator<'_> {
    fn dispatch(
        &mut self,
        place: Place,
        index: usize,
        grid: [u32; 3],
    ) -> Result<RunStatistics, Failure> {
        let (kernels, statistics) = self.load(place, index)?;
        let pipeline = &self.script.pipelines[index];
        let Some((_, kernel)) = kernels.first() else {
            return Err(Failure::script(place, "the pipeline has no compute shader"));
        };
        let metadata = [kernel.metadata()];
        let mut resources = resources::bind(self.script, &self.memory, place, pipeline, &metadata)?;
        let report = kernel
            .dispatch(grid, &mut resources, &self.options)
            .map_err(|error| Failure::of_emulator(place, "compute", &error))?;
        resources::read_back(self.script, &mut self.memory, pipeline, &resources);
        Ok(statistics.counted(&report))
    }

    fn draw(&mut self, place: Place, index: usize, work: &Work) -> Result<RunStatistics, Failure> {
        let (kernels, statistics) = self.load(place, index)?;
        let report = self.draw_vertices(place, index, &kernels, work)?;
        Ok(statistics.counted(&report))
    }

    fn clear(&mut self, place: Place, index: usize, values: &ClearValues) -> Result<(), Failure> {
        self.clear_attachments(place, index, values)
    }

    fn copy(&mut self, place: Place, from: usize, to: usize) -> Result<(), Failure> {
        self.memory.copy(from, to).map_err(|message| Failure::script(place, message))
    }

    fn write(&mut self, _: Place, buffer: usize, values: &[(Slot, u64)]) -> Result<(), Failure> {
        self.memory.write(buffer, values);
        Ok(())
    }

    fn memory(&mut self, _: Place, _: &[usize]) -> Result<&Memory, Failure> {
        Ok(&self.memory)
    }
}

impl RunStatistics {
    /// With the counts of a run.
    fn counted(mut self, report: &crestline_emu::Report) -> RunStatistics {
        self.instructions = report.instructions;
        self.threads = report.threads;
        self.sends = report.sends;
        self
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
