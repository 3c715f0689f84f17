//! Fragment shaders: threads of 8, 16 or 32 channels. Four channels are a 2x2 block of pixels (subspan), and all blocks
//! of a thread belong to one primitive.
//!
//! The payload (PRM, "Pixel Shader Thread Payload") consists of these parts, in this order:
//!
//! * r0;
//! * for each 16 channels, a register with the positions of the blocks and the pixel mask;
//! * for each 16 channels, the optional parts that the state requests: barycentric coordinates, depth, w, positions of
//!   samples, coverage;
//! * constants;
//! * setup data of the attributes.
//!
//! The metadata say which optional parts the shader requests. This module computes their registers from these requests
//! by the rules of the hardware. If the constants or setup data then start at another register than in the metadata,
//! the program does not run: its compiler assumed a payload that the hardware does not deliver.

use super::push;
use crate::dispatch::launch::{Group, Launch, RunGroup};
use crate::dispatch::payload::{Counts, Payload};
use crate::host::Host;
use crate::interpolate::{Interpolation, Weights};
use crate::kernel::Kernel;
use crate::pixels::{Block, OutputLayout, Outputs, Pixels, dispatched};
use crate::registers::{CONTROL, STATE};
use crate::samples;
use crate::thread::Thread;
use crate::trace::Trace;
use crate::urb::Urb;
use crate::{EmuError, Options, Report, Resources};
use crestline_program::{Barycentric, Dispatch, FragmentMetadata, InputCoverage, StageMetadata};
use std::cell::Cell;
use std::ops::Range;

/// The bit that marks a back-facing primitive. It is in r0.0, and from gen12 on in r1.1.
const BACK_FACING: u32 = 1 << 15;
/// The bits of the layer in the same dword.
const LAYER: u32 = 0x07ff_0000;
/// Bit 3 of cr0.0: the vector mask, not the dispatch mask, enables channels.
const VECTOR_MASK: u32 = 1 << 3;
/// The lowest bit of a field of r0.0: the number of the thread's first sample, divided by two (up to gen7.5).
const FIRST_PAIR: u32 = 6;
/// Contents of payload registers for channels without a pixel.
const NO_PIXEL: u32 = 0xcdcd_cdcd;

/// The data of a primitive that all its threads use.
#[derive(Debug)]
pub(crate) struct PrimitiveSetup {
    /// The number of the primitive in the draw call.
    pub(crate) number: u32,
    pub(crate) interpolation: Interpolation,
    /// The depth of the viewport's near and far plane.
    pub(crate) depth_range: [f32; 2],
    /// The number that is added to the depth.
    pub(crate) depth_bias: f64,
    pub(crate) back_facing: bool,
    /// The code of the primitive's topology: 1 for points, 2 for lines, 4 for triangles (3DPRIM codes of lists).
    pub(crate) topology: u32,
    /// The index of the layer of the framebuffer.
    pub(crate) layer: u32,
    /// The setup data: 16 dwords for each attribute. `None` stands for a dword that the stage before did not write.
    pub(crate) setup: Vec<Option<u32>>,
}

impl PrimitiveSetup {
    /// The weights at a place in the pixel at `x`, `y`. `within` is the place, in pixels from the pixel's upper left
    /// corner.
    #[inline]
    pub(crate) fn weights(&self, [x, y]: [u32; 2], within: [f64; 2]) -> Weights<'_> {
        self.interpolation.at(f64::from(x) + within[0], f64::from(y) + within[1])
    }

    /// The depths at up to eight places. `fill` sets their coordinates x and y, in pixels.
    #[inline]
    pub(crate) fn depths(&self, fill: impl FnOnce(&mut [[f64; 8]; 2])) -> [f32; 8] {
        let mut places = [[0.0; 8]; 2];
        fill(&mut places);
        let of = |weights: &Weights<'_>| [self.depth(weights)];
        let [depths] = Host::new().run(
            #[inline(always)]
            |places| self.interpolation.rows(places, of),
            &places,
            |places| self.interpolation.rows(places, of),
        );
        depths
    }

    /// The depth at a position with these weights, in the depth range of the viewport, with the bias.
    #[inline]
    pub(crate) fn depth(&self, weights: &Weights<'_>) -> f32 {
        let [near, far] = self.depth_range.map(f64::from);
        (near + weights.depth() * (far - near) + self.depth_bias) as f32
    }
}

