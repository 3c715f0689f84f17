//! Block messages: they move consecutive memory at one address from or to whole registers.

use super::surface::{Surface, with_scratch, with_surface};
use super::{Call, World};
use crate::thread::Thread;
use crestline_isa::message::{Bti, OwordBlock};

/// The dwords of the data registers that a block uses. A block of one oword uses a half of a register.
pub(super) fn dword_range(size: OwordBlock) -> std::ops::Range<usize> {
    match size {
        OwordBlock::OneLow => 0..4,
        OwordBlock::OneHigh => 4..8,
        other => 0..other.owords() as usize * 4,
    }
}

/// The byte address of a block: header dword 2, which counts owords (or bytes if `unaligned`), plus the base in dword 5
/// for stateless memory.
fn address(call: &Call<'_>, t: &mut Thread, bti: Bti, unaligned: bool) -> u64 {
    let offset = u64::from(call.header(t, 2)) * if unaligned { 1 } else { 16 };
    if bti.is_stateless() { offset + u64::from(call.header(t, 5) & !0x3ff) } else { offset }
}

/// The dwords of a block: for each its position in the data registers and its address.
pub(super) fn positions(size: OwordBlock, start: u64) -> impl Iterator<Item = (usize, u64)> {
    dword_range(size).enumerate().map(move |(i, position)| (position, start + 4 * i as u64))
}

/// Number of data registers of a block.
pub(super) fn registers(size: OwordBlock) -> usize {
    dword_range(size).end.div_ceil(8)
}

/// Reads a block from a surface.
pub(super) fn read(
    call: &Call<'_>,
    t: &mut Thread,
    world: &mut World<'_>,
    bti: Bti,
    size: OwordBlock,
    unaligned: bool,
) {
    if !call.fits(t, 1, registers(size)) {
        return;
    }
    let start = address(call, t, bti, unaligned);
    with_surface(t, world, bti, |t, surface| read_dwords(call, t, surface, positions(size, start)));
}

/// Reads dwords into the response. The channel enables have no effect.
pub(super) fn read_dwords(
    call: &Call<'_>,
    t: &mut Thread,
    surface: &mut Surface<'_, '_>,
    positions: impl Iterator<Item = (usize, u64)>,
) {
    for (position, address) in positions {
        let value = surface.load(t, address, 4, None);
        call.respond(t, position, value);
    }
}

/// Writes a block to a surface.
pub(super) fn write(
    call: &Call<'_>,
    t: &mut Thread,
    world: &mut World<'_>,
    bti: Bti,
    size: OwordBlock,
) {
    if !call.fits(t, 1 + registers(size), 0) {
        return;
    }
    let start = address(call, t, bti, false);
    with_surface(t, world, bti, |t, surface| {
        write_dwords(call, t, surface, positions(size, start));
    });
}

/// Writes the dwords of the payload after the header. The enable of channel `d` modulo 16 decides whether dword `d` is
/// written.
pub(super) fn write_dwords(
    call: &Call<'_>,
    t: &mut Thread,
    surface: &mut Surface<'_, '_>,
    positions: impl Iterator<Item = (usize, u64)>,
) {
    for (position, address) in positions {
        if call.mask >> (position % 16) & 1 == 0 {
            continue;
        }
        let register = call.payload(1 + position / 8) + position % 8 * 4;
        t.report_unwritten_if_any(register, 4);
        let value = t.registers.u32(register);
        surface.store(t, address, 4, value, None);
    }
}

/// The dwords of a scratch block: position in the data registers and address. The address is the base in the header
/// plus the offset.
fn scratch_positions(
    call: &Call<'_>,
    t: &mut Thread,
    registers: u8,
    hword_offset: u16,
) -> impl Iterator<Item = (usize, u64)> + use<> {
    let base = u64::from(call.header(t, 5) & !0x3ff) + u64::from(hword_offset) * 32;
    (0..usize::from(registers) * 8).map(move |i| (i, base + 4 * i as u64))
}

pub(super) fn scratch_read(call: &Call<'_>, t: &mut Thread, registers: u8, hword_offset: u16) {
    if !call.fits(t, 1, registers.into()) {
        return;
    }
    let positions = scratch_positions(call, t, registers, hword_offset);
    with_scratch(t, |t, surface| read_dwords(call, t, surface, positions));
}

pub(super) fn scratch_write(call: &Call<'_>, t: &mut Thread, registers: u8, hword_offset: u16) {
    if !call.fits(t, 1 + usize::from(registers), 0) {
        return;
    }
    let positions = scratch_positions(call, t, registers, hword_offset);
    with_scratch(t, |t, surface| write_dwords(call, t, surface, positions));
}
