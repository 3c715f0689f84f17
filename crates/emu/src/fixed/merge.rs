//! Depth and stencil tests, and the output merger.

use super::blend::{blend, logic};
use super::state::{DrawState, StencilOp, StencilTest};
use crate::dispatch::PrimitiveSetup;
use crate::framebuffer::{Colour, Depth, Framebuffer};
use crate::mask::lanes_of;
use crate::pixels::{Block, Colours, Pixels};
use crate::samples;
use crate::texel::{decode, encode_colour, is_integer};
use crestline_device::CompareOp;

/// A sample of a fragment, for the depth and stencil tests.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fragment {
    pub(super) place: [u32; 2],
    /// The number of the sample.
    pub(super) sample: u8,
    pub(super) depth: f32,
    pub(super) back_facing: bool,
    /// The reference of the stencil test, if the shader computes it.
    pub(super) stencil: Option<u8>,
}

fn passes<T: PartialOrd>(op: CompareOp, fragment: T, attachment: T) -> bool {
    match op {
        CompareOp::Never => false,
        CompareOp::Less => fragment < attachment,
        CompareOp::Equal => fragment == attachment,
        CompareOp::LessOrEqual => fragment <= attachment,
        CompareOp::Greater => fragment > attachment,
        CompareOp::NotEqual => fragment != attachment,
        CompareOp::GreaterOrEqual => fragment >= attachment,
        CompareOp::Always => true,
    }
}

/// The new value of the stencil attachment.
fn stencil_result(test: &StencilTest, op: StencilOp, value: u8, reference: u8) -> u8 {
    let result = match op {
        StencilOp::Keep => value,
        StencilOp::Zero => 0,
        StencilOp::Replace => reference,
        StencilOp::IncrementAndClamp => value.saturating_add(1),
        StencilOp::DecrementAndClamp => value.saturating_sub(1),
        StencilOp::Invert => !value,
        StencilOp::IncrementAndWrap => value.wrapping_add(1),
        StencilOp::DecrementAndWrap => value.wrapping_sub(1),
    };
    value & !test.write_mask | result & test.write_mask
}

/// The functions after the shader. Depth and stencil tests come before the shader if their result cannot depend on it.
pub(super) struct Merger<'a> {
    pub(super) state: &'a DrawState,
    pub(super) framebuffer: &'a mut Framebuffer,
    /// Whether the depth and stencil tests come before the shader.
    pub(super) early_tests: bool,
}

