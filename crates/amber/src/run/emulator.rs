//! The engine that compiles the shaders of a script and runs them in the emulator.

use super::compile::{Compiled, Programs};
use super::engine::{ClearValues, Engine};
use super::memory::Memory;
use super::{Failure, Host, RunStatistics, Settings, resources};
use crate::error::Place;
use crate::limits;
use crate::script::{Script, Stage, Work};
use crate::types::Slot;
use crestline::Device;
use crestline_emu::{Kernel, Options};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Kernels in the order of the stages, each with its stage.
type Kernels = Rc<Vec<(Stage, Kernel)>>;

/// How often the bytes of an attachment are in memory during a command: in the buffer of the script, in the framebuffer, and twice
/// while they are converted.
const ATTACHMENT_COPIES: u64 = 3;
/// The same for the contents of a descriptor: as the emulator binds them, and while they are converted, compared and stored.
const BINDING_COPIES: u64 = 4;

/// Instructions of a workgroup, at least.
const GROUP: u64 = 64;

/// The engine of the emulator.
pub struct Emulator<'a> {
    pub(super) script: &'a Script,
    pub(super) device: Device,
    /// The options of the emulator.
    pub options: Options,
    /// The most instructions of a thread.
    budget: u64,
    programs: Programs<'a>,
    /// The kernels of pipelines that ran.
    kernels: BTreeMap<usize, Kernels>,
    /// The depth and stencil attachments of pipelines that test, but have none, by name.
    pub(super) hidden_depth: BTreeMap<String, Vec<u8>>,
    pub(super) memory: Memory,
    /// The work that is left.
    work: u64,
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
            budget: settings.budget,
            programs: Programs::new(script, host, settings),
            kernels: BTreeMap::new(),
            hidden_depth: BTreeMap::new(),
            memory,
            work: settings.work,
        }
    }

    /// Counts work.
    fn charge(&mut self, place: Place, work: u64) -> Result<(), Failure> {
        match self.work.checked_sub(work) {
            Some(left) => {
                self.work = left;
                Ok(())
            }
            None => {
                self.work = 0;
                Err(Failure::script(
                    place,
                    "the commands of the script need too much work together",
                ))
            }
        }
    }

    /// The bytes of all buffers of the script, and of the attachments that pipelines lack.
    fn stored(&self) -> u64 {
        let buffers = self.memory.buffers.iter().map(|buffer| buffer.bytes.len() as u64);
        let hidden = self.hidden_depth.values().map(|texels| texels.len() as u64);
        buffers.chain(hidden).sum()
    }

    /// The bytes that a command of a pipeline may need for its vertices.
    ///
    /// # Errors
    /// If the buffers of the script and the copies of what the pipeline binds need too many bytes together.
    pub(super) fn room(&self, place: Place, index: usize) -> Result<u64, Failure> {
        let pipeline = &self.script.pipelines[index];
        let size = |buffer: usize| self.memory.buffers[buffer].bytes.len() as u64;
        let attached = pipeline.colours.iter().chain(&pipeline.depth_stencil);
        let attached = attached.chain(&pipeline.resolves).map(|attachment| size(attachment.buffer));
        let bound = pipeline.bindings.iter().flat_map(|binding| &binding.elements);
        let bound = bound.filter_map(|bound| bound.buffer).chain(pipeline.push_constants).map(size);
        let data = pipeline.vertex_data.iter().map(|data| data.buffer);
        // An index has four bytes in the emulator.
        let indices = pipeline.index_data.map_or(0, |(_, buffer)| 4 * size(buffer));
        let copies = ATTACHMENT_COPIES * attached.sum::<u64>()
            + BINDING_COPIES * bound.sum::<u64>()
            + data.map(size).sum::<u64>()
            + indices;
        let needed = self.stored() + copies;
        limits::MEMORY_BYTES.checked_sub(needed).ok_or_else(|| too_large(place, needed))
    }

    /// Counts the work of a command of a pipeline that does not depend on its shaders. A thread can execute only as many
    /// instructions as are left.
    fn charge_pipeline(&mut self, place: Place, index: usize) -> Result<(), Failure> {
        let pipeline = &self.script.pipelines[index];
        let bound = pipeline.bindings.iter().flat_map(|binding| &binding.elements);
        let attached = pipeline.colours.iter().chain(&pipeline.depth_stencil);
        let buffers = bound.filter_map(|bound| bound.buffer);
        let buffers = buffers
            .chain(attached.map(|attachment| attachment.buffer))
            .chain(pipeline.vertex_data.iter().map(|data| data.buffer))
            .chain(pipeline.index_data.map(|(_, buffer)| buffer));
        let bytes = buffers.map(|buffer| self.memory.buffers[buffer].bytes.len() as u64);
        let work = bytes.sum::<u64>() + 1;
        self.charge(place, work)?;
        self.room(place, index)?;
        self.options.budget = self.budget.min(self.work);
        Ok(())
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
        self.charge_pipeline(place, index)?;
        let groups = grid.iter().fold(1u64, |all, side| all.saturating_mul((*side).into()));
        self.charge(place, groups.saturating_mul(GROUP))?;
        // All threads together stay near what is left.
        let share = (self.work / groups.max(1)).max(4 * GROUP);
        self.options.budget = self.options.budget.min(share);
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
        self.charge(place, report.instructions)?;
        Ok(statistics.counted(&report))
    }

    fn draw(&mut self, place: Place, index: usize, work: &Work) -> Result<RunStatistics, Failure> {
        self.charge_pipeline(place, index)?;
        // Each primitive may cover the framebuffer, in threads of eight pixels at least.
        let [width, height] = self.script.pipelines[index].size.map(u64::from);
        let vertices = match work {
            Work::Array { count, instances, .. } => {
                u64::from(count.unwrap_or(0)) * u64::from(*instances).max(1)
            }
            Work::Rectangles { cells, .. } => cells.map(u64::from).iter().product(),
            Work::Dispatch(_) => 0,
        };
        self.charge(place, vertices.saturating_mul(limits::VERTEX_BYTES + width * height / 8))?;
        let (kernels, statistics) = self.load(place, index)?;
        let report = self.draw_vertices(place, index, &kernels, work)?;
        self.charge(place, report.instructions)?;
        Ok(statistics.counted(&report))
    }

    fn clear(&mut self, place: Place, index: usize, values: &ClearValues) -> Result<(), Failure> {
        self.charge_pipeline(place, index)?;
        self.clear_attachments(place, index, values)
    }

    fn copy(&mut self, place: Place, from: usize, to: usize) -> Result<(), Failure> {
        let bytes = self.memory.buffers[from].bytes.len() as u64;
        self.charge(place, bytes + 1)?;
        let needed = self.stored() + bytes;
        if needed > limits::MEMORY_BYTES {
            return Err(too_large(place, needed));
        }
        self.memory.copy(from, to).map_err(|message| Failure::script(place, message))
    }

    fn write(
        &mut self,
        place: Place,
        buffer: usize,
        values: &[(Slot, u64)],
    ) -> Result<(), Failure> {
        self.charge(place, values.len() as u64 + 1)?;
        self.memory.write(buffer, values);
        Ok(())
    }

    fn memory(&mut self, place: Place, buffers: &[usize]) -> Result<&Memory, Failure> {
        let bytes = buffers.iter().map(|buffer| self.memory.buffers[*buffer].bytes.len() as u64);
        self.charge(place, bytes.sum::<u64>() + 1)?;
        Ok(&self.memory)
    }
}

/// The failure for a command that needs more than [`limits::MEMORY_BYTES`].
pub(super) fn too_large(place: Place, needed: u64) -> Failure {
    let most = limits::MEMORY_BYTES;
    let message = format!(
        "the command and the buffers of the script need about {needed} bytes together: expected at most {most}"
    );
    Failure::script(place, message)
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
