//! The fixed functions of a draw call: assembly of primitives, clipping, rasterization, depth and stencil tests,
//! blending.
//!
//! Their inputs are vertices, the state that a driver sets, and the program and metadata of a fragment shader. They do
//! not depend on the compiler. [`Kernel::draw`] sets up the primitives one after another, and collects the threads that
//! shade their pixels. It runs the threads in batches, and merges the outputs of a batch into the attachments in the
//! order of the primitives. The threads of a batch may run at the same time, but results do not depend on the number of
//! host threads.
//!
//! The modules, in the order of the work: `primitive` (assembly, culling and setup), `clip`, `cover` (which samples a
//! primitive covers), `threads` (pixels to threads), `merge` (depth and stencil tests, output), `blend`. The state is
//! in `state`.
//!
//! Framebuffers have one layer, and 1, 2, 4, 8 or 16 samples for each pixel. Coverage, tests and stored colours are
//! computed for each sample. A channel of a thread computes the colour of a pixel, for all its covered samples, or of
//! one sample. Lines are drawn as rectangles (Vulkan's strict lines).

mod blend;
mod clip;
mod cover;
mod merge;
mod primitive;
mod state;
mod threads;

pub use state::{
    Area, Blend, BlendEquation, BlendFactor, BlendOp, ColourState, CullMode, DepthTest, DrawState,
    FrontFace, LogicOp, StencilOp, StencilTest, Topology, Viewport,
};

use crate::dispatch::{EntryPoints, FragmentThread, PrimitiveSetup};
use crate::framebuffer::{self, Framebuffer, FramebufferError};
use crate::kernel::Kernel;
use crate::pixels::Block;
use crate::samples;
use crate::stage::SlotValues;
use crate::texel::is_integer;
use crate::trace::Trace;
use crate::{EmuError, Options, Report, Resources};
use crestline_program::{Attribute, AttributeSource, ComputedDepth, FragmentMetadata, Varying};
use merge::Merger;
use primitive::{Assembler, Drawn, assemble};

/// The number of threads, or of primitives, that are collected before the threads run.
const BATCH: usize = 2048;

impl Kernel {
    /// Draws primitives with a fragment shader. An element of `strips` is the list of the vertices of an instance, or
    /// of an output strip of a geometry shader; primitives are formed in each list separately. A vertex must have a
    /// position (`Varying::Position`) and the varyings that the fragment shader reads. Returns the report of all
    /// threads.
    ///
    /// # Errors
    /// [`EmuError::Stage`] for another stage's program; [`EmuError::StageInput`] for a varying that no vertex has;
    /// [`EmuError::Framebuffer`] for attachments that do not match the shader or the state; the errors of
    /// [`dispatch`](Self::dispatch). After an error in a thread, the attachments may contain results of earlier threads.
    pub fn draw(
        &self,
        state: &DrawState,
        strips: &[Vec<SlotValues>],
        framebuffer: &mut Framebuffer,
        resources: &Resources,
        options: &Options,
        trace: Option<&mut dyn Trace>,
    ) -> Result<Report, EmuError> {
        let samples = framebuffer.samples();
        let points = EntryPoints::new(self, samples, resources, options)?;
        let metadata = points.metadata;
        check_vertices(&metadata.attributes, strips)?;
        check_attachments(state, metadata, framebuffer)?;
        match (points.count(state.simd_width), state.simd_width) {
            (0, width) => {
                let width = width.map_or_else(String::new, |width| format!("SIMD{width} "));
                let suffix = match samples {
                    1 => String::new(),
                    _ => format!(" for {samples} samples"),
                };
                let reason = format!("the fragment shader has no {width}entry point{suffix}");
                return Err(EmuError::StageInput(reason));
            }
            (2.., _) if points.per_sample() => {
                let reason = "a fragment shader that runs once for each sample has several entry \
                              points: expected one";
                return Err(EmuError::StageInput(reason.to_owned()));
            }
            _ => {}
        }
        let changes_nothing = !state.alpha_to_coverage
            && !metadata.side_effects
            && !self.program.writes_memory
            && !metadata.kills_pixels
            && !metadata.output_sample_mask
            && !metadata.computed_stencil
            && metadata.computed_depth == ComputedDepth::Off;
        let early_tests = metadata.early_tests || changes_nothing;
        let area = scissored(state, framebuffer.size());
        let assembler = Assembler { state, attributes: &metadata.attributes, area };
        let mut draw = Batch {
            state,
            points: &points,
            merger: Merger { state, framebuffer, early_tests },
            resources,
            options,
            trace,
            primitives: Vec::new(),
            threads: Vec::new(),
            report: Report::default(),
        };
        let mut number = 0;
        for strip in strips {
            for indices in assemble(state.topology, strip.len()) {
                let vertices = indices.map(|index| &strip[index]);
                if let Some(drawn) = assembler.primitive(number, vertices) {
                    draw.add(drawn)?;
                }
                number = number.wrapping_add(1);
            }
        }
        draw.run()?;
        Ok(draw.report)
    }
}

