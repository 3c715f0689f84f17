//! Fragment shaders: threads of 8, 16 or 32 pixels in 2x2 blocks (subspans), all of one primitive.
//!
//! The payload (PRM, "Pixel Shader Thread Payload"): r0; one register for each 16 channels with the positions of the blocks
//! and the pixel mask; for each 16 channels one after another the optional parts that the state requests; constants; setup
//! data of the attributes. The optional parts are computed here from the requests, and compared with the registers that the
//! metadata give for constants and setup data.

use super::{Results, push};
use crate::dispatch::launch::Launch;
use crate::dispatch::payload::Payload;
use crate::interpolate::{Interpolation, Weights};
use crate::kernel::Kernel;
use crate::pixels::{OutputLayout, Outputs, Pixels};
use crate::registers::{CONTROL, STATE};
use crate::thread::Thread;
use crate::trace::Trace;
use crate::urb::Urb;
use crate::{EmuError, Options, Report, Resources};
use crestline_program::{Barycentric, Dispatch, FragmentMetadata, InputCoverage, StageMetadata};

/// Bit 15 of r0.0, from gen12 on of r1.1: the primitive is back facing.
const BACK_FACING: u32 = 1 << 15;
/// The bits of the layer in the same dword.
const LAYER: u32 = 0x07ff_0000;
/// Bit 3 of cr0.0: channels run by the vector mask, not by the dispatch mask.
const VECTOR_MASK: u32 = 1 << 3;
/// The positions of the only samples of two pixels, in sixteenths: x in the low byte of a word, y in its high byte.
const SAMPLE_POSITIONS: u32 = 0x0808_0808;
/// Contents of payload registers for channels without a pixel.
const NO_PIXEL: u32 = 0xcdcd_cdcd;

/// What the threads of one primitive share.
#[derive(Debug)]
pub(crate) struct PrimitiveSetup {
    /// Its number in the draw call.
    pub(crate) number: u32,
    pub(crate) interpolation: Interpolation,
    /// The depth of the viewport's near and far plane.
    pub(crate) depth_range: [f32; 2],
    pub(crate) back_facing: bool,
    /// The code of its topology: 1 for points, 2 for lines, 4 for triangles (3DPRIM codes of lists).
    pub(crate) topology: u32,
    /// The index of the layer.
    pub(crate) layer: u32,
    /// The setup data: 16 dwords for each attribute. A dword that was never written is `None`.
    pub(crate) setup: Vec<Option<u32>>,
}

impl PrimitiveSetup {
    /// The weights at the centre of a pixel.
    pub(crate) fn weights(&self, [x, y]: [u32; 2]) -> Weights {
        self.interpolation.at(f64::from(x) + 0.5, f64::from(y) + 0.5)
    }

    /// The depth at a position with these weights, between the near and far plane of the viewport.
    pub(crate) fn depth(&self, weights: &Weights) -> f32 {
        let [near, far] = self.depth_range.map(f64::from);
        (near + weights.depth * (far - near)) as f32
    }
}

/// A thread.
#[derive(Debug)]
pub(crate) struct FragmentThread {
    /// The index of its primitive in the batch.
    pub(crate) primitive: usize,
    /// The number of its entry point.
    pub(crate) entry: usize,
    /// The upper left pixel of each block.
    pub(crate) blocks: Vec<[u16; 2]>,
    /// The channels whose pixels the primitive covers.
    pub(crate) covered: u32,
}

impl FragmentThread {
    /// The channels of blocks with at least one covered pixel: the vector mask.
    fn whole_blocks(&self) -> u32 {
        (0..8).map(|block| 0xf << (4 * block)).filter(|block| self.covered & block != 0).sum()
    }
}

/// The entry points of a fragment shader, with what is the same in all threads.
pub(crate) struct EntryPoints<'a> {
    kernel: &'a Kernel,
    pub(crate) metadata: &'a FragmentMetadata,
    layout: OutputLayout,
    entries: Vec<Entry>,
}

struct Entry {
    width: usize,
    payload: Payload,
    /// The first register of the setup data.
    setup: usize,
}

/// Registers of a set of barycentric coordinates, or of another part with a dword for each channel.
fn registers_per_half(width: usize) -> usize {
    width.min(16) / 8
}

