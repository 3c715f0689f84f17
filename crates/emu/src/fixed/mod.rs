//! The fixed functions of a draw call: assembly of primitives, clipping, rasterization, depth and stencil tests,
//! blending.
//!
//! Their inputs are vertices, the state that a driver sets, and the program and metadata of a fragment shader. They do
//! not depend on the compiler. [`Kernel::draw`] divides the framebuffer into bands of rows. In a band, it takes the
//! primitives in their order: it runs the threads that shade the pixels of a primitive, and merges the outputs of each
//! thread into the attachments before the next thread starts. Host threads draw different bands at the same time. If the
//! shader writes memory, there is only one band, so that its threads run in the order of the primitives. The division
//! does not depend on the number of host threads, so results do not depend on it either.
//!
//! The modules, in the order of the work: `primitive` (assembly, culling and setup), `clip`, `cover` (which samples a
//! primitive covers), `threads` (pixels to threads), `merge` (depth and stencil tests, output), `blend`. The state is
//! in `state`. `tessellate` divides patches; it is not part of [`Kernel::draw`].
//!
//! Framebuffers have one or several layers, and 1, 2, 4, 8 or 16 samples for each pixel. Coverage, tests and stored colours are
//! computed for each sample. A channel of a thread computes the colour of a pixel, for all its covered samples, or of
//! one sample. Lines are drawn as rectangles (Vulkan's strict lines).

mod assembly;
mod blend;
mod clip;
mod cover;
mod merge;
mod primitive;
mod state;
mod tessellate;
mod threads;

pub use state::{
    Area, Blend, BlendEquation, BlendFactor, BlendOp, ColourState, CullMode, DepthBias, DepthTest,
    DrawState, FrontFace, LogicOp, PolygonMode, StencilOp, StencilTest, Topology, Viewport,
};
pub use tessellate::Tessellation;

use crate::dispatch::{EntryPoints, ThreadRunner};
use crate::framebuffer::{self, Framebuffer, FramebufferError};
use crate::kernel::Kernel;
use crate::pixels::Block;
use crate::samples;
use crate::stage::SlotValues;
use crate::texel::is_integer;
use crate::trace::Trace;
use crate::{Counters, EmuError, Options, Report, Resources};
use cover::BlockSamples;
use crestline_program::{
    Attribute, AttributeSource, ComputedDepth, FragmentMetadata, InputCoverage, Varying,
};
use merge::Merger;
use primitive::{Assembler, Drawn, View};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// The number of primitives that are set up before their threads run.
const BATCH: usize = 4096;
/// The number of primitives of a batch from which on several host threads set them up.
const WORTH_HOST_THREADS: usize = 256;
/// The height of a band in pixels. It is even, so that no 2x2 block of pixels is in two bands.
const BAND: u32 = 8;
/// The number of viewports of the hardware.
const MAX_VIEWPORTS: usize = 16;

impl Kernel {
    /// Draws primitives with a fragment shader. An element of `strips` is the list of the vertices of an instance, or
    /// of an output strip of a geometry shader; primitives are formed in each list separately. A vertex must have a
    /// position (`Varying::Position`) and the varyings that the fragment shader reads. Returns the report of all
    /// threads.
    ///
    /// # Errors
    /// [`EmuError::Stage`] for another stage's program; [`EmuError::StageInput`] for a varying that no vertex has;
    /// [`EmuError::Framebuffer`] for attachments that do not match the shader or the state; the errors of
    /// [`dispatch`](Self::dispatch). After an error in a thread, the attachments may contain results of other threads.
    pub fn draw(
        &self,
        state: &DrawState,
        strips: &[Vec<SlotValues>],
        framebuffer: &mut Framebuffer,
        resources: &Resources,
        options: &Options,
        trace: Option<&mut dyn Trace>,
    ) -> Result<Report, EmuError> {
        let strips: Vec<Vec<&SlotValues>> =
            strips.iter().map(|strip| strip.iter().collect()).collect();
        self.draw_shared(state, &strips, framebuffer, resources, options, trace)
    }

