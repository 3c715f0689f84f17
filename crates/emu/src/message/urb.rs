//! URB messages of SIMD4x2 threads: accesses of 16-byte slots of one or two entries.
//!
//! The header has the handles in dwords 0 and 1, slot offsets in dwords 3 and 4, and channel masks in bits 15:8 of
//! dword 5. The masks are combined with the channel enables (Ivy Bridge PRM volume 4 part 2, "URB Message Header").

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

/// The elements of `registers` data registers that the masks enable.
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

/// Executes a URB write.
pub(super) fn write(call: &Call<'_>, t: &mut Thread, world: &mut World<'_>, address: UrbAddress) {
    if !check(call, t, address) {
        return;
    }
    let registers = usize::from(call.descriptor.mlen) - 1;
    for element in elements(call, t, address, registers) {
        let register = call.payload(1) + 4 * element.position;
        let written = t.registers.all_written(register, 4);
        if !written {
            t.report_unwritten(register, 4, Some((element.position % 8) as u8));
        }
        let value = written.then(|| t.registers.u32(register));
        if let Err(error) = world.urb.store(element.handle, element.dword, value) {
            outside(t, &element, error.limit, true);
        }
    }
    if call.ends_thread {
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
    if !check(call, t, address) {
        return;
    }
    // Without a response the message only releases the handles.
    for element in elements(call, t, address, usize::from(call.descriptor.rlen)) {
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

fn check(call: &Call<'_>, t: &mut Thread, address: UrbAddress) -> bool {
    if address.swizzle == UrbSwizzle::Transpose || call.wide {
        t.fail(Fault::Message("a transposed or wide URB message".into()));
        return false;
    }
    call.fits(t, 1, 0)
}
