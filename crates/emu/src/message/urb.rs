//! URB messages: accesses of 16-byte slots of entries.
//!
//! SIMD4x2 messages access one or two entries. The header has the handles in dwords 0 and 1, slot offsets in dwords 3
//! and 4, and channel masks in bits 15:8 of dword 5. The masks are combined with the channel enables (Ivy Bridge PRM
//! volume 4 part 2, "URB Message Header").
//!
//! SIMD8 messages (gen8 on) access an entry for each channel. A register of handles comes first, one dword per channel;
//! then, if the descriptor says so, a register of slot offsets and one of channel masks. Data register `j` contains dword
//! `j` from the slot on, for each channel (Broadwell PRM volume 7, "URB_SIMD8_Write").

use super::{Call, World};
use crate::thread::{Fault, Thread};
use crate::{Problem, SurfaceName};
use crestline_isa::message::{UrbLayout, UrbSwizzle};

/// The addressing fields of a URB message.
#[derive(Clone, Copy)]
pub(super) struct UrbAddress {
    pub(super) layout: UrbLayout,
    /// Offset in units of the layout (one or two slots).
    pub(super) offset: u16,
    pub(super) swizzle: UrbSwizzle,
    pub(super) per_slot_offset: bool,
}

/// The dword of an entry that corresponds to a dword of a data register.
struct Element {
    /// Position in the data registers.
    position: usize,
    handle: u32,
    /// Dword of the entry.
    dword: u64,
}

/// The most data registers of a SIMD8 message.
const MOST_REGISTERS: usize = 8;
/// Position in a channel mask of the bit for the first data register.
const MASK_SHIFT: usize = 16;

/// Registers of a SIMD8 write before the data.
fn simd8_header(address: UrbAddress, channel_mask: bool) -> usize {
    1 + usize::from(address.per_slot_offset) + usize::from(channel_mask)
}

/// The elements of `registers` data registers of a SIMD8 message that the masks enable.
fn simd8_elements(
    call: &Call<'_>,
    t: &mut Thread,
    address: UrbAddress,
    channel_mask: bool,
    registers: usize,
) -> Vec<Element> {
    let dword = |t: &mut Thread, register: usize, lane: usize| {
        t.written_u32(call.payload(register) + 4 * lane, lane)
    };
    let mut elements = Vec::new();
    for lane in call.channels(8) {
        let mask = if channel_mask {
            dword(t, simd8_header(address, true) - 1, lane) >> MASK_SHIFT
        } else {
            u32::MAX
        };
        let enabled = |register: &usize| mask >> register & 1 == 1;
        if !(0..registers).any(|register| enabled(&register)) {
            continue;
        }
        let handle = dword(t, 0, lane);
        let own = if address.per_slot_offset { dword(t, 1, lane) } else { 0 };
        let first = (u64::from(address.offset) + u64::from(own)) * 4;
        elements.extend((0..registers).filter(enabled).map(|register| Element {
            position: 8 * register + lane,
            handle,
            dword: first + register as u64,
        }));
    }
    elements
}

/// The elements of `registers` data registers of a SIMD4x2 message that the masks enable.
fn elements(
    call: &Call<'_>,
    t: &mut Thread,
    address: UrbAddress,
    registers: usize,
) -> Vec<Element> {
    let slots_per_unit = match address.layout {
        UrbLayout::Oword => 1,
        UrbLayout::Hword | UrbLayout::Simd8 => 2,
    };
    let interleaved = address.swizzle == UrbSwizzle::Interleave;
    // An oword message without interleaving uses only four dwords.
    let dwords = match (interleaved, address.layout) {
        (false, UrbLayout::Oword) => 4,
        _ => 8,
    };
    let enables = call.header(t, 5) >> 8 & 0xff & call.mask;
    let mut elements = Vec::new();
    for half in 0..2 {
        let lanes = (4 * half..4 * half + 4).filter(|lane| *lane < dwords);
        if lanes.clone().all(|lane| enables >> lane & 1 == 0) {
            continue;
        }
        let entry = if interleaved { half } else { 0 };
        let handle = call.header(t, entry);
        let own = if address.per_slot_offset { call.header(t, 3 + entry) } else { 0 };
        let first = (u64::from(address.offset) + u64::from(own)) * slots_per_unit;
        for register in 0..registers {
            let row = if interleaved { register } else { 2 * register + half };
            let slot = first + row as u64;
            for lane in lanes.clone().filter(|lane| enables >> lane & 1 == 1) {
                let dword = slot * 4 + (lane % 4) as u64;
                elements.push(Element { position: 8 * register + lane, handle, dword });
            }
        }
    }
    elements
}