    /// Like [`draw`](Self::draw), for vertices of which several primitives share one.
    ///
    /// # Errors
    /// As for [`draw`](Self::draw).
    pub fn draw_shared(
        &self,
        state: &DrawState,
        strips: &[Vec<&SlotValues>],
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
        if state.depth_bounds.is_some() && !self.device.has_depth_bounds_test() {
            return Err(EmuError::DepthBounds);
        }
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
        let views = state.viewports().map(|(viewport, scissor)| View {
            viewport,
            area: scissored(scissor, framebuffer.size()),
        });
        let assembler = Assembler {
            state,
            attributes: &metadata.attributes,
            views: views.collect(),
            depth_format: framebuffer.depth.as_ref().map(|depth| depth.format),
        };
        let mut draw =
            Batch { state, points: &points, early_tests, framebuffer, drawn: Vec::new() };
        let (mut report, mut trace, mut number) = (Report::default(), trace, 0);
        let mut primitives = (strips.iter())
            .flat_map(|strip| {
                let indices = state.topology.drawn(strip.len());
                indices.map(|indices| indices.map(|index| strip[index]))
            })
            .peekable();
        while primitives.peek().is_some() {
            let batch: Vec<[&SlotValues; 3]> = primitives.by_ref().take(BATCH).collect();
            let hosts = match batch.len() {
                0..WORTH_HOST_THREADS => 1,
                count => points.hosts(options, count as u64),
            };
            for (drawn, remaining) in assembler.batch(number, &batch, hosts) {
                draw.drawn.extend(drawn);
                report.counters.clipping_primitives += remaining;
            }
            report.counters.clipping_invocations += batch.len() as u64;
            number = number.wrapping_add(batch.len() as u32);
            report.add(draw.run(resources, options, &mut trace)?);
        }
        Ok(report)
    }
}

/// A draw call with the primitives that have been set up, and whose threads have not run yet.
struct Batch<'a> {
    state: &'a DrawState,
    points: &'a EntryPoints<'a>,
    /// See [`Merger::early_tests`].
    early_tests: bool,
    framebuffer: &'a mut Framebuffer,
    drawn: Vec<Drawn>,
}

impl Batch<'_> {
    /// Draws the primitives, and removes them.
    fn run(
        &mut self,
        resources: &Resources,
        options: &Options,
        trace: &mut Option<&mut dyn Trace>,
    ) -> Result<Report, EmuError> {
        let trace: Option<&mut dyn Trace> = match trace {
            Some(trace) => Some(&mut **trace),
            None => None,
        };
        let Batch { state, points, early_tests, framebuffer, drawn } = self;
        let ([_, rows], layers) = (framebuffer.size(), framebuffer.layers());
        let height = if points.are_ordered() { rows } else { BAND };
        let bands_of_layer = rows.div_ceil(height);
        // The primitives of each band. If threads have an order, there is one band for all layers.
        let count = match points.are_ordered() {
            true => 1,
            false => bands_of_layer as usize * layers as usize,
        };
        let mut used: Vec<Vec<&Drawn>> = vec![Vec::new(); count];
        for drawn in drawn.iter().filter(|drawn| drawn.setup.layer < layers) {
            let Range { start, end } = drawn.coverage.rows();
            let layer = if points.are_ordered() { 0 } else { drawn.setup.layer };
            for band in start / height..end.div_ceil(height) {
                if let Some(used) = used.get_mut((layer * bands_of_layer + band) as usize) {
                    used.push(drawn);
                }
            }
        }
        let samples = BlockSamples::new(samples::positions(points.samples));
        let parts = framebuffer.split((!points.are_ordered()).then_some(height));
        let bands = parts.zip(used).enumerate().filter_map(|(number, (parts, used))| {
            let first = number as u32 % bands_of_layer * height;
            (!used.is_empty()).then(|| Band {
                points,
                rows: first..first + height,
                merger: Merger { state, rows: parts, early_tests: *early_tests },
                drawn: used,
                counters: Counters::default(),
                samples: &samples,
                blocks: Vec::new(),
            })
        });
        let bands: Vec<Mutex<Band<'_>>> = bands.map(Mutex::new).collect();
        let unit = |unit: u64, runner: &mut ThreadRunner<'_>| {
            bands[unit as usize].lock().unwrap_or_else(PoisonError::into_inner).draw(runner)
        };
        let mut report = points.run(bands.len() as u64, &unit, resources, options, trace)?;
        for band in bands {
            let band = band.into_inner().unwrap_or_else(PoisonError::into_inner);
            report.counters.add(&band.counters);
        }
        drawn.clear();
        Ok(report)
    }
}

