//! Depth and stencil tests, and the output merger, which writes the outputs of threads into the attachments.
//!
//! Tests, blending and writes happen for each sample. If a channel computed a whole pixel, its outputs are merged into
//! each sample of the pixel that is covered, selected by the sample masks, and passes the tests.

use super::blend::{blend, logic};
use super::state::{DrawState, StencilOp, StencilTest};
use crate::dispatch::PrimitiveSetup;
use crate::framebuffer::{ColourRows, DepthRows, Rows};
use crate::mask::lanes_of;
use crate::pixels::{Block, Colours, Pixels};
use crate::samples;
use crate::texel::{decode, encode_colour, is_integer};
use crestline_device::CompareOp;

/// A sample of a fragment, for the depth and stencil tests.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fragment {
    /// The position of the pixel.
    pub(super) place: [u32; 2],
    /// The number of the sample in its pixel.
    pub(super) sample: u8,
    pub(super) depth: f32,
    /// The depths of the viewport's near and far plane.
    pub(super) depth_range: [f32; 2],
    /// The layer of the framebuffer.
    pub(super) layer: u32,
    pub(super) back_facing: bool,
    /// The reference value of the stencil test, if the shader computed it.
    pub(super) stencil: Option<u8>,
}

/// The number of samples whose depths are computed at once.
const GROUP: usize = 8;

/// Whether a comparison passes.
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

/// The new value in the stencil attachment, given the old one and the reference.
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

/// The depth and stencil tests and the output merger, for some rows of pixels. The tests come before the shader if the shader requests it
/// (`early_tests` of its metadata), or if nothing that the shader does can change their result.
pub(super) struct Merger<'a> {
    pub(super) state: &'a DrawState,
    pub(super) rows: Rows<'a>,
    /// Whether the depth and stencil tests come before the shader.
    pub(super) early_tests: bool,
}