/// A thread of a fragment shader.
struct FragmentThread<'a> {
    points: &'a EntryPoints<'a>,
    primitive: &'a PrimitiveSetup,
    /// The number of its entry point.
    entry: usize,
    blocks: &'a [Block],
    /// The pixels for the thread's messages; `None` while the thread runs.
    pixels: Cell<Option<Box<Pixels>>>,
}

impl FragmentThread<'_> {
    /// The channels that are dispatched.
    fn covered(&self) -> u32 {
        dispatched(self.blocks)
    }

    /// The vector mask: all four channels of each block in which at least one channel is dispatched.
    fn whole_blocks(&self) -> u32 {
        let covered = self.covered();
        (0..8).map(|block| 0xf << (4 * block)).filter(|block| covered & block != 0).sum()
    }
}

/// The entry points of a fragment shader (one for each SIMD width), prepared for a draw call.
pub(crate) struct EntryPoints<'a> {
    kernel: &'a Kernel,
    pub(crate) metadata: &'a FragmentMetadata,
    layout: OutputLayout,
    entries: Vec<Entry>,
    /// The number of samples of a pixel.
    pub(crate) samples: u32,
}

/// An entry point.
struct Entry {
    /// The SIMD width.
    width: usize,
    payload: Payload,
    /// The first register of the setup data.
    setup: usize,
}

/// Number of registers, for each half of a thread ([`halves`]), of a part of the payload with one dword for each
/// channel. A set of barycentric coordinates consists of two such parts.
fn registers_per_half(width: usize) -> usize {
    width.min(16) / 8
}

/// The number of halves of a thread, each with up to 16 channels: 2 for SIMD32, otherwise 1.
fn halves(width: usize) -> usize {
    width.div_ceil(16)
}

/// The number of registers before the constants: r0, the registers with the positions of blocks, and the optional
/// parts.
fn fixed_registers(metadata: &FragmentMetadata, width: usize) -> usize {
    let one = registers_per_half(width);
    let parts = [
        2 * one * metadata.barycentrics.len(),
        usize::from(metadata.source_depth) * one,
        usize::from(metadata.source_w) * one,
        usize::from(metadata.position_offsets),
        usize::from(metadata.input_coverage != InputCoverage::Off) * one,
    ];
    1 + halves(width) * (1 + parts.iter().sum::<usize>())
}

impl Entry {
    /// Checks that the constants and setup data start at the registers where the hardware delivers them.
    fn new(
        dispatch: &Dispatch,
        metadata: &FragmentMetadata,
        payload: Payload,
    ) -> Result<Entry, EmuError> {
        let width = dispatch.simd_width as usize;
        let fixed = fixed_registers(metadata, width);
        let fail = |what: &str, first: u32, expected: usize| {
            Err(EmuError::StageInput(format!(
                "the {what} of the SIMD{width} entry point begin at r{first}: expected r{expected}"
            )))
        };
        let mut end = fixed;
        if let Some(range) = dispatch.payload.cross_thread {
            if range.first as usize != fixed {
                return fail("constants", range.first, fixed);
            }
            end += range.count as usize;
        }
        let setup = dispatch.payload.setup.map_or(end, |range| range.first as usize);
        if setup != end {
            return fail("setup data", setup as u32, end);
        }
        Ok(Entry { width, payload, setup })
    }
}

