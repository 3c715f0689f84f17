//! Dual block messages: they access an oword at each of two addresses, one for each half of a register.
//!
//! The header is a copy of r0. Dwords 0 and 4 of the next register contain the two offsets in owords. For stateless
//! memory, header dword 5 contains the base.

use super::surface::with_surface;
use super::{Call, World};
use crate::mask::lanes_of;
use crate::thread::Thread;
use crestline_isa::message::Bti;

/// For each half with an enabled channel, its byte address and the mask of its enabled channels.
fn blocks(call: &Call<'_>, t: &mut Thread, bti: Bti) -> Vec<(u64, u32)> {
    let mut blocks = Vec::new();
    for half in 0..2 {
        let lanes = call.mask & 0xf << (4 * half);
        if lanes == 0 {
            continue;
        }
        let offset = call.payload(1) + 16 * half;
        t.report_unwritten_if_any(offset, 4);
        let mut address = u64::from(t.registers.u32(offset)) * 16;
        if bti.is_stateless() {
            address += u64::from(call.header(t, 5) & !0x3ff);
        }
        blocks.push((address, lanes));
    }
    blocks
}

/// Reads one oword per half into the response.
pub(super) fn read(call: &Call<'_>, t: &mut Thread, world: &mut World<'_>, bti: Bti) {
    if !call.fits(t, 2, 1) {
        return;
    }
    let blocks = blocks(call, t, bti);
    with_surface(t, world, bti, |t, surface| {
        for (start, lanes) in blocks {
            for lane in lanes_of(lanes) {
                let address = start + 4 * (lane % 4) as u64;
                let value = surface.load(t, address, 4, Some(lane));
                call.respond(t, lane, value);
            }
        }
    });
}

/// Writes one oword per half from the register after the offsets.
pub(super) fn write(call: &Call<'_>, t: &mut Thread, world: &mut World<'_>, bti: Bti) {
    if !call.fits(t, 3, 0) {
        return;
    }
    let blocks = blocks(call, t, bti);
    with_surface(t, world, bti, |t, surface| {
        for (start, lanes) in blocks {
            for lane in lanes_of(lanes) {
                let value = t.written_u32(call.payload(2) + 4 * lane, lane);
                let address = start + 4 * (lane % 4) as u64;
                surface.store(t, address, 4, value, Some(lane));
            }
        }
    });
}
