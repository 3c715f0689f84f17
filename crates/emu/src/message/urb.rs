//! URB messages: reads and writes of URB entries in slots of 16 bytes.
//!
//! A SIMD4x2 message accesses one entry, or two if it is interleaved; then the low half of each data register belongs
//! to the first entry, and the high half to the second. The header contains the handles in dwords 0 and 1, slot offsets
//! in dwords 3 and 4, and channel masks in bits 15:8 of dword 5. A dword is accessed if its bit is set in the channel
//! mask and in the channel enables (Ivy Bridge PRM volume 4 part 2, "URB Message Header").
//!
//! A SIMD8 message (gen8 on) accesses an entry for each channel. The payload starts with a register of handles, one
//! dword per channel. If the descriptor says so, a register of slot offsets and one of channel masks follow. Data
//! register `j` contains, for each channel, the dword at `4 * slot + j` of the entry (Broadwell PRM volume 7,
//! "URB_SIMD8_Write").

use super::{Call, World};
use crate::thread::{Fault, Thread};
use crate::{Problem, SurfaceName};
use crestline_isa::message::{UrbLayout, UrbSwizzle};

/// The addressing fields of a URB message.
#[derive(Clone, Copy)]
pub(super) struct UrbAddress {
    pub(super) layout: UrbLayout,
    /// Offset of the first slot, in slots (oword and SIMD8 layout) or in pairs of slots (hword layout).
    pub(super) offset: u16,
    pub(super) swizzle: UrbSwizzle,
    /// Whether the payload contains further offsets: one for each entry, in the same units.
    pub(super) per_slot_offset: bool,
}

/// One dword that a message transfers between a data register and a URB entry.
struct Element {
    /// Position in the data registers, in dwords.
    position: usize,
    /// Handle of the entry.
    handle: u32,
    /// Position in the entry, in dwords.
    dword: u64,
}

/// The largest number of data registers of a SIMD8 message.
const MOST_REGISTERS: usize = 8;
/// The bit of the first data register in a SIMD8 channel mask; bit `MASK_SHIFT + j` enables data register `j`.
const MASK_SHIFT: usize = 16;

/// Number of registers before the data in the payload of a SIMD8 message.
fn simd8_header(address: UrbAddress, channel_mask: bool) -> usize {
    1 + usize::from(address.per_slot_offset) + usize::from(channel_mask)
}

/// The dwords that a SIMD8 message with this number of data registers transfers: those that the channel enables and the
/// channel masks (if the payload has them) enable.
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

/// The dwords that a SIMD4x2 message with this number of data registers transfers: those that the channel enables and
/// the channel masks of the header enable.
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
    // An oword message without interleaving transfers only the low four dwords of its data register.
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

/// Reports an access beyond the end of an entry. `limit` is the size of the entry in bytes.
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

/// Stores the vertex counts in the last SIMD4x2 message of a geometry shader's thread in the output entries. Header
/// dword 2 has the count of the first object in its low half, and that of the second in its high half. In the last
/// message of another stage this dword is a copy of r0.2; its value is stored as well, but nothing reads it.
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
    // A SIMD4x2 read without a response transfers no data; on hardware it releases the handles.
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

/// Checks the form of a message with `registers` data registers, and returns this number. Stops the thread and returns
/// `None` if the message is transposed, if its instruction has more than eight channels, if a SIMD8 message has more
/// than [`MOST_REGISTERS`] data registers, or if the payload has fewer than `header` registers.
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