fn outside(t: &mut Thread, element: &Element, limit: u64, write: bool) {
    let surface = SurfaceName::Urb(element.handle & 0xffff);
    let address = element.dword * 4;
    let lane = (element.position % 8) as u8;
    t.report(Problem::OutOfBounds { surface, address, size: 4, limit, write }, Some(lane));
}

/// Executes a URB write. `channel_mask` tells whether a SIMD8 message has a register of channel masks.
pub(super) fn write(
    call: &Call<'_>,
    t: &mut Thread,
    world: &mut World<'_>,
    address: UrbAddress,
    channel_mask: bool,
) {
    let simd8 = address.layout == UrbLayout::Simd8;
    let header = if simd8 { simd8_header(address, channel_mask) } else { 1 };
    let given = usize::from(call.descriptor.mlen) + usize::from(call.descriptor.ex_mlen);
    let Some(registers) = check(call, t, address, header, given.saturating_sub(header)) else {
        return;
    };
    if simd8 && registers == 0 {
        t.fail(Fault::Message("a SIMD8 URB write without data".into()));
        return;
    }
    let elements = if simd8 {
        simd8_elements(call, t, address, channel_mask, registers)
    } else {
        elements(call, t, address, registers)
    };
    for element in elements {
        let register = call.payload(header + element.position / 8) + 4 * (element.position % 8);
        let written = t.registers.all_written(register, 4);
        if !written {
            t.report_unwritten(register, 4, Some((element.position % 8) as u8));
        }
        let value = written.then(|| t.registers.u32(register));
        if let Err(error) = world.urb.store(element.handle, element.dword, value) {
            outside(t, &element, error.limit, true);
        }
    }
    if call.ends_thread && !simd8 {
        note_vertex_counts(call, t, world);
    }
}

/// The last message of a geometry shader contains the vertex counts of both objects: in the halves of
/// header dword 2. In other stages the dword is the thread's r0.2 and is not used.
fn note_vertex_counts(call: &Call<'_>, t: &mut Thread, world: &mut World<'_>) {
    let offset = call.payload(0);
    let counts = t.registers.u32(offset + 8);
    for (half, count) in [counts & 0xffff, counts >> 16].into_iter().enumerate() {
        let handle = t.registers.u32(offset + 4 * half);
        if call.mask >> (4 * half) & 0xf != 0
            && let Some(entry) = world.urb.entry_mut(handle)
        {
            entry.vertex_count = Some(count);
        }
    }
}

/// Executes a URB read.
pub(super) fn read(call: &Call<'_>, t: &mut Thread, world: &mut World<'_>, address: UrbAddress) {
    let simd8 = address.layout == UrbLayout::Simd8;
    let header = if simd8 { simd8_header(address, false) } else { 1 };
    let returned = usize::from(call.descriptor.rlen);
    let Some(registers) = check(call, t, address, header, returned) else { return };
    // Without a response a SIMD4x2 message only releases the handles.
    let elements = if simd8 {
        simd8_elements(call, t, address, false, registers)
    } else {
        elements(call, t, address, registers)
    };
    for element in elements {
        let value = match world.urb.load(element.handle, element.dword) {
            Ok(value) => value,
            Err(error) => {
                outside(t, &element, error.limit, false);
                Some(0)
            }
        };
        call.respond_if_known(t, element.position, value);
    }
}

/// The number of data registers of a message, of which `registers` are given. Stops the thread and returns `None` if the
/// message has a form that does not exist: fewer registers than the `header`, too many channels or too much data.
fn check(
    call: &Call<'_>,
    t: &mut Thread,
    address: UrbAddress,
    header: usize,
    registers: usize,
) -> Option<usize> {
    if address.swizzle == UrbSwizzle::Transpose || call.wide {
        t.fail(Fault::Message("a transposed or wide URB message".into()));
        return None;
    }
    if address.layout == UrbLayout::Simd8 && registers > MOST_REGISTERS {
        let what = format!("a SIMD8 URB message with {registers} data registers");
        t.fail(Fault::Message(what));
        return None;
    }
    call.fits(t, header, 0).then_some(registers)
}