/// Channels 0 to 15 and 16 to 31: the number of such halves.
fn halves(width: usize) -> usize {
    width.div_ceil(16)
}

/// The number of registers before the constants.
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
    /// Prepares the entry points.
    ///
    /// # Errors
    /// [`EmuError::Stage`] for another stage's program, [`EmuError::StageInput`] if the registers in the metadata are not
    /// those of the hardware, or an error about a missing resource.
    pub(crate) fn new(
        kernel: &'a Kernel,
        resources: &Resources,
        options: &Options,
    ) -> Result<EntryPoints<'a>, EmuError> {
        let StageMetadata::Fragment(metadata) = &kernel.metadata.stage else {
            return Err(kernel.other_stage("fragment"));
        };
        // Framebuffers have one sample, so a thread that runs once for each sample runs once for each pixel.
        let entry = |dispatch: &Dispatch| {
            let payload = kernel.payload(&dispatch.payload, [1; 3], [1; 3], resources, options)?;
            Entry::new(dispatch, metadata, payload)
        };
        let entries = kernel.metadata.dispatches.iter().map(entry).collect::<Result<_, _>>()?;
        Ok(EntryPoints { kernel, metadata, layout: OutputLayout::new(metadata), entries })
    }

    /// The number of the entry point for `blocks` remaining blocks of a primitive, and the number of blocks of its
    /// threads: the widest entry point that the blocks fill, or the narrowest one. With `width`, only that SIMD width.
    pub(crate) fn choose(&self, blocks: usize, width: Option<u32>) -> Option<(usize, usize)> {
        let fitting = (self.entries.iter().enumerate())
            .filter(|(_, entry)| width.is_none_or(|width| width as usize == entry.width))
            .map(|(number, entry)| (number, entry.width / 4));
        let full =
            fitting.clone().filter(|(_, size)| *size <= blocks).max_by_key(|(_, size)| *size);
        full.or_else(|| fitting.min_by_key(|(_, size)| *size))
    }

    /// Runs threads. Returns their pixels, in the same order.
    pub(crate) fn run(
        &self,
        primitives: &[PrimitiveSetup],
        threads: &[FragmentThread],
        resources: &Resources,
        options: &Options,
        trace: Option<&mut dyn Trace>,
    ) -> Result<(Vec<Pixels>, Report), EmuError> {
        let launch = Fragments { points: self, primitives, threads, results: Results::new() };
        let units = threads.len() as u64;
        let report = self.kernel.run_units(&launch, units, [1; 3], resources, options, trace)?;
        Ok((launch.results.take().collect(), report))
    }
}

/// Threads that run as the units of a dispatch.
struct Fragments<'a> {
    points: &'a EntryPoints<'a>,
    primitives: &'a [PrimitiveSetup],
    threads: &'a [FragmentThread],
    results: Results<Pixels>,
}

impl Fragments<'_> {
    fn thread(&self, unit: u64) -> &FragmentThread {
        &self.threads[unit as usize]
    }

    fn primitive(&self, unit: u64) -> &PrimitiveSetup {
        &self.primitives[self.thread(unit).primitive]
    }
}