impl<'a> EntryPoints<'a> {
    /// Prepares the entry points of a shader for pixels with this number of samples.
    ///
    /// # Errors
    /// [`EmuError::Stage`] for another stage's program, [`EmuError::StageInput`] if the registers in the metadata are not
    /// those of the hardware or if the shader cannot run with this number of samples, or an error about a missing resource.
    pub(crate) fn new(
        kernel: &'a Kernel,
        samples: u32,
        resources: &Resources,
        options: &Options,
    ) -> Result<EntryPoints<'a>, EmuError> {
        let StageMetadata::Fragment(metadata) = &kernel.metadata.stage else {
            return Err(kernel.other_stage("fragment"));
        };
        if !kernel.device.has_samples(samples) {
            return Err(EmuError::Samples { samples });
        }
        if samples > 1 {
            check_samples(metadata)?;
        }
        let entry = |dispatch: &Dispatch| {
            let payload = kernel.payload(&dispatch.payload, Counts::draw(0), resources, options)?;
            Entry::new(dispatch, metadata, payload)
        };
        let entries = kernel.metadata.dispatches.iter().map(entry).collect::<Result<_, _>>()?;
        let layout = OutputLayout::new(metadata);
        Ok(EntryPoints { kernel, metadata, layout, entries, samples })
    }

    /// Whether a channel computes one sample, not a whole pixel. False for pixels with one sample, where this is the
    /// same.
    pub(crate) fn per_sample(&self) -> bool {
        self.metadata.per_sample && self.samples > 1
    }

    /// Whether the payload has only the number of the thread's first pair of samples, not a sample number for each
    /// block (up to gen7.5). The blocks of a thread then must have consecutive samples.
    pub(crate) fn has_fixed_samples(&self) -> bool {
        !self.kernel.device.has_sample_ids_in_payload()
    }

    /// The number of entry points that can run. `width`: see [`fitting`](Self::fitting).
    pub(crate) fn count(&self, width: Option<u32>) -> usize {
        self.fitting(width).count()
    }

    /// The entry points that can run, with their numbers. If `width` is given, only the entry point of this SIMD width.
    /// If pixels have 16 samples, SIMD32 threads that compute whole pixels cannot run (PRM of gen9, 3DSTATE_PS).
    fn fitting(&self, width: Option<u32>) -> impl Iterator<Item = (usize, &Entry)> + Clone {
        let narrow = self.samples == samples::MOST as u32 && !self.per_sample();
        (self.entries.iter().enumerate())
            .filter(move |(_, entry)| width.is_none_or(|width| width as usize == entry.width))
            .filter(move |(_, entry)| !narrow || entry.width < 32)
    }

    /// Chooses the entry point for the next thread of a primitive of which `blocks` blocks remain: the widest one that
    /// the blocks fill, or the narrowest one if they fill none. If `width` is given, only the entry point of this SIMD
    /// width can be chosen. Returns the number of the entry point and the number of blocks of its threads.
    pub(crate) fn choose(&self, blocks: usize, width: Option<u32>) -> Option<(usize, usize)> {
        let fitting = self.fitting(width).map(|(number, entry)| (number, entry.width / 4));
        let full =
            fitting.clone().filter(|(_, size)| *size <= blocks).max_by_key(|(_, size)| *size);
        full.or_else(|| fitting.min_by_key(|(_, size)| *size))
    }

    /// The number of the first pair of samples of a thread (the first sample, divided by two); 0 on devices whose
    /// payload has a sample number for each block.
    fn first_pair(&self, thread: &FragmentThread<'_>) -> u32 {
        let first = thread.blocks.first().and_then(|block| block.sample).unwrap_or(0);
        if self.has_fixed_samples() { u32::from(first / 2) } else { 0 }
    }

    /// Whether threads must run one after another, because the results depend on their order.
    pub(crate) fn are_ordered(&self) -> bool {
        self.kernel.is_ordered()
    }

    /// The number of host threads for `units` units of work.
    pub(crate) fn hosts(&self, options: &Options, units: u64) -> usize {
        self.kernel.host_threads(options, units)
    }

    /// Performs `count` units of work. `unit` performs one, given its number, and runs threads with the
    /// [`ThreadRunner`]. Units may be performed at the same time if the threads need no order
    /// ([`are_ordered`](Self::are_ordered)).
    pub(crate) fn run(
        &self,
        count: u64,
        unit: &Unit<'_>,
        resources: &Resources,
        options: &Options,
        trace: Option<&mut dyn Trace>,
    ) -> Result<Report, EmuError> {
        let launch = Fragments { points: self, unit };
        self.kernel.run_units(&launch, count, [1; 3], resources, options, trace)
    }
}