impl Merger<'_> {
    /// Whether a sample can fail a test, or change the depth or stencil attachment.
    fn has_tests(&self) -> bool {
        self.state.depth.is_some()
            || self.state.stencil.is_some()
            || self.state.depth_bounds.is_some()
    }

    /// Performs the depth bounds, stencil and depth tests of a sample, and updates both attachments. Returns whether the
    /// sample passed all tests.
    pub(super) fn test(&mut self, fragment: &Fragment) -> bool {
        let index = self.rows.index(fragment.layer, fragment.place, fragment.sample);
        if let (Some([low, high]), Some(DepthRows { format, stored })) =
            (self.state.depth_bounds, &self.rows.depth)
        {
            let depth = format.decode(stored[index]);
            if depth < low || depth > high {
                return false;
            }
        }
        let [near, far] = fragment.depth_range;
        let depth = match self.state.depth_clamp {
            true => fragment.depth.max(near.min(far)).min(near.max(far)),
            false => fragment.depth,
        };
        let depth_passes = match (self.state.depth, &self.rows.depth) {
            (Some(test), Some(DepthRows { format, stored })) => {
                passes(test.compare, format.encode(depth), stored[index])
            }
            _ => true,
        };
        let mut stencil_passes = true;
        if let (Some(tests), Some(values)) = (&self.state.stencil, &mut self.rows.stencil) {
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
            && let Some(DepthRows { format, stored }) = &mut self.rows.depth
        {
            stored[index] = format.encode(depth);
        }
        passed
    }

    /// Performs the tests of the covered samples of a block before the shader runs, and removes the samples that fail
    /// from the block's `live` masks.
    pub(super) fn test_block(
        &mut self,
        primitive: &PrimitiveSetup,
        block: &mut Block,
        samples: u32,
    ) {
        if !self.has_tests() {
            return;
        }
        let mut covered = (0..4).flat_map(|pixel| {
            let samples = lanes_of(block.covered[pixel].into());
            samples.map(move |sample| (pixel, sample as u8))
        });
        let mut live = block.live;
        loop {
            // The depths of eight samples are computed at once.
            let mut group = [(0, 0); GROUP];
            let mut count = 0;
            for (place, sample) in group.iter_mut().zip(&mut covered) {
                *place = sample;
                count += 1;
            }
            if count == 0 {
                break;
            }
            let group = &group[..count];
            let depths = primitive.depths(|places| {
                for (i, &(pixel, sample)) in group.iter().enumerate() {
                    let within = samples::position(samples, sample);
                    for (axis, at) in block.pixel(pixel).into_iter().enumerate() {
                        places[axis][i] = f64::from(at) + within[axis];
                    }
                }
            });
            for (&(pixel, sample), depth) in group.iter().zip(depths) {
                let fragment = Fragment {
                    place: block.pixel(pixel),
                    sample,
                    depth,
                    depth_range: primitive.depth_range,
                    layer: primitive.layer,
                    back_facing: primitive.back_facing,
                    stencil: None,
                };
                if !self.test(&fragment) {
                    live[pixel] &= !(1 << sample);
                }
            }
            if count < GROUP {
                break;
            }
        }
        block.live = live;
    }

    /// Merges the outputs of a thread into the attachments. The samples of a pixel that change are those for which the
    /// pixel's channel ran, that the shader's sample mask contains, and that alpha to coverage selects. Returns the
    /// number of samples that also passed the tests after the shader.
    pub(super) fn merge(&mut self, primitive: &PrimitiveSetup, pixels: &Pixels) -> u64 {
        let outputs = &pixels.outputs;
        let tests = !self.early_tests && self.has_tests();
        let masks = outputs.sample_mask.is_some() || self.state.alpha_to_coverage;
        if !tests && !masks {
            return self.merge_colours(primitive.layer, pixels);
        }
        let mut passed = 0;
        for channel in lanes_of(outputs.alive & pixels.covered) {
            let Some((block, pixel)) = pixels.of_channel(channel) else { continue };
            let place = block.pixel(pixel);
            let chosen = outputs.sample_mask.map_or(u16::MAX, |masks| masks[channel]);
            // A thread can have several messages for an attachment, each for some of the channels.
            let has = |colours: &&Colours| colours.target == 0 && colours.mask >> channel & 1 == 1;
            let by_alpha = match self.state.alpha_to_coverage {
                true => outputs.colours.iter().find(has),
                false => None,
            };
            let by_alpha = by_alpha.map_or(u16::MAX, |first| self.by_alpha(first, channel));
            for sample in lanes_of(u32::from(block.shaded(pixel) & chosen & by_alpha)) {
                let passes = self.merge_sample(primitive, pixels, channel, place, sample as u8);
                passed += u64::from(passes);
            }
        }
        passed
    }

    /// Merges the outputs of a thread into the attachments, if no tests come after the shader, and neither a sample mask nor alpha
    /// to coverage can exclude a sample. Returns the number of samples.
    fn merge_colours(&mut self, layer: u32, pixels: &Pixels) -> u64 {
        let outputs = &pixels.outputs;
        let alive = outputs.alive & pixels.covered;
        for colours in &outputs.colours {
            let target = self.rows.colours.get_mut(usize::from(colours.target));
            let Some(mut target) = target.and_then(Option::take) else { continue };
            let number = usize::from(colours.blend_state);
            let size = target.format.bytes() as usize;
            let replaces = replaces(self.state, number);
            for channel in lanes_of(alive & colours.mask) {
                let Some((block, pixel)) = pixels.of_channel(channel) else { continue };
                let first = self.rows.index(layer, block.pixel(pixel), 0);
                let colour = colours.values[channel];
                if replaces {
                    // All samples get the same bytes.
                    let mut bytes = [0; 16];
                    encode_colour(target.format, colour, &mut bytes[..size]);
                    for sample in lanes_of(block.shaded(pixel).into()) {
                        let at = (first + sample) * size;
                        target.texels[at..at + size].copy_from_slice(&bytes[..size]);
                    }
                    continue;
                }
                let second = colours.second.as_ref().map(|second| second[channel]);
                for sample in lanes_of(block.shaded(pixel).into()) {
                    write(self.state, number, &mut target, first + sample, colour, second);
                }
            }
            self.rows.colours[usize::from(colours.target)] = Some(target);
        }
        let of_channel = |channel| {
            let (block, pixel) = pixels.of_channel(channel)?;
            Some(u64::from(block.shaded(pixel).count_ones()))
        };
        lanes_of(alive).filter_map(of_channel).sum()
    }

    /// The mask of the samples that alpha to coverage selects for a channel: those with a threshold below alpha. All
    /// samples if alpha to coverage is off, or if the channel wrote no colour here. The alpha is that of attachment 0
    /// if the message contains it in addition to the colours, else that of the colours themselves.
    fn by_alpha(&self, colours: &Colours, channel: usize) -> u16 {
        if !self.state.alpha_to_coverage || colours.mask >> channel & 1 == 0 {
            return u16::MAX;
        }
        let own = || colours.values[channel][3];
        let alpha = f32::from_bits(colours.alpha.as_ref().map_or_else(own, |all| all[channel]));
        let samples = self.rows.samples();
        let passes = |sample: u32| alpha > sample as f32 / samples as f32;
        (0..samples).map(|sample| u16::from(passes(sample)) << sample).sum()
    }

    /// Merges the outputs of a channel into one sample of the pixel at `place`, after the tests if these come after the
    /// shader. Returns whether the sample passed these tests.
    fn merge_sample(
        &mut self,
        primitive: &PrimitiveSetup,
        pixels: &Pixels,
        channel: usize,
        place: [u32; 2],
        sample: u8,
    ) -> bool {
        let outputs = &pixels.outputs;
        if !self.early_tests && self.has_tests() {
            let depth = match outputs.depth {
                Some(depths) => f32::from_bits(depths[channel]),
                None => {
                    let within = samples::position(pixels.samples, sample);
                    primitive.depth(&primitive.weights(place, within))
                }
            };
            let stencil = outputs.stencil.map(|stencils| stencils[channel]);
            let &PrimitiveSetup { depth_range, layer, back_facing, .. } = primitive;
            let fragment =
                Fragment { place, sample, depth, depth_range, layer, back_facing, stencil };
            if !self.test(&fragment) {
                return false;
            }
        }
        let index = self.rows.index(primitive.layer, place, sample);
        for colours in &outputs.colours {
            let passes = self.by_alpha(colours, channel) >> sample & 1 == 1;
            if colours.mask >> channel & 1 == 0 || !passes {
                continue;
            }
            let target = self.rows.colours.get_mut(usize::from(colours.target));
            let Some(target) = target.and_then(Option::as_mut) else { continue };
            let second = colours.second.as_ref().map(|second| second[channel]);
            let state = usize::from(colours.blend_state);
            write(self.state, state, target, index, colours.values[channel], second);
        }
        true
    }
}

