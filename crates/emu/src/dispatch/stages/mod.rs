//! The stages of a draw call: threads of vertex, tessellation, geometry and fragment shaders.
//!
//! Each stage runs separately. Its inputs are the values that the fixed functions before it deliver. The result of a
//! vertex, tessellation or geometry shader is the values that its threads write to the URB, and the result of a
//! fragment shader is the pixels with the outputs that its threads write ([`Pixels`](crate::pixels::Pixels)).

mod fragment;
mod geometry;
mod tess_control;
mod tess_eval;
mod vertex;

use super::payload::{Counts, Payload};
use crate::kernel::Kernel;
use crate::stage::SlotValues;
use crate::thread::Thread;
use crate::urb::Urb;
use crate::{EmuError, Options, Resources};
use crestline_program::Varying;
use std::sync::{Mutex, PoisonError};

pub(crate) use fragment::{EntryPoints, PrimitiveSetup, ThreadRunner};

/// The results of units of work, each with the number of its unit. Host threads add them in any order.
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

/// Writes values to the slots of a URB entry, from slot `first` on; `layout` gives the varying of each slot.
fn fill(urb: &mut Urb, handle: u32, first: usize, layout: &[Varying], values: &SlotValues) {
    let Some(entry) = urb.entry_mut(handle) else { return };
    for (slot, varying) in layout.iter().enumerate() {
        let place = (first + slot) * 4;
        if let Some(dwords) = entry.dwords.get_mut(place..place + 4) {
            dwords.copy_from_slice(&values.get(*varying));
        }
    }
}

/// The four dwords of a slot of a URB entry; `None` for dwords that were never written, and for a slot beyond the
/// entry.
fn slot(urb: &Urb, handle: u32, slot: usize) -> [Option<u32>; 4] {
    let dwords = urb.entry(handle).and_then(|entry| entry.dwords.get(slot * 4..slot * 4 + 4));
    dwords.map_or([None; 4], |dwords| std::array::from_fn(|i| dwords[i]))
}

/// Reads values from the slots of a URB entry, from slot `first` on; `layout` gives the varying of each slot.
fn take(urb: &Urb, handle: u32, first: usize, layout: &[Varying]) -> SlotValues {
    let mut values = SlotValues::with_room(layout.len());
    for (i, varying) in layout.iter().enumerate() {
        if *varying != Varying::Padding {
            values.set(*varying, slot(urb, handle, first + i));
        }
    }
    values
}

/// Writes dwords to consecutive places in the registers, from byte `offset` on. A `None` leaves its place unchanged.
fn push(t: &mut Thread, offset: usize, dwords: &[Option<u32>]) {
    for (i, dword) in dwords.iter().enumerate() {
        if let Some(dword) = dword {
            t.registers.set(offset + 4 * i, 4, (*dword).into());
        }
    }
}

/// Writes dwords to one channel of a SIMD8 thread: dword `i` to register `register + i`. A `None` leaves its place
/// unchanged.
fn push_channel(t: &mut Thread, register: usize, channel: usize, dwords: &[Option<u32>]) {
    for (i, dword) in dwords.iter().enumerate() {
        push(t, (register + i) * 32 + channel * 4, &[*dword]);
    }
}

/// The mask of the channels that are enabled in a thread with room for `objects` objects (vertices, points, primitives
/// or invocations) that has only `present` of them. An object has one channel in a SIMD8 thread (`objects` is 8), and
/// four in the other threads.
fn mask_of(objects: u32, present: u32) -> u32 {
    let channels = if objects == 8 { 1 } else { 4 };
    0xff >> (8 - (present * channels).min(8))
}

impl Kernel {
    /// The payload of a stage that has one entry point. `patch_vertices` is the number of control points of an input
    /// patch, 0 for stages without patches.
    fn stage_payload(
        &self,
        patch_vertices: u32,
        resources: &Resources,
        options: &Options,
    ) -> Result<Payload, EmuError> {
        let counts = Counts::draw(patch_vertices);
        self.payload(&self.entry().payload, counts, resources, options)
    }

    /// The error for a program that is not one of the `expected` stage.
    fn other_stage(&self, expected: &'static str) -> EmuError {
        EmuError::Stage { expected, found: self.metadata.stage.name() }
    }
}
