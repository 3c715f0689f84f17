//! The stages of a draw call. Each stage runs separately: its argument is what the fixed functions before it would
//! deliver, and its result is what the threads write to the URB.

mod fragment;
mod geometry;
mod tess_control;
mod tess_eval;
mod vertex;

use super::payload::Payload;
use crate::kernel::Kernel;
use crate::stage::SlotValues;
use crate::thread::Thread;
use crate::urb::Urb;
use crate::{EmuError, Options, Resources};
use crestline_program::Varying;
use std::sync::{Mutex, PoisonError};

pub(crate) use fragment::{EntryPoints, FragmentThread, PrimitiveSetup};

/// Results of units, with the number of each unit: host threads finish them in any order.
struct Results<T>(Mutex<Vec<(u64, T)>>);

impl<T> Results<T> {
    fn new() -> Results<T> {
        Results(Mutex::new(Vec::new()))
    }

    fn add(&self, unit: u64, result: T) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((unit, result));
    }

    /// The results, in order of their units.
    fn take(self) -> impl Iterator<Item = T> {
        let mut results = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        results.sort_by_key(|(unit, _)| *unit);
        results.into_iter().map(|(_, result)| result)
    }
}

/// Writes values to an entry's slots from `first` on; `layout` gives the varying of each slot.
fn fill(urb: &mut Urb, handle: u32, first: usize, layout: &[Varying], values: &SlotValues) {
    let Some(entry) = urb.entry_mut(handle) else { return };
    for (slot, varying) in layout.iter().enumerate() {
        let place = (first + slot) * 4;
        if let Some(dwords) = entry.dwords.get_mut(place..place + 4) {
            dwords.copy_from_slice(&values.get(*varying));
        }
    }
}

/// The four dwords of a slot; `None` for each beyond the entry.
fn slot(urb: &Urb, handle: u32, slot: usize) -> [Option<u32>; 4] {
    let dwords = urb.entry(handle).and_then(|entry| entry.dwords.get(slot * 4..slot * 4 + 4));
    dwords.map_or([None; 4], |dwords| std::array::from_fn(|i| dwords[i]))
}

/// Reads values from an entry's slots from `first` on; `layout` gives the varying of each slot.
fn take(urb: &Urb, handle: u32, first: usize, layout: &[Varying]) -> SlotValues {
    let mut values = SlotValues::new();
    for (i, varying) in layout.iter().enumerate() {
        if *varying != Varying::Padding {
            values.set(*varying, slot(urb, handle, first + i));
        }
    }
    values
}

/// Writes the dwords that are not `None` to registers, from byte `offset` on.
fn push(t: &mut Thread, offset: usize, dwords: &[Option<u32>]) {
    for (i, dword) in dwords.iter().enumerate() {
        if let Some(dword) = dword {
            t.registers.set(offset + 4 * i, 4, (*dword).into());
        }
    }
}

/// Writes the dwords that are not `None` to one channel of a SIMD8 thread: dword `i` to register `register + i`.
fn push_channel(t: &mut Thread, register: usize, channel: usize, dwords: &[Option<u32>]) {
    for (i, dword) in dwords.iter().enumerate() {
        push(t, (register + i) * 32 + channel * 4, &[*dword]);
    }
}

/// The mask of channels of a thread that works on `present` objects: four channels each, or one in SIMD8 threads, whose
/// number of `objects` is eight.
fn mask_of(objects: u32, present: u32) -> u32 {
    let channels = if objects == 8 { 1 } else { 4 };
    0xff >> (8 - (present * channels).min(8))
}

impl Kernel {
    fn stage_payload(&self, resources: &Resources, options: &Options) -> Result<Payload, EmuError> {
        self.payload(&self.entry().payload, [1; 3], [1; 3], resources, options)
    }

    fn other_stage(&self, expected: &'static str) -> EmuError {
        EmuError::Stage { expected, found: self.metadata.stage.name() }
    }
}
