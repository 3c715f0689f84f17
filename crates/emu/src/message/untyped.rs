//! Untyped surface reads and writes: up to four dwords per channel at a byte offset.

use super::surface::each_channel;
use super::{Call, World, dwords};
use crate::Problem;
use crate::thread::Thread;
use crestline_isa::message::{Bti, ChannelMask, SimdMode};

/// Reports an address that is not a multiple of four, and drops its low bits.
pub(super) fn align(t: &mut Thread, address: u64, lane: usize) -> u64 {
    if !address.is_multiple_of(4) {
        t.report(Problem::Misaligned { address, alignment: 4 }, Some(lane as u8));
    }
    address & !3
}

/// Reads the dwords of `mask` per channel. Each is one parameter of the response.
pub(super) fn read(
    call: &Call<'_>,
    t: &mut Thread,
    world: &mut World<'_>,
    bti: Bti,
    simd: SimdMode,
    mask: ChannelMask,
) {
    let lanes = simd.lanes() as usize;
    let registers = lanes.div_ceil(8);
    let parameters = call.header_registers() + registers;
    if !call.fits(t, parameters, dwords(mask).count() * registers) {
        return;
    }
    let address = |t: &mut Thread, lane| {
        let address = call.dword(t, 0, lanes, lane);
        align(t, address.into(), lane)
    };
    each_channel(call, t, world, (bti, lanes), address, |t, surface, address, lane| {
        for (position, dword) in dwords(mask) {
            let value = surface.load(t, address + 4 * dword as u64, 4, Some(lane));
            call.respond(t, position * lanes + lane, value);
        }
    });
}

/// Writes the dwords of `mask` per channel. The data follow the addresses, one parameter per dword.
pub(super) fn write(
    call: &Call<'_>,
    t: &mut Thread,
    world: &mut World<'_>,
    bti: Bti,
    simd: SimdMode,
    mask: ChannelMask,
) {
    let lanes = simd.lanes() as usize;
    let registers = lanes.div_ceil(8);
    let parameters = call.header_registers() + (1 + dwords(mask).count()) * registers;
    if !call.fits(t, parameters, 0) {
        return;
    }
    let address = |t: &mut Thread, lane| {
        let address = call.dword(t, 0, lanes, lane);
        align(t, address.into(), lane)
    };
    each_channel(call, t, world, (bti, lanes), address, |t, surface, address, lane| {
        for (position, dword) in dwords(mask) {
            let value = call.dword(t, 1 + position, lanes, lane);
            surface.store(t, address + 4 * dword as u64, 4, value, Some(lane));
        }
    });
}