impl Merger<'_> {
    /// The position of a sample in the attachments, in samples.
    fn index(&self, [x, y]: [u32; 2], sample: u8) -> usize {
        let pixel = y as usize * self.framebuffer.size()[0] as usize + x as usize;
        pixel * self.framebuffer.samples() as usize + usize::from(sample)
    }

    /// Tests a sample and updates the depth and stencil attachments. Returns whether it passed.
    pub(super) fn test(&mut self, fragment: &Fragment) -> bool {
        let index = self.index(fragment.place, fragment.sample);
        let [near, far] = self.state.viewport.depth;
        let depth = match self.state.depth_clamp {
            true => fragment.depth.max(near.min(far)).min(near.max(far)),
            false => fragment.depth,
        };
        let depth_passes = match (self.state.depth, &self.framebuffer.depth) {
            (Some(test), Some(Depth { format, stored })) => {
                passes(test.compare, format.encode(depth), stored[index])
            }
            _ => true,
        };
        let mut stencil_passes = true;
        if let (Some(tests), Some(values)) = (&self.state.stencil, &mut self.framebuffer.stencil) {
            let test = &tests[usize::from(fragment.back_facing)];
            let (value, reference) = (values[index], fragment.stencil.unwrap_or(test.reference));
            stencil_passes =
                passes(test.compare, reference & test.read_mask, value & test.read_mask);
            let op = match (stencil_passes, depth_passes) {
                (false, _) => test.fail,
                (true, false) => test.depth_fail,
                (true, true) => test.pass,
            };
            values[index] = stencil_result(test, op, value, reference);
        }
        let passed = depth_passes && stencil_passes;
        if passed
            && let Some(test) = self.state.depth
            && test.write
            && let Some(Depth { format, stored }) = &mut self.framebuffer.depth
        {
            stored[index] = format.encode(depth);
        }
        passed
    }

    /// Tests the samples of a block before the shader, and takes those that fail from `live`.
    pub(super) fn test_block(
        &mut self,
        primitive: &PrimitiveSetup,
        block: &mut Block,
        samples: u32,
    ) {
        for pixel in 0..4 {
            let place = block.pixel(pixel);
            for sample in lanes_of(block.covered[pixel].into()) {
                let weights = primitive.weights(place, samples::position(samples, sample as u8));
                let fragment = Fragment {
                    place,
                    sample: sample as u8,
                    depth: primitive.depth(&weights),
                    back_facing: primitive.back_facing,
                    stencil: None,
                };
                if !self.test(&fragment) {
                    block.live[pixel] &= !(1 << sample);
                }
            }
        }
    }

    /// Merges what a thread wrote into the attachments.
    pub(super) fn merge(&mut self, primitive: &PrimitiveSetup, pixels: &Pixels) {
        let outputs = &pixels.outputs;
        for channel in lanes_of(outputs.alive & pixels.covered) {
            let Some((block, pixel)) = pixels.of_channel(channel) else { continue };
            let place = block.pixel(pixel);
            let chosen = outputs.sample_mask.map_or(u16::MAX, |masks| masks[channel]);
            let first = outputs.colours.iter().find(|colours| colours.target == 0);
            let by_alpha = first.map_or(u16::MAX, |first| self.by_alpha(first, channel));
            for sample in lanes_of(u32::from(block.shaded(pixel) & chosen & by_alpha)) {
                self.merge_sample(primitive, pixels, channel, place, sample as u8);
            }
        }
    }

    /// The samples of a channel that its alpha lets through.
    fn by_alpha(&self, colours: &Colours, channel: usize) -> u16 {
        if !self.state.alpha_to_coverage || colours.mask >> channel & 1 == 0 {
            return u16::MAX;
        }
        let own = || colours.values[channel][3];
        let alpha = f32::from_bits(colours.alpha.as_ref().map_or_else(own, |all| all[channel]));
        let samples = self.framebuffer.samples();
        let passes = |sample: u32| alpha > sample as f32 / samples as f32;
        (0..samples).map(|sample| u16::from(passes(sample)) << sample).sum()
    }

    /// Merges what a channel wrote into one sample of a pixel.
    fn merge_sample(
        &mut self,
        primitive: &PrimitiveSetup,
        pixels: &Pixels,
        channel: usize,
        place: [u32; 2],
        sample: u8,
    ) {
        let outputs = &pixels.outputs;
        if !self.early_tests {
            let depth = match outputs.depth {
                Some(depths) => f32::from_bits(depths[channel]),
                None => {
                    let within = samples::position(pixels.samples, sample);
                    primitive.depth(&primitive.weights(place, within))
                }
            };
            let stencil = outputs.stencil.map(|stencils| stencils[channel]);
            let back_facing = primitive.back_facing;
            if !self.test(&Fragment { place, sample, depth, back_facing, stencil }) {
                return;
            }
        }
        let index = self.index(place, sample);
        for colours in &outputs.colours {
            let passes = self.by_alpha(colours, channel) >> sample & 1 == 1;
            if colours.mask >> channel & 1 == 0 || !passes {
                continue;
            }
            let target = self.framebuffer.colours.get_mut(usize::from(colours.target));
            let Some(target) = target.and_then(Option::as_mut) else { continue };
            let second = colours.second.as_ref().map(|second| second[channel]);
            let state = usize::from(colours.blend_state);
            write(self.state, state, target, index, colours.values[channel], second);
        }
    }
}

/// Writes a colour to a texel, with blending or a logical operation. `number` selects the blend state.
fn write(
    state: &DrawState,
    number: usize,
    target: &mut Colour,
    index: usize,
    source: [u32; 4],
    second: Option<[u32; 4]>,
) {
    let Colour { format, texels } = target;
    let size = format.bytes() as usize;
    let texel = &mut texels[index * size..(index + 1) * size];
    let info = format.info();
    let own = &state.colours[number];
    let mut bytes = [0; 16];
    match own.blend {
        Some(equations) if state.logic_op.is_none() && !is_integer(*format) => {
            let colours = [source, second.unwrap_or(source), decode(*format, texel)]
                .map(|colour| colour.map(f32::from_bits));
            let blended = blend(*format, &equations, state.blend_constants, colours);
            encode_colour(*format, blended.map(f32::to_bits), &mut bytes[..size]);
        }
        _ => encode_colour(*format, source, &mut bytes[..size]),
    }
    if let Some(op) = state.logic_op {
        logic(*format, op, &mut bytes[..size], texel);
    }
    let mut written = 0u128;
    for (i, channel) in info.channels.iter().enumerate() {
        if let Some(channel) = channel
            && own.write_mask >> i & 1 == 1
        {
            written |= (u128::MAX >> (128 - u32::from(channel.bits))) << channel.shift;
        }
    }
    for (i, byte) in texel.iter_mut().enumerate() {
        let mask = (written >> (8 * i)) as u8;
        *byte = *byte & !mask | bytes[i] & mask;
    }
}
