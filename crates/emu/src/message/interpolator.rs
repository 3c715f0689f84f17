//! Messages to the pixel interpolator: barycentric coordinates at other positions than the thread payload has.

use super::{Call, World};
use crate::pixels::Pixels;
use crate::samples;
use crate::thread::{Fault, Thread};
use crestline_isa::message::InterpolateAt;

/// The fields of a message.
#[derive(Clone, Copy)]
pub(super) struct Request {
    pub(super) at: InterpolateAt,
    /// An offset: x in bits 3:0 and y in bits 7:4; or the number of a sample in bits 7:4.
    pub(super) data: u8,
    /// Channels 16 to 31 of the thread.
    pub(super) upper: bool,
    /// Weights that are linear in the framebuffer.
    pub(super) linear: bool,
    /// Sixteen channels, not eight.
    pub(super) simd16: bool,
}

/// A signed number of sixteenths in the low four bits.
fn sixteenths(bits: u32) -> f64 {
    f64::from((bits << 28).cast_signed() >> 28) / 16.0
}

/// Executes a message to the pixel interpolator. For each eight channels, the response is a register with the weight of
/// the second vertex and one with that of the third vertex.
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

/// The weights of the second and third vertex at a place in a channel's pixel, given from its upper left corner.
fn weights(pixels: &Pixels, channel: usize, within: [f64; 2], linear: bool) -> [f32; 2] {
    let Some((block, pixel)) = pixels.of_channel(channel) else { return [0.0; 2] };
    let [x, y] = block.pixel(pixel).map(f64::from);
    let weights = pixels.interpolation.at(x + within[0], y + within[1]);
    let weights = if linear { weights.linear } else { weights.perspective };
    [weights[1] as f32, weights[2] as f32]
}