/// A band of the framebuffer.
struct Band<'a> {
    points: &'a EntryPoints<'a>,
    rows: Range<u32>,
    merger: Merger<'a>,
    /// The primitives that may cover samples of the band, in order.
    drawn: Vec<&'a Drawn>,
    /// The samples of a 2x2 block of pixels.
    samples: &'a BlockSamples,
    /// The blocks of a primitive. The memory is used for one primitive after another.
    blocks: Vec<Block>,
    counters: Counters,
}

impl Band<'_> {
    /// Draws the primitives of the band one after another: the tests before the shader, the threads, and the merging of
    /// their outputs.
    fn draw(&mut self, runner: &mut ThreadRunner<'_>) -> Result<(), EmuError> {
        let Band { points, rows, merger, drawn, samples: of_block, blocks, counters } = self;
        let (state, samples) = (merger.state, points.samples);
        let inner = points.metadata.input_coverage == InputCoverage::Inner;
        for Drawn { setup, coverage } in drawn.iter().copied() {
            blocks.clear();
            coverage.blocks(rows.clone(), of_block, |place, covered| {
                let covered = covered.map(|samples| samples & state.sample_mask);
                let whole = if inner { coverage.whole_pixels(place) } else { 0 };
                let place = place.map(|at| at as u16);
                let mut block = Block { place, covered, live: covered, whole, sample: None };
                if merger.early_tests {
                    merger.test_block(setup, &mut block, samples);
                }
                if block.live != [0; 4] {
                    blocks.push(block);
                }
                if merger.early_tests {
                    let live = block.live.iter().map(|live| u64::from(live.count_ones()));
                    counters.samples_passed += live.sum::<u64>();
                }
            });
            threads::split(points, blocks, state.simd_width, &mut |entry, blocks| {
                let pixels = runner.run(setup, entry, blocks)?;
                counters.fragment_invocations += u64::from(pixels.covered.count_ones());
                let passed = merger.merge(setup, pixels);
                if !merger.early_tests {
                    counters.samples_passed += passed;
                }
                Ok(())
            })?;
        }
        Ok(())
    }
}

/// The pixels of the framebuffer inside the scissor.
fn scissored(scissor: Option<Area>, [width, height]: [u32; 2]) -> Area {
    let all = Area { x: 0, y: 0, width, height };
    let Some(scissor) = scissor else { return all };
    let limit = |first: u32, count: u32, size: u32| {
        let end = first.saturating_add(count).min(size);
        (first.min(end), end.saturating_sub(first))
    };
    let (x, width) = limit(scissor.x, scissor.width, width);
    let (y, height) = limit(scissor.y, scissor.height, height);
    Area { x, y, width, height }
}

/// Checks that each vertex has slots for the position and for the user-defined varyings that the shader reads.
fn check_vertices(attributes: &[Attribute], strips: &[Vec<&SlotValues>]) -> Result<(), EmuError> {
    let read = attributes.iter().filter_map(|attribute| match attribute.source {
        AttributeSource::Varying { varying: varying @ Varying::Location { .. } } => Some(varying),
        _ => None,
    });
    let read: Vec<Varying> = read.chain([Varying::Position]).collect();
    // A vertex may have a slot that the stage before did not write. Its value is undefined, but this is no error.
    let has_all = |vertex: &SlotValues| read.iter().all(|varying| vertex.has(*varying));
    if strips.iter().flatten().all(|vertex| has_all(vertex)) {
        return Ok(());
    }
    let lacks = |varying: &Varying| strips.iter().flatten().any(|vertex| !vertex.has(*varying));
    let varying = read.iter().copied().find(lacks).unwrap_or(Varying::Position);
    let reason = format!("a vertex has no values for {varying}, which the draw call reads");
    Err(EmuError::StageInput(reason))
}

/// Checks that the attachments match the shader's outputs and the state.
fn check_attachments(
    state: &DrawState,
    metadata: &FragmentMetadata,
    framebuffer: &Framebuffer,
) -> Result<(), FramebufferError> {
    let count = state.viewports().count();
    if count > MAX_VIEWPORTS {
        return Err(FramebufferError::Viewports { count, most: MAX_VIEWPORTS });
    }
    state.viewports().try_for_each(|(viewport, _)| viewport.check())?;
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
    let reads_depth = state.depth.is_some() || state.depth_bounds.is_some();
    if reads_depth && framebuffer.depth.is_none() {
        return Err(FramebufferError::Missing { what: "depth" });
    }
    if state.stencil.is_some() && framebuffer.stencil.is_none() {
        return Err(FramebufferError::Missing { what: "stencil" });
    }
    Ok(())
}