/// Checks that a shader is correct for pixels with several samples.
fn check_samples(metadata: &FragmentMetadata) -> Result<(), EmuError> {
    let at_sample = |set: &Barycentric| {
        matches!(set, Barycentric::PerspectiveSample | Barycentric::LinearSample)
    };
    let positions = metadata.position_offsets || metadata.barycentrics.iter().any(at_sample);
    let reason = match metadata {
        FragmentMetadata { one_sample: true, .. } => "is for framebuffers with one sample",
        FragmentMetadata { per_sample: false, .. } if positions => {
            "reads positions of samples, but does not run once for each sample"
        }
        _ => return Ok(()),
    };
    Err(EmuError::StageInput(format!("the fragment shader {reason}")))
}

/// Performs a unit of work of a draw call.
type Unit<'a> = dyn Fn(u64, &mut ThreadRunner<'_>) -> Result<(), EmuError> + Sync + 'a;

/// A dispatch of fragment threads.
struct Fragments<'a> {
    points: &'a EntryPoints<'a>,
    unit: &'a Unit<'a>,
}

impl Launch for Fragments<'_> {
    fn threads(&self) -> u32 {
        1
    }

    fn shared_bytes(&self) -> u32 {
        0
    }

    fn run(&self, unit: u64, run: &mut RunGroup<'_>) -> Result<(), EmuError> {
        (self.unit)(unit, &mut ThreadRunner { points: self.points, run, pixels: None, number: 0 })
    }
}

/// Runs the threads of a unit of work, one after another.
pub(crate) struct ThreadRunner<'a> {
    points: &'a EntryPoints<'a>,
    run: &'a mut RunGroup<'a>,
    /// The pixels of the thread that ran last. Their memory is used again.
    pixels: Option<Box<Pixels>>,
    /// The number of threads that have run.
    number: u64,
}

impl ThreadRunner<'_> {
    /// Runs the thread for some blocks of a primitive, from entry point number `entry` on. Returns its pixels, with the
    /// outputs that it wrote.
    ///
    /// # Errors
    /// The error of the thread.
    pub(crate) fn run(
        &mut self,
        primitive: &PrimitiveSetup,
        entry: usize,
        blocks: &[Block],
    ) -> Result<&Pixels, EmuError> {
        let points = self.points;
        let (covered, interpolation) = (dispatched(blocks), primitive.interpolation);
        let pixels = match self.pixels.take() {
            Some(mut pixels) => {
                (pixels.covered, pixels.interpolation) = (covered, interpolation);
                pixels.blocks.clear();
                pixels.blocks.extend(blocks);
                pixels.outputs.clear();
                pixels
            }
            None => Box::new(Pixels {
                covered,
                blocks: blocks.to_vec(),
                samples: points.samples,
                interpolation,
                layout: points.layout.clone(),
                outputs: Outputs::default(),
            }),
        };
        let thread =
            FragmentThread { points, primitive, entry, blocks, pixels: Cell::new(Some(pixels)) };
        (self.run)(&thread, self.number)?;
        self.number += 1;
        // A thread that has ended gives the pixels back.
        self.pixels = thread.pixels.take();
        self.pixels
            .as_deref()
            .ok_or_else(|| EmuError::StageInput("a thread lost its pixels".into()))
    }
}

