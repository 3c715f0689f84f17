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
use crestline_program::{StageDispatch, Varying};
use std::sync::{Mutex, PoisonError};

pub(crate) use fragment::{EntryPoints, FragmentThread, PrimitiveSetup};

/// Number of vertices or points of a SIMD4x2 thread.
const OBJECTS: u32 = 2;

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

/// The mask of channels of a thread in which `objects` (1 or 2) of the two halves are in use.
fn mask_of(objects: u32) -> u32 {
    if objects >= OBJECTS { 0xff } else { 0x0f }
}

/// Returns an error for SIMD8 threads, which are not supported in these stages.
fn simd4x2_only(dispatch: StageDispatch) -> Result<(), EmuError> {
    match dispatch {
        StageDispatch::Simd4x2 => Ok(()),
        StageDispatch::Simd8 => Err(EmuError::Unsupported {
            instruction: 0,
            offset: 0,
            what: "a stage with SIMD8 threads".into(),
        }),
    }
}

impl Kernel {
    fn stage_payload(&self, resources: &Resources, options: &Options) -> Result<Payload, EmuError> {
        self.payload(&self.entry().payload, [1; 3], [1; 3], resources, options)
    }

    fn other_stage(&self, expected: &'static str) -> EmuError {
        EmuError::Stage { expected, found: self.metadata.stage.name() }
    }
}