/// Whether colours replace those of the attachment: there is no blending, no logical operation, and no component is left out.
/// `number` is as for [`write`].
fn replaces(state: &DrawState, number: usize) -> bool {
    let own = &state.colours[number];
    own.blend.is_none() && state.logic_op.is_none() && own.write_mask & 0xf == 0xf
}

/// Writes a colour to texel number `index` of an attachment, with blending or a logical operation. `number` selects the
/// attachment whose blend state and write mask apply. `second` is the second colour for blending.
fn write(
    state: &DrawState,
    number: usize,
    target: &mut ColourRows<'_>,
    index: usize,
    source: [u32; 4],
    second: Option<[u32; 4]>,
) {
    let ColourRows { format, texels } = target;
    let size = format.bytes() as usize;
    let texel = &mut texels[index * size..(index + 1) * size];
    let own = &state.colours[number];
    if replaces(state, number) {
        encode_colour(*format, source, texel);
        return;
    }
    let info = format.info();
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
    if own.write_mask & 0xf == 0xf {
        texel.copy_from_slice(&bytes[..size]);
        return;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixed::DepthTest;
    use crate::framebuffer::{DepthFormat, Framebuffer};

    /// The depth bounds test compares the depth in the attachment. A sample that fails changes neither attachment.
    #[test]
    fn depth_bounds_are_about_the_attachment() {
        let depths = [0.0f32, 0.25, 0.5, 0.75];
        let mut framebuffer = Framebuffer::with_layers([2, 1], 1, 2).unwrap();
        framebuffer.set_depth(DepthFormat::Float32, depths.map(f32::to_bits).to_vec()).unwrap();
        framebuffer.clear_stencil(7);
        let mut state = DrawState::new([2, 1]);
        state.depth = Some(DepthTest { compare: CompareOp::Always, write: true });
        state.depth_bounds = Some([0.25, 0.5]);
        state.stencil =
            Some([StencilTest { pass: StencilOp::IncrementAndClamp, ..StencilTest::default() }; 2]);
        let rows = framebuffer.split(None).next().unwrap();
        let mut merger = Merger { state: &state, rows, early_tests: false };
        let passed: Vec<bool> = (0..4)
            .map(|number| {
                merger.test(&Fragment {
                    place: [number % 2, 0],
                    sample: 0,
                    depth: 0.875,
                    depth_range: [0.0, 1.0],
                    layer: number / 2,
                    back_facing: false,
                    stencil: None,
                })
            })
            .collect();
        assert_eq!(passed, [false, true, true, false]);
        assert_eq!(framebuffer.depths().unwrap(), [0.0, 0.875, 0.875, 0.75]);
        assert_eq!(framebuffer.stencils().unwrap(), [7, 8, 8, 7]);
    }
}