impl Group for FragmentThread<'_> {
    fn threads(&self) -> u32 {
        1
    }

    fn name(&self, _: u64) -> [u32; 3] {
        let [x, y] = self.blocks.first().map_or([0; 2], |block| block.place);
        [x.into(), y.into(), self.primitive.number]
    }

    fn entry(&self, _: u64) -> usize {
        self.entry
    }

    fn pixels(&self, _: u64) -> Option<Box<Pixels>> {
        self.pixels.take()
    }

    fn take_pixels(&self, _: u64, pixels: Box<Pixels>) {
        self.pixels.set(Some(pixels));
    }

    fn mask(&self, _: u64, _: u32) -> u32 {
        if self.points.metadata.vector_mask { self.whole_blocks() } else { self.covered() }
    }

    fn write(&self, t: &mut Thread, number: u64, _: u32, _: &Urb) {
        let (points, primitive) = (self.points, self.primitive);
        let (metadata, entry) = (points.metadata, &points.entries[self.entry]);
        t.registers.set_state(STATE + 8, self.covered());
        t.registers.set_state(STATE + 12, self.whole_blocks());
        if metadata.vector_mask {
            t.registers.set_state(CONTROL, t.registers.u32(CONTROL) | VECTOR_MASK);
        }
        let facing = if primitive.back_facing { BACK_FACING } else { 0 };
        let info = facing | primitive.layer << 16 & LAYER;
        let [r0, r1] = match points.kernel.device.has_facing_in_r1() {
            false => [primitive.topology | info, 0],
            true => [primitive.topology, info],
        };
        let pair = points.first_pair(self) << FIRST_PAIR;
        entry.payload.write(t, [r0 | pair, 0, 0, number as u32 & 0xff_ffff, 0], 0);
        for half in 0..halves(entry.width) {
            let numbers = if points.has_fixed_samples() { 0 } else { numbers(self, half) };
            write_blocks(t, self, [numbers, r1], half);
        }
        let mut register = 1 + halves(entry.width);
        for half in 0..halves(entry.width) {
            let channels = 16 * half..(16 * half + 16).min(entry.width);
            let samples = points.samples;
            let half = Half { host: t.host, primitive, thread: self, samples, channels };
            let parts = half.optional_parts(metadata);
            t.registers.write_dwords(register * 32, &parts);
            register += parts.len() / 8;
        }
        push(t, entry.setup * 32, &primitive.setup);
    }
}

/// The sample numbers of the four blocks in a half of a thread, four bits each; 0 for blocks whose channels compute
/// whole pixels.
fn numbers(thread: &FragmentThread<'_>, half: usize) -> u32 {
    let blocks = thread.blocks.iter().skip(4 * half).take(4);
    blocks.zip(0..).map(|(block, n)| u32::from(block.sample.unwrap_or(0)) << (4 * n)).sum()
}

/// Writes r1 (`half` 0) or r2 (`half` 1). Dword 0: the sample numbers of the blocks (from gen8 on). Dword 1: facing and
/// layer of the primitive (from gen12 on). Dwords 2 to 5: the positions of the four blocks. Dword 7: the pixel mask,
/// twice.
fn write_blocks(
    t: &mut Thread,
    thread: &FragmentThread<'_>,
    [numbers, info]: [u32; 2],
    half: usize,
) {
    let mask = thread.covered() >> (16 * half) & 0xffff;
    let mut dwords = [numbers, info, 0, 0, 0, 0, 0, 0];
    for (dword, block) in dwords[2..6].iter_mut().zip(thread.blocks.iter().skip(4 * half)) {
        let [x, y] = block.place.map(u32::from);
        *dword = x | y << 16;
    }
    dwords[7] = mask | mask << 16;
    push(t, 32 * (1 + half), &dwords.map(Some));
}

/// The place in a pixel at which values are interpolated.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// The centre of the pixel.
    Pixel,
    /// See [`Block::centroid`].
    Centroid,
    /// The sample that the channel computes; the centre of the pixel if the channel computes a whole pixel.
    Sample,
}

/// A half of a thread (up to 16 channels), for which the optional parts of the payload are computed.
struct Half<'a> {
    host: Host,
    primitive: &'a PrimitiveSetup,
    thread: &'a FragmentThread<'a>,
    /// The number of samples of a pixel.
    samples: u32,
    /// The channels of the half.
    channels: Range<usize>,
}