impl Launch for Fragments<'_> {
    fn threads(&self) -> u32 {
        1
    }

    fn name(&self, unit: u64) -> [u32; 3] {
        let [x, y] = self.thread(unit).blocks.first().copied().unwrap_or_default();
        [x.into(), y.into(), self.primitive(unit).number]
    }

    fn entry(&self, unit: u64) -> usize {
        self.thread(unit).entry
    }

    fn in_order(&self) -> bool {
        self.points.kernel.program.writes_memory
    }

    fn pixels(&self, unit: u64) -> Option<Pixels> {
        let thread = self.thread(unit);
        Some(Pixels {
            covered: thread.covered,
            blocks: thread.blocks.clone(),
            interpolation: self.primitive(unit).interpolation,
            layout: self.points.layout.clone(),
            outputs: Outputs::default(),
        })
    }

    fn take_pixels(&self, unit: u64, pixels: Pixels) {
        self.results.add(unit, pixels);
    }

    fn mask(&self, unit: u64, _: u32) -> u32 {
        let thread = self.thread(unit);
        if self.points.metadata.vector_mask { thread.whole_blocks() } else { thread.covered }
    }

    fn write(&self, t: &mut Thread, unit: u64, _: u32, _: &Urb) {
        let (thread, primitive) = (self.thread(unit), self.primitive(unit));
        let (metadata, entry) = (self.points.metadata, &self.points.entries[thread.entry]);
        t.registers.set_state(STATE + 8, thread.covered);
        t.registers.set_state(STATE + 12, thread.whole_blocks());
        if metadata.vector_mask {
            t.registers.set_state(CONTROL, t.registers.u32(CONTROL) | VECTOR_MASK);
        }
        let facing = if primitive.back_facing { BACK_FACING } else { 0 };
        let info = facing | primitive.layer << 16 & LAYER;
        let [r0, r1] = match self.points.kernel.device.has_facing_in_r1() {
            false => [primitive.topology | info, 0],
            true => [primitive.topology, info],
        };
        entry.payload.write(t, [r0, 0, 0, unit as u32 & 0xff_ffff, 0], 0);
        for half in 0..halves(entry.width) {
            write_blocks(t, thread, r1, half);
        }
        let weights: Vec<Option<Weights>> = (0..entry.width)
            .map(|channel| {
                let [x, y] = thread.blocks.get(channel / 4)?.map(u32::from);
                let (column, row) = (channel as u32 % 2, channel as u32 / 2 % 2);
                Some(primitive.weights([x + column, y + row]))
            })
            .collect();
        let mut register = 1 + halves(entry.width);
        for half in 0..halves(entry.width) {
            let lanes = 16 * half..(16 * half + 16).min(entry.width);
            let covered = thread.covered >> lanes.start;
            let parts = optional_parts(metadata, primitive, &weights[lanes], covered);
            for (dword, value) in parts.iter().enumerate() {
                t.registers.set(register * 32 + 4 * dword, 4, (*value).into());
            }
            register += parts.len() / 8;
        }
        push(t, entry.setup * 32, &primitive.setup);
    }
}

/// Writes r1 or r2: information about the primitive (from gen12 on), the positions of four blocks, and the pixel mask.
fn write_blocks(t: &mut Thread, thread: &FragmentThread, info: u32, half: usize) {
    let mask = thread.covered >> (16 * half) & 0xffff;
    let mut dwords = [0, info, 0, 0, 0, 0, 0, 0];
    for (dword, [x, y]) in dwords[2..6].iter_mut().zip(thread.blocks.iter().skip(4 * half)) {
        *dword = u32::from(*x) | u32::from(*y) << 16;
    }
    dwords[7] = mask | mask << 16;
    push(t, 32 * (1 + half), &dwords.map(Some));
}

/// The optional parts for the channels of a half, as consecutive dwords. `covered` has the half's channels in its low bits.
fn optional_parts(
    metadata: &FragmentMetadata,
    primitive: &PrimitiveSetup,
    weights: &[Option<Weights>],
    covered: u32,
) -> Vec<u32> {
    let values = |of: &dyn Fn(&Weights) -> f32| -> Vec<u32> {
        let value = |weights: &Option<Weights>| {
            weights.as_ref().map_or(NO_PIXEL, |weights| of(weights).to_bits())
        };
        weights.iter().map(value).collect()
    };
    let mut dwords = Vec::new();
    for barycentric in &metadata.barycentrics {
        let linear = matches!(
            barycentric,
            Barycentric::LinearPixel | Barycentric::LinearCentroid | Barycentric::LinearSample
        );
        // Pixel, centroid and sample are at the same place, because a pixel has only one sample.
        let [second, third] = [1, 2].map(|vertex| {
            values(&|weights| {
                (if linear { weights.linear } else { weights.perspective })[vertex] as f32
            })
        });
        for (second, third) in second.chunks(8).zip(third.chunks(8)) {
            dwords.extend(second);
            dwords.extend(third);
        }
    }
    if metadata.source_depth {
        dwords.extend(values(&|weights| primitive.depth(weights)));
    }
    if metadata.source_w {
        dwords.extend(values(&|weights| weights.w as f32));
    }
    if metadata.position_offsets {
        dwords.extend([SAMPLE_POSITIONS; 8]);
    }
    if metadata.input_coverage != InputCoverage::Off {
        dwords.extend((0..weights.len()).map(|channel| covered >> channel & 1));
    }
    dwords
}
