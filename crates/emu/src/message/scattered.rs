//! Byte and dword scattered messages: one element per channel.

use super::surface::each_channel;
use super::{Call, World};
use crate::Problem;
use crate::thread::Thread;
use crestline_isa::message::{Bti, SimdMode};

/// The byte address of a channel: its offset, which counts units of `unit` bytes, plus the base in the header for
/// stateless memory.
fn address(call: &Call<'_>, t: &mut Thread, bti: Bti, lanes: usize, lane: usize, unit: u64) -> u64 {
    let offset = u64::from(call.dword(t, 0, lanes, lane)) * unit;
    if bti.is_stateless() && call.descriptor.header_present {
        offset + u64::from(call.header(t, 5))
    } else {
        offset
    }
}

fn check_alignment(t: &mut Thread, address: u64, size: u32, lane: usize) {
    if !address.is_multiple_of(size.into()) {
        t.report(Problem::Misaligned { address, alignment: size }, Some(lane as u8));
    }
}

/// Reads `size` bytes per channel into a dword each; the upper bits, which the hardware leaves
/// undefined, are 0.
pub(super) fn read(
    call: &Call<'_>,
    t: &mut Thread,
    world: &mut World<'_>,
    bti: Bti,
    simd: SimdMode,
    size: u32,
    unit: u64,
) {
    let lanes = simd.lanes() as usize;
    let registers = lanes.div_ceil(8);
    if !call.fits(t, call.header_registers() + registers, registers) {
        return;
    }
    let address = |t: &mut Thread, lane| address(call, t, bti, lanes, lane, unit);
    each_channel(call, t, world, (bti, lanes), address, |t, surface, address, lane| {
        check_alignment(t, address, size, lane);
        let value = surface.load(t, address, size, Some(lane));
        call.respond(t, lane, value);
    });
}

/// Writes the low `size` bytes of a dword per channel.
pub(super) fn write(
    call: &Call<'_>,
    t: &mut Thread,
    world: &mut World<'_>,
    bti: Bti,
    simd: SimdMode,
    size: u32,
    unit: u64,
) {
    let lanes = simd.lanes() as usize;
    let registers = lanes.div_ceil(8);
    if !call.fits(t, call.header_registers() + 2 * registers, 0) {
        return;
    }
    let address = |t: &mut Thread, lane| address(call, t, bti, lanes, lane, unit);
    each_channel(call, t, world, (bti, lanes), address, |t, surface, address, lane| {
        check_alignment(t, address, size, lane);
        let value = call.dword(t, 1, lanes, lane);
        surface.store(t, address, size, value, Some(lane));
    });
}
