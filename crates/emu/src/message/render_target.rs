//! Render target writes: the messages by which a fragment shader's thread writes the colours, depth, stencil values and
//! sample masks of its pixels.
//!
//! This module reads them from the payload and appends them to [`Outputs`](crate::pixels::Outputs). The tests and the
//! blending follow after the thread has ended (`fixed::merge`).

use super::{Bound, Call, World};
use crate::Problem;
use crate::mask::lanes_of;
use crate::pixels::{CHANNELS, Colours};
use crate::thread::{Fault, Thread};
use crestline_isa::message::{Bti, RtSubtype};

/// Number of registers of the header. They are copies of r0 and r1 of the thread.
const HEADER: usize = 2;
/// The dword of the header with the index of the blend state, in bits 2:0.
const BLEND_STATE: usize = 2;
/// The first of the four dwords of the header with the positions of 2x2 blocks of pixels: x in the low half, y in the
/// high half.
const BLOCKS: usize = 10;
/// The dword of the header with the pixel mask, in bits 15:0.
const PIXEL_MASK: usize = 15;

/// The channels of a message, and the form of its colours.
#[derive(Clone, Copy)]
struct Form {
    /// Number of channels of the message.
    lanes: usize,
    /// The number (0 or 8) of its first channel among the 16 channels of the header's pixel mask and blocks.
    first: usize,
    /// Whether all channels have the same colour, which is in one register.
    replicated: bool,
    /// Whether each channel has two colours, for blending with two sources.
    dual: bool,
}

/// The form of a message; `None` if the emulator does not support it.
fn form(subtype: RtSubtype) -> Option<Form> {
    let (lanes, first, replicated, dual) = match subtype {
        RtSubtype::Simd16 => (16, 0, false, false),
        RtSubtype::Simd16Replicated => (16, 0, true, false),
        RtSubtype::Simd8 => (8, 0, false, false),
        RtSubtype::Simd8DualLow => (8, 0, false, true),
        RtSubtype::Simd8DualHigh => (8, 8, false, true),
        _ => return None,
    };
    Some(Form { lanes, first, replicated, dual })
}

/// Whether the emulator supports the form of a message.
pub(super) fn supports(subtype: RtSubtype) -> bool {
    form(subtype).is_some()
}

/// The first register in the payload of each part of a message; `None` for parts that the message does not have.
struct Parts {
    /// The alpha of attachment 0.
    alpha: Option<usize>,
    sample_mask: Option<usize>,
    colours: usize,
    /// The second colours for blending.
    second: Option<usize>,
    depth: Option<usize>,
    stencil: Option<usize>,
    /// Number of registers of the whole payload.
    count: usize,
}

