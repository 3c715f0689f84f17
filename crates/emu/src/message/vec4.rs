//! The SIMD4x2 forms of surface messages. They have two slots, and each half of a register belongs to one slot.
//!
//! The address register contains the address of a slot in the first dword of its half (typed messages: u, v, r). The
//! data register contains a vector per half. The operands of an atomic are x and y of one register. A slot is active if
//! a channel of its half is enabled; the enable of each channel decides whether its component is
//! moved, except in typed writes: they write whole texels.

use super::atomic::{self, Operation};
use super::surface::{Surface, with_stateless, with_surface};
use super::typed::Texels;
use super::untyped::align;
use super::{Call, World};
use crate::mask::lanes_of;
use crate::thread::Thread;
use crestline_isa::message::{Bti, ChannelMask};

/// A slot of a message.
#[derive(Clone, Copy)]
struct Slot {
    /// First channel: 0 or 4.
    first: usize,
    /// Mask of the components whose channels are enabled.
    enabled: u32,
}

impl Slot {
    /// The enabled components of a channel mask.
    fn components(self, mask: ChannelMask) -> impl Iterator<Item = usize> {
        lanes_of(self.enabled & u32::from(mask.0))
    }
}

/// The active slots. In a typed message with header, the header's pixel mask also disables channels.
fn slots(call: &Call<'_>, t: &mut Thread, typed: bool) -> Vec<Slot> {
    let header = typed && call.descriptor.header_present;
    let pixels = if header { call.header(t, 7) } else { u32::MAX };
    [0, 4]
        .into_iter()
        .map(|first| Slot { first, enabled: (call.mask & pixels) >> first & 0xf })
        .filter(|slot| slot.enabled != 0)
        .collect()
}

/// A dword of a slot's half of a parameter register. Reports it if it was never written.
fn dword(call: &Call<'_>, t: &mut Thread, register: usize, slot: Slot, component: usize) -> u32 {
    let lane = slot.first + component;
    t.written_u32(call.payload(call.header_registers() + register) + 4 * lane, lane)
}

/// Runs an access to an untyped surface for each active slot, with the slot's address, aligned to a dword.
fn each_address(
    call: &Call<'_>,
    t: &mut Thread,
    world: &mut World<'_>,
    bti: Bti,
    mut access: impl FnMut(&mut Thread, &mut Surface<'_, '_>, Slot, u64),
) {
    let address = |t: &mut Thread, slot: Slot| {
        let address = dword(call, t, 0, slot, 0);
        align(t, address.into(), slot.first)
    };
    // Without a header, stateless memory is memory at addresses of 32 bits; see `each_channel`.
    if bti.is_stateless() && !call.descriptor.header_present {
        for slot in slots(call, t, false) {
            let at = address(t, slot);
            with_stateless(t, world, at, |t, surface| access(t, surface, slot, at));
        }
        return;
    }
    with_surface(t, world, bti, |t, surface| {
        for slot in slots(call, t, false) {
            let at = address(t, slot);
            access(t, surface, slot, at);
        }
    });
}

/// Reads up to four dwords per slot from a byte offset.
pub(super) fn untyped_read(
    call: &Call<'_>,
    t: &mut Thread,
    world: &mut World<'_>,
    bti: Bti,
    mask: ChannelMask,
) {
    if !call.fits(t, call.header_registers() + 1, 1) {
        return;
    }
    each_address(call, t, world, bti, |t, surface, slot, address| {
        for component in slot.components(mask) {
            let (at, lane) = (address + 4 * component as u64, slot.first + component);
            let value = surface.load(t, at, 4, Some(lane));
            call.respond(t, lane, value);
        }
    });
}