/// A draw call with the threads that are collected and have not run yet.
struct Batch<'a, 't> {
    state: &'a DrawState,
    points: &'a EntryPoints<'a>,
    merger: Merger<'a>,
    resources: &'a Resources,
    options: &'a Options,
    trace: Option<&'t mut dyn Trace>,
    /// The primitives to which the indices in `threads` refer.
    primitives: Vec<PrimitiveSetup>,
    threads: Vec<FragmentThread>,
    /// The reports of the threads that have run.
    report: Report,
}

impl Batch<'_, '_> {
    /// Adds the threads of a primitive, and runs the collected threads when they are [`BATCH`] threads or primitives.
    /// Tests that come before the shader happen here.
    fn add(&mut self, Drawn { setup, coverage }: Drawn) -> Result<(), EmuError> {
        let samples = self.points.samples;
        let mut blocks = Vec::new();
        coverage.blocks(samples::positions(samples), |place, covered| {
            let covered = covered.map(|samples| samples & self.state.sample_mask);
            let place = place.map(|at| at as u16);
            let mut block = Block { place, covered, live: covered, sample: None };
            if self.merger.early_tests {
                self.merger.test_block(&setup, &mut block, samples);
            }
            if block.live != [0; 4] {
                blocks.push(block);
            }
        });
        let primitive = self.primitives.len();
        self.primitives.push(setup);
        for (entry, blocks) in threads::split(self.points, &blocks, self.state.simd_width) {
            self.threads.push(FragmentThread { primitive, entry, blocks });
            if self.threads.len() >= BATCH {
                self.run()?;
            }
        }
        if self.primitives.len() >= BATCH {
            self.run()?;
            self.primitives.clear();
        }
        Ok(())
    }

    /// Runs the collected threads, and merges their outputs into the attachments in the order of the threads.
    fn run(&mut self) -> Result<(), EmuError> {
        let trace: Option<&mut dyn Trace> = match &mut self.trace {
            Some(trace) => Some(&mut **trace),
            None => None,
        };
        let (primitives, threads) = (&self.primitives, &self.threads);
        let (pixels, report) =
            self.points.run(primitives, threads, self.resources, self.options, trace)?;
        for (thread, pixels) in self.threads.iter().zip(&pixels) {
            self.merger.merge(&self.primitives[thread.primitive], pixels);
        }
        self.report.add(report);
        self.threads.clear();
        Ok(())
    }
}

/// The pixels of the framebuffer inside the scissor.
fn scissored(state: &DrawState, [width, height]: [u32; 2]) -> Area {
    let all = Area { x: 0, y: 0, width, height };
    let Some(scissor) = state.scissor else { return all };
    let limit = |first: u32, count: u32, size: u32| {
        let end = first.saturating_add(count).min(size);
        (first.min(end), end.saturating_sub(first))
    };
    let (x, width) = limit(scissor.x, scissor.width, width);
    let (y, height) = limit(scissor.y, scissor.height, height);
    Area { x, y, width, height }
}

/// Checks that each vertex has slots for the position and for the user-defined varyings that the shader reads.
fn check_vertices(attributes: &[Attribute], strips: &[Vec<SlotValues>]) -> Result<(), EmuError> {
    let read = attributes.iter().filter_map(|attribute| match attribute.source {
        AttributeSource::Varying { varying: varying @ Varying::Location { .. } } => Some(varying),
        _ => None,
    });
    for varying in read.chain([Varying::Position]) {
        // A vertex may have a slot that the stage before did not write. Its value is undefined, but this is no error.
        let lacks = |vertex: &SlotValues| vertex.iter().all(|(slot, _)| slot != varying);
        if strips.iter().flatten().any(lacks) {
            let reason = format!("a vertex has no values for {varying}, which the draw call reads");
            return Err(EmuError::StageInput(reason));
        }
    }
    Ok(())
}

/// Checks that the attachments match the shader's outputs and the state.
fn check_attachments(
    state: &DrawState,
    metadata: &FragmentMetadata,
    framebuffer: &Framebuffer,
) -> Result<(), FramebufferError> {
    state.viewport.check()?;
    for output in &metadata.colour_outputs {
        let target = output.target;
        if let Some((format, _)) = framebuffer.colour(target)
            && let Some(ty) = output.ty
            && !framebuffer::matches(format, ty)
        {
            return Err(FramebufferError::Type { target, format, output: ty });
        }
    }
    for (target, colour) in (0..).zip(&state.colours) {
        if let Some((format, _)) = framebuffer.colour(target)
            && colour.blend.is_some()
            && is_integer(format)
        {
            return Err(FramebufferError::Blend { target, format });
        }
    }
    if state.depth.is_some() && framebuffer.depth.is_none() {
        return Err(FramebufferError::Missing { what: "depth" });
    }
    if state.stencil.is_some() && framebuffer.stencil.is_none() {
        return Err(FramebufferError::Missing { what: "stencil" });
    }
    Ok(())
}