/// Executes a render target write. If `upper` is set, the channels of the header are channels 16 to 31 of the thread,
/// else 0 to 15. `last` is the descriptor's `Last Render Target Select`: the thread writes no attachment after it.
pub(super) fn write(
    call: &Call<'_>,
    t: &mut Thread,
    world: &mut World<'_>,
    bti: Bti,
    subtype: RtSubtype,
    upper: bool,
    last: bool,
) {
    let (Some(form), Some(pixels)) = (form(subtype), world.pixels.as_deref()) else {
        t.fail(Fault::Message("a render target write outside of a fragment shader".into()));
        return;
    };
    if pixels.outputs.last {
        t.report(Problem::WriteAfterLast, None);
    }
    let target = match world.surfaces.get(usize::from(bti.0)) {
        Some(Bound::RenderTarget(target)) => Some(*target),
        Some(Bound::Null) => None,
        Some(Bound::Unbound) | None => {
            t.report(Problem::Unbound { index: bti.0 }, None);
            None
        }
        Some(Bound::Buffer(_) | Bound::Image(_) | Bound::Other(_)) => {
            t.fail(Fault::Message("a render target write to another surface".into()));
            return;
        }
    };
    let has_header = call.descriptor.header_present;
    let header = |t: &mut Thread, dword| if has_header { call.header(t, dword) } else { 0 };
    let flags = header(t, 0);
    let layout = &pixels.layout;
    let parts = parts(&form, has_header, flags, layout.sample_mask, layout.depth, layout.stencil);
    if !call.fits(t, parts.count, 0) {
        return;
    }
    let given = usize::from(call.descriptor.mlen) + usize::from(call.descriptor.ex_mlen);
    if given != parts.count {
        let (given, expected) = (given as u8, parts.count as u8);
        t.report(Problem::PixelPayload { given, expected }, None);
    }
    let written = target.and_then(|target| layout.components.get(usize::from(target))).copied();
    let first = form.first + if upper { 16 } else { 0 };
    let all = u32::MAX >> (32 - form.lanes);
    let covered = pixels.covered >> first & all;
    let mut enabled = all & if call.wide { call.mask >> form.first } else { call.mask };
    if has_header {
        let own = header(t, PIXEL_MASK) >> form.first;
        enabled &= own;
        let foreign = enabled & !covered != 0;
        let moved = lanes_of(enabled & covered).any(|lane| {
            let block = header(t, BLOCKS + (form.first + lane) / 4);
            let position = [block as u16, (block >> 16) as u16];
            pixels.of_channel(first + lane).is_none_or(|(block, _)| block.place != position)
        });
        if foreign || moved {
            t.report(Problem::PixelHeader, None);
        }
    } else if world.headerless_writes_all_pixels {
        enabled = all;
    }
    enabled &= covered;
    let blend_state = (header(t, BLEND_STATE) & 7) as u8;

    let size = form.lanes / 8;
    let place = |part: usize, lane: usize| call.payload(part + lane / 8) + lane % 8 * 4;
    // The registers of components that the shader does not write are undefined: they may be unwritten without a report.
    let must_be_written = |i: usize| written.is_some_and(|components| components >> i & 1 == 1);
    let read_colours = |t: &mut Thread, part: usize, values: &mut [[u32; 4]; CHANNELS]| {
        for (i, group) in (0..4).flat_map(|i| (0..size).map(move |group| (i, group))) {
            let lanes = enabled >> (8 * group) & 0xff;
            let (at, step, bytes) = match form.replicated {
                true => (call.payload(part) + 4 * i, 0, 4),
                false => (place(part + i * size, 8 * group), 4, 32),
            };
            if must_be_written(i) && !t.registers.all_written(at, bytes) {
                for lane in lanes_of(lanes) {
                    t.written_u32(at + step * lane, first + 8 * group + lane);
                }
            }
            let dwords: [u32; 8] = match form.replicated {
                true => [t.registers.u32(at); 8],
                false => t.registers.packed(at),
            };
            for lane in lanes_of(lanes) {
                values[first + 8 * group + lane][i] = dwords[lane];
            }
        }
    };
    let Some(outputs) = world.pixels.as_deref_mut().map(|pixels| &mut pixels.outputs) else {
        return;
    };
    let mut colours = target.map(|target| Colours {
        target,
        blend_state,
        mask: enabled << first,
        values: outputs.values(),
        alpha: parts.alpha.map(|_| Box::new([0; CHANNELS])),
        second: parts.second.map(|_| Box::new([[0; 4]; CHANNELS])),
    });
    if let Some(colours) = &mut colours {
        read_colours(t, parts.colours, &mut colours.values);
        if let (Some(values), Some(part)) = (&mut colours.second, parts.second) {
            read_colours(t, part, values);
        }
    }
    for lane in lanes_of(enabled) {
        let channel = first + lane;
        if let Some(colours) = &mut colours
            && let (Some(values), Some(part)) = (&mut colours.alpha, parts.alpha)
        {
            values[channel] = t.written_u32(place(part, lane), channel);
        }
        if let Some(part) = parts.depth {
            let depth = t.written_u32(place(part, lane), channel);
            outputs.depth.get_or_insert([0; CHANNELS])[channel] = depth;
        }
        if let Some(part) = parts.stencil {
            let at = call.payload(part) + lane;
            if !t.registers.all_written(at, 1) {
                t.report_unwritten(at, 1, Some(channel as u8));
            }
            let value = t.registers.bits(at, 1) as u8;
            outputs.stencil.get_or_insert([0; CHANNELS])[channel] = value;
        }
        if let Some(part) = parts.sample_mask {
            let at = call.payload(part) + 2 * (form.first + lane);
            if !t.registers.all_written(at, 2) {
                t.report_unwritten(at, 2, Some(channel as u8));
            }
            let value = t.registers.bits(at, 2) as u16;
            outputs.sample_mask.get_or_insert([0; CHANNELS])[channel] = value;
        }
    }
    outputs.last |= last;
    outputs.alive |= enabled << first;
    outputs.colours.extend(colours);
}

/// Computes where the parts of a payload are. Their order is: header, alpha of attachment 0, sample mask, colours,
/// second colours, depth, stencil. `flags` is dword 0 of the header; its bit 11 says that the alpha is present.
/// `header`, `sample_mask`, `depth` and `stencil` tell whether the payload has these parts.
fn parts(
    form: &Form,
    header: bool,
    flags: u32,
    sample_mask: bool,
    depth: bool,
    stencil: bool,
) -> Parts {
    let size = form.lanes / 8;
    let mut count = if header { HEADER } else { 0 };
    let mut take = |present: bool, registers: usize| {
        let at = count;
        count += if present { registers } else { 0 };
        present.then_some(at)
    };
    let alpha = take(flags >> 11 & 1 == 1, size);
    let sample_mask = take(sample_mask, 1);
    let colours = take(true, if form.replicated { 1 } else { 4 * size }).unwrap_or_default();
    let second = take(form.dual, 4 * size);
    let depth = take(depth, size);
    let stencil = take(stencil, 1);
    Parts { alpha, sample_mask, colours, second, depth, stencil, count }
}
