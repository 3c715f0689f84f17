//! Messages with 64-bit addresses.

use super::block::{positions, read_dwords, registers, write_dwords};
use super::surface::with_address;
use super::untyped::align;
use super::{Call, World, dwords};
use crate::thread::Thread;
use crestline_isa::message::{A64Element, ChannelMask, OwordBlock, SimdMode};

/// The address of a channel. The address parameter has eight bytes per channel.
pub(super) fn address(call: &Call<'_>, t: &mut Thread, lane: usize) -> u64 {
    let offset = call.payload(call.header_registers() + lane / 4) + lane % 4 * 8;
    if !t.registers.all_written(offset, 8) {
        t.report_unwritten(offset, 8, Some(lane as u8));
    }
    t.registers.bits(offset, 8)
}

/// A dword of the payload after the header. Reports it if it was never written.
pub(super) fn payload_dword(call: &Call<'_>, t: &mut Thread, dword: usize, lane: usize) -> u32 {
    let offset = call.payload(call.header_registers() + dword / 8) + dword % 8 * 4;
    t.written_u32(offset, lane)
}

/// Number of dwords of the addresses of `lanes` channels.
pub(super) fn address_dwords(lanes: usize) -> usize {
    lanes * 2
}

/// Reads up to four dwords per channel. Each dword of `mask` is one parameter of the response.
pub(super) fn untyped_read(
    call: &Call<'_>,
    t: &mut Thread,
    world: &mut World<'_>,
    simd: SimdMode,
    mask: ChannelMask,
) {
    let lanes = simd.lanes() as usize;
    let response = dwords(mask).count() * lanes / 8;
    if !call.fits(t, call.header_registers() + lanes / 4, response) {
        return;
    }
    for lane in call.channels(lanes) {
        let address = address(call, t, lane);
        let address = align(t, address, lane);
        for (position, dword) in dwords(mask) {
            let at = address.wrapping_add(4 * dword as u64);
            let value = load(t, world, at, 4, lane);
            call.respond(t, position * lanes + lane, value);
        }
    }
}

/// Writes up to four dwords per channel. The data follow the addresses, one parameter per dword of `mask`.
pub(super) fn untyped_write(
    call: &Call<'_>,
    t: &mut Thread,
    world: &mut World<'_>,
    simd: SimdMode,
    mask: ChannelMask,
) {
    let lanes = simd.lanes() as usize;
    let payload = lanes / 4 + dwords(mask).count() * lanes / 8;
    if !call.fits(t, call.header_registers() + payload, 0) {
        return;
    }
    for lane in call.channels(lanes) {
        let address = address(call, t, lane);
        let address = align(t, address, lane);
        for (position, dword) in dwords(mask) {
            let source = address_dwords(lanes) + position * lanes + lane;
            let value = payload_dword(call, t, source, lane);
            let at = address.wrapping_add(4 * dword as u64);
            store(t, world, at, 4, value, lane);
        }
    }
}

fn load(t: &mut Thread, world: &mut World<'_>, at: u64, size: u32, lane: usize) -> u32 {
    with_address(t, world, at, |t, surface| surface.load(t, at, size, Some(lane)))
}

fn store(t: &mut Thread, world: &mut World<'_>, at: u64, size: u32, value: u32, lane: usize) {
    with_address(t, world, at, |t, surface| surface.store(t, at, size, value, Some(lane)));
}

/// For a scattered message, the size of a piece in bytes and the number of pieces per channel. The bytes of a channel
/// are one piece; a dword is one piece, a qword two.
fn pieces(element: A64Element, count: u8) -> (u32, usize) {
    match element {
        A64Element::Byte => (u32::from(count.min(4)), 1),
        A64Element::Dword => (4, count.into()),
        A64Element::Qword => (4, 2 * usize::from(count)),
        A64Element::Hword => (4, 8 * usize::from(count)),
    }
}

/// The dword in the response or payload of piece number `piece` of a channel. Dwords are ordered by element, then by
/// channel; the two halves of a qword are adjacent.
fn place(element: A64Element, piece: usize, lanes: usize, lane: usize) -> usize {
    match element {
        A64Element::Qword => (piece / 2 * lanes + lane) * 2 + piece % 2,
        _ => piece * lanes + lane,
    }
}

/// Reads `count` elements per channel from consecutive addresses.
pub(super) fn scattered_read(
    call: &Call<'_>,
    t: &mut Thread,
    world: &mut World<'_>,
    element: A64Element,
    count: u8,
    simd: SimdMode,
) {
    let lanes = simd.lanes() as usize;
    let (size, pieces) = pieces(element, count);
    if !call.fits(t, call.header_registers() + lanes / 4, pieces * lanes / 8) {
        return;
    }
    for lane in call.channels(lanes) {
        let address = address(call, t, lane);
        for piece in 0..pieces {
            let at = address.wrapping_add(4 * piece as u64);
            let value = load(t, world, at, size, lane);
            call.respond(t, place(element, piece, lanes, lane), value);
        }
    }
}

/// Writes `count` elements per channel to consecutive addresses.
pub(super) fn scattered_write(
    call: &Call<'_>,
    t: &mut Thread,
    world: &mut World<'_>,
    element: A64Element,
    count: u8,
    simd: SimdMode,
) {
    let lanes = simd.lanes() as usize;
    let (size, pieces) = pieces(element, count);
    if !call.fits(t, call.header_registers() + lanes / 4 + pieces * lanes / 8, 0) {
        return;
    }
    for lane in call.channels(lanes) {
        let address = address(call, t, lane);
        for piece in 0..pieces {
            let dword = address_dwords(lanes) + place(element, piece, lanes, lane);
            let value = payload_dword(call, t, dword, lane);
            store(t, world, address.wrapping_add(4 * piece as u64), size, value, lane);
        }
    }
}

/// Reads a block at the address in the header.
pub(super) fn block_read(call: &Call<'_>, t: &mut Thread, world: &mut World<'_>, size: OwordBlock) {
    if !call.fits(t, 1, registers(size)) {
        return;
    }
    let start = block_address(call, t);
    with_address(t, world, start, |t, surface| {
        read_dwords(call, t, surface, positions(size, start));
    });
}

/// Writes a block at the address in the header.
pub(super) fn block_write(
    call: &Call<'_>,
    t: &mut Thread,
    world: &mut World<'_>,
    size: OwordBlock,
) {
    if !call.fits(t, 1 + registers(size), 0) {
        return;
    }
    let start = block_address(call, t);
    with_address(t, world, start, |t, surface| {
        write_dwords(call, t, surface, positions(size, start));
    });
}

fn block_address(call: &Call<'_>, t: &mut Thread) -> u64 {
    u64::from(call.header(t, 0)) | u64::from(call.header(t, 1)) << 32
}
