//! Sampler messages.
//!
//! Only texel fetches from buffers so far: the surface of a uniform buffer has 16-byte texels
//! at a pitch of one byte, so the coordinate is a byte offset.

use super::{Access, Call, World, with_surface};
use crate::exec::thread::Thread;
use crestline_isa::message::{Bti, SamplerSimd};

/// Channels of a sampler message, for the modes that are supported.
pub(super) fn lanes(simd: SamplerSimd) -> Option<usize> {
    match simd {
        SamplerSimd::Simd8 => Some(8),
        SamplerSimd::Simd16 => Some(16),
        _ => None,
    }
}

/// The components that a message returns: all but those the header disables.
fn components(call: &Call<'_>, t: &mut Thread) -> impl Iterator<Item = usize> + use<> {
    let disabled = if call.descriptor.header_present { call.header(t, 2) >> 12 & 15 } else { 0 };
    (0..4).filter(move |component| disabled >> component & 1 == 0)
}

/// `ld` and `ld_lz` on a buffer.
pub(super) fn fetch(
    call: &Call<'_>,
    t: &mut Thread,
    world: &mut World<'_>,
    bti: Bti,
    lanes: usize,
) {
    let registers = lanes / 8;
    if !call.fits(t, call.header_registers() + registers, 0) {
        return;
    }
    // Trailing components are cut by the length of the response.
    let room = usize::from(call.descriptor.rlen) / registers;
    let components: Vec<usize> = components(call, t).take(room).collect();
    with_surface(t, world, bti, |t, memory, name, base| {
        let access = Access { name, base, write: false };
        for lane in call.channels(lanes) {
            let offset = u64::from(call.dword(t, 0, lanes, lane));
            for (position, component) in components.iter().enumerate() {
                let at = offset + 4 * *component as u64;
                let value = access
                    .locate(t, memory, at, 4, Some(lane))
                    .map_or(0, |offset| memory.load(offset, 4));
                call.respond(t, position * lanes + lane, value);
            }
        }
    });
}