impl Half<'_> {
    /// Computes a value for each channel from its block and the number of its pixel in the block. The value is
    /// [`NO_PIXEL`] for channels without a block.
    fn values(&self, of: impl Fn(&Block, usize) -> u32) -> Vec<u32> {
        let value = |channel: usize| {
            let block = self.thread.blocks.get(channel / 4);
            block.map_or(NO_PIXEL, |block| of(block, channel % 4))
        };
        self.channels.clone().map(value).collect()
    }

    /// Appends `N` numbers for each channel, which `of` computes from the weights at a place in its pixel, as the bits of
    /// floats: for each eight channels, `N` registers.
    fn append<const N: usize>(
        &self,
        dwords: &mut Vec<u32>,
        place: Place,
        of: impl Fn(&Weights<'_>) -> [f32; N],
    ) {
        for first in self.channels.clone().step_by(8) {
            let mut places = [[0.0; 8]; 2];
            let mut present = 0;
            let [xs, ys] = &mut places;
            for (lane, (x, y)) in xs.iter_mut().zip(ys).enumerate() {
                let Some(block) = self.thread.blocks.get((first + lane) / 4) else { break };
                let pixel = lane % 4;
                let within = match (place, block.sample) {
                    (Place::Centroid, _) => block.centroid(pixel, self.samples),
                    (Place::Sample, Some(sample)) => samples::position(self.samples, sample),
                    _ => [0.5; 2],
                };
                let [column, row] = block.pixel(pixel).map(f64::from);
                (*x, *y) = (column + within[0], row + within[1]);
                present = lane + 1;
            }
            let interpolation = &self.primitive.interpolation;
            let rows = self.host.run(
                #[inline(always)]
                |places| interpolation.rows(places, &of),
                &places,
                |places| interpolation.rows(places, &of),
            );
            for row in rows {
                let mut register = row.map(f32::to_bits);
                register[present..].fill(NO_PIXEL);
                dwords.extend(register);
            }
        }
    }

    /// The position of each channel's sample in its pixel, in sixteenths of a pixel: one 16-bit word per channel, with
    /// x in the low byte and y in the high byte. The result is eight dwords (one register), also for eight channels.
    fn positions(&self) -> Vec<u32> {
        let words = self.values(|block, _| {
            let places = samples::positions(self.samples);
            let [x, y] = places[usize::from(block.sample.unwrap_or(0))].map(u32::from);
            x | y << 8
        });
        let mut dwords: Vec<u32> =
            words.as_chunks::<2>().0.iter().map(|[a, b]| a & 0xffff | b << 16).collect();
        dwords.resize(8, NO_PIXEL);
        dwords
    }

    /// The optional parts of the payload for this half, as consecutive dwords: whole registers.
    fn optional_parts(&self, metadata: &FragmentMetadata) -> Vec<u32> {
        let mut dwords = Vec::with_capacity(64);
        for barycentric in &metadata.barycentrics {
            use Barycentric::*;
            let (linear, place) = match barycentric {
                PerspectivePixel => (false, Place::Pixel),
                PerspectiveCentroid => (false, Place::Centroid),
                PerspectiveSample => (false, Place::Sample),
                LinearPixel => (true, Place::Pixel),
                LinearCentroid => (true, Place::Centroid),
                LinearSample => (true, Place::Sample),
            };
            if linear {
                self.append(&mut dwords, place, |w| {
                    let [_, second, third] = w.linear();
                    [second as f32, third as f32]
                });
            } else {
                let of = |w: &Weights<'_>| [w.perspective[1] as f32, w.perspective[2] as f32];
                self.append(&mut dwords, place, of);
            }
        }
        // If a channel computes a sample, depth and w are those at the sample's position, else at the centre.
        if metadata.source_depth {
            self.append(&mut dwords, Place::Sample, |weights| [self.primitive.depth(weights)]);
        }
        if metadata.source_w {
            self.append(&mut dwords, Place::Sample, |weights| [weights.w() as f32]);
        }
        if metadata.position_offsets {
            dwords.extend(self.positions());
        }
        let coverage: Option<fn(&Block) -> [u16; 4]> = match metadata.input_coverage {
            InputCoverage::Off => None,
            InputCoverage::Covered => Some(|block| block.covered),
            InputCoverage::AfterTests => Some(|block| block.live),
            InputCoverage::Inner => Some(|block| {
                let whole = |pixel: usize| block.whole >> pixel & 1 == 1;
                std::array::from_fn(|pixel| if whole(pixel) { block.covered[pixel] } else { 0 })
            }),
        };
        if let Some(coverage) = coverage {
            dwords.extend(self.values(|block, pixel| coverage(block)[pixel].into()));
        }
        dwords
    }
}