/// Writes up to four dwords per slot to a byte offset.
pub(super) fn untyped_write(
    call: &Call<'_>,
    t: &mut Thread,
    world: &mut World<'_>,
    bti: Bti,
    mask: ChannelMask,
) {
    if !call.fits(t, call.header_registers() + 2, 0) {
        return;
    }
    each_address(call, t, world, bti, |t, surface, slot, address| {
        for component in slot.components(mask) {
            let value = dword(call, t, 1, slot, component);
            let at = address + 4 * component as u64;
            surface.store(t, at, 4, value, Some(slot.first + component));
        }
    });
}

/// The operands of an atomic.
fn operands(call: &Call<'_>, t: &mut Thread, slot: Slot, operation: Operation) -> [u64; 2] {
    let mut operands = [0; 2];
    for (component, operand) in operands.iter_mut().enumerate().take(operation.operands()) {
        *operand = dword(call, t, 1, slot, component).into();
    }
    operands
}

/// Whether the payload and response of an atomic have enough registers: one of operands, if there are any, and one
/// returned. Stops the thread if not.
fn fits(call: &Call<'_>, t: &mut Thread, operation: Operation, return_data: bool) -> bool {
    let payload = call.header_registers() + 1 + operation.operands().min(1);
    call.fits(t, payload, return_data.into())
}

/// Executes an atomic per slot at a byte offset. The old value is returned in x.
pub(super) fn untyped_atomic(
    call: &Call<'_>,
    t: &mut Thread,
    world: &mut World<'_>,
    bti: Bti,
    operation: Operation,
    return_data: bool,
) {
    if !fits(call, t, operation, return_data) {
        return;
    }
    each_address(call, t, world, bti, |t, surface, slot, at| {
        let operands = operands(call, t, slot, operation);
        let lane = slot.first;
        let old = atomic::update(t, surface, at, operation, operands, false, lane);
        if return_data {
            call.respond(t, lane, old as u32);
        }
    });
}

/// The coordinates of a slot.
fn coordinates(call: &Call<'_>, t: &mut Thread, slot: Slot) -> [i64; 3] {
    [0, 1, 2].map(|component| dword(call, t, 0, slot, component).cast_signed().into())
}

/// Reads a texel per slot.
pub(super) fn typed_read(
    call: &Call<'_>,
    t: &mut Thread,
    world: &mut World<'_>,
    bti: Bti,
    mask: ChannelMask,
) {
    if !call.fits(t, call.header_registers() + 1, 1) {
        return;
    }
    let texels = Texels::of(t, world, bti);
    for slot in slots(call, t, true) {
        let at = coordinates(call, t, slot);
        let texel = texels.read(t, world, at, slot.first);
        for component in slot.components(mask) {
            call.respond(t, slot.first + component, texel[component]);
        }
    }
}

/// Writes a texel per active slot. Components that `mask` does not select are 0.
pub(super) fn typed_write(
    call: &Call<'_>,
    t: &mut Thread,
    world: &mut World<'_>,
    bti: Bti,
    mask: ChannelMask,
) {
    if !call.fits(t, call.header_registers() + 2, 0) {
        return;
    }
    let texels = Texels::of(t, world, bti);
    for slot in slots(call, t, true) {
        let at = coordinates(call, t, slot);
        // A texel is written as a whole: the enables of single components have no effect.
        let mut channels = [0; 4];
        for component in lanes_of(mask.0.into()) {
            channels[component] = dword(call, t, 1, slot, component);
        }
        texels.write(t, world, at, slot.first, channels);
    }
}

/// Executes an atomic on a texel per slot. The old value is returned in x.
pub(super) fn typed_atomic(
    call: &Call<'_>,
    t: &mut Thread,
    world: &mut World<'_>,
    bti: Bti,
    operation: Operation,
    return_data: bool,
) {
    if !fits(call, t, operation, return_data) {
        return;
    }
    let texels = Texels::of_atomic(t, world, bti);
    for slot in slots(call, t, true) {
        let at = coordinates(call, t, slot);
        let operands = operands(call, t, slot, operation);
        let old = texels.update(t, world, at, slot.first, operation, operands);
        if return_data {
            call.respond(t, slot.first, old);
        }
    }
}
