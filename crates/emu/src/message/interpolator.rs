//! Messages to the pixel interpolator: they return barycentric coordinates at positions that a fragment shader chooses.
//!
//! The thread payload has such weights only at fixed places of a pixel, such as its centre. The inputs of a message are
//! the kind of position and, where needed, an offset or a sample number. The result for each channel is the weights of
//! the second and third vertex of the primitive at that position in the channel's pixel.

use super::{Call, World};
use crate::pixels::Pixels;
use crate::samples;
use crate::thread::{Fault, Thread};
use crestline_isa::message::InterpolateAt;

/// The fields of the descriptor of a message.
#[derive(Clone, Copy)]
pub(super) struct Request {
    pub(super) at: InterpolateAt,
    /// For [`InterpolateAt::Offset`], x in bits 3:0 and y in bits 7:4, in sixteenths of a pixel from the centre; for
    /// [`InterpolateAt::Sample`], the number of the sample in bits 7:4.
    pub(super) data: u8,
    /// Whether the message is for channels 16 to 31 of the thread, not for channels 0 to 15.
    pub(super) upper: bool,
    /// Whether the weights are linear in the framebuffer, not perspective-correct.
    pub(super) linear: bool,
    /// Whether the message has 16 channels, not 8.
    pub(super) simd16: bool,
}

/// The fraction that the low four bits encode: a signed number of sixteenths.
fn sixteenths(bits: u32) -> f64 {
    f64::from((bits << 28).cast_signed() >> 28) / 16.0
}

/// Executes a message to the pixel interpolator. For each eight channels, the response has a register with the weights
/// of the second vertex, and then one with the weights of the third vertex.
pub(super) fn execute(call: &Call<'_>, t: &mut Thread, world: &World<'_>, request: Request) {
    let Some(pixels) = world.pixels.as_deref() else {
        t.fail(Fault::Message("a pixel interpolator message outside of a fragment shader".into()));
        return;
    };
    let lanes = if request.simd16 { 16 } else { 8 };
    let offsets = request.at == InterpolateAt::PerSlotOffset;
    if !call.fits(t, if offsets { lanes / 4 } else { 1 }, lanes / 4) {
        return;
    }
    for lane in call.channels(lanes) {
        let channel = lane + if request.upper { 16 } else { 0 };
        let offset = |[x, y]: [u32; 2]| [x, y].map(|bits| 0.5 + sixteenths(bits));
        let within = match request.at {
            InterpolateAt::Offset => offset([request.data.into(), u32::from(request.data) >> 4]),
            InterpolateAt::PerSlotOffset => offset([0, 1].map(|i| call.dword(t, i, lanes, lane))),
            InterpolateAt::Sample => samples::position(pixels.samples, request.data >> 4),
            InterpolateAt::Centroid => pixels
                .of_channel(channel)
                .map_or([0.5; 2], |(block, pixel)| block.centroid(pixel, pixels.samples)),
        };
        let [second, third] = weights(pixels, channel, within, request.linear);
        let first = lane / 8 * 16 + lane % 8;
        call.respond(t, first, second.to_bits());
        call.respond(t, first + 8, third.to_bits());
    }
}

/// The weights of the second and third vertex at a place in the pixel of a channel. `within` is the place, in pixels
/// from the pixel's upper left corner. The weights of channels without a pixel are 0.
fn weights(pixels: &Pixels, channel: usize, within: [f64; 2], linear: bool) -> [f32; 2] {
    let Some((block, pixel)) = pixels.of_channel(channel) else { return [0.0; 2] };
    let [x, y] = block.pixel(pixel).map(f64::from);
    let weights = pixels.interpolation.at(x + within[0], y + within[1]);
    let weights = if linear { weights.linear() } else { weights.perspective };
    [weights[1] as f32, weights[2] as f32]
}
