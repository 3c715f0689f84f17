//! Tessellation evaluation shaders: two points of a patch per thread.

use super::tess_control::fill_patch;
use super::{OBJECTS, Results, mask_of, push, simd4x2_only, slot, take};
use crate::dispatch::launch::Launch;
use crate::dispatch::payload::Payload;
use crate::kernel::Kernel;
use crate::stage::{Patch, SlotValues};
use crate::thread::Thread;
use crate::trace::Trace;
use crate::urb::Urb;
use crate::{EmuError, Options, Report, Resources};
use crestline_program::{SLOT_BYTES, StageMetadata, TessEvalMetadata};

struct Points<'a> {
    metadata: &'a TessEvalMetadata,
    payload: Payload,
    patch: &'a Patch,
    points: &'a [[f32; 3]],
    results: Results<Vec<SlotValues>>,
}

impl Points<'_> {
    fn points(&self, unit: u64) -> &[[f32; 3]] {
        let rest = &self.points[unit as usize * OBJECTS as usize..];
        &rest[..rest.len().min(OBJECTS as usize)]
    }
}

impl Launch for Points<'_> {
    fn threads(&self) -> u32 {
        1
    }

    /// URB entry 0 is the patch; the outputs follow.
    fn open(&self, unit: u64, urb: &mut Urb) {
        let TessEvalMetadata { patch_inputs, vertex_inputs, .. } = self.metadata;
        let slots = patch_inputs.len() + vertex_inputs.len() * self.patch.vertices.len();
        let handle = urb.allocate(slots as u32 * SLOT_BYTES);
        fill_patch(urb, handle, patch_inputs, vertex_inputs, self.patch);
        for _ in self.points(unit) {
            urb.allocate(self.metadata.entry_bytes);
        }
    }

    fn mask(&self, unit: u64, _: u32) -> u32 {
        mask_of(self.points(unit).len() as u32)
    }

    /// Writes r0 with the handles of the two entries, the coordinates of the two points, the patch's handle and id, and
    /// the pushed slots of the patch.
    fn write(&self, t: &mut Thread, unit: u64, thread: u32, urb: &Urb) {
        let [patch, first, second] = [0, 1, 2].map(|entry| urb.handle(entry));
        self.payload.write(t, [first, second, 0, unit as u32, 0], thread);
        for (half, point) in self.points(unit).iter().enumerate() {
            push(t, 32 + 16 * half, &point.map(|coordinate| Some(coordinate.to_bits())));
        }
        push(t, 32 + 4 * 3, &[Some(patch)]);
        push(t, 32 + 4 * 7, &[Some(self.patch.id)]);
        let first = self.metadata.first_input_register as usize * 32;
        for number in 0..self.metadata.pushed_slots as usize {
            push(t, first + 16 * number, &slot(urb, patch, number));
        }
    }

    fn close(&self, unit: u64, urb: &Urb) {
        let outputs = &self.metadata.outputs;
        let entries = 1..=self.points(unit).len();
        let values = entries.map(|entry| take(urb, urb.handle(entry), 0, outputs)).collect();
        self.results.add(unit, values);
    }
}

impl Kernel {
    /// Runs a tessellation evaluation shader on points of a patch, given by their coordinates u, v and w.
    ///
    /// # Errors
    /// [`EmuError::Stage`] for another stage's program, or the error of the first point that has
    /// one.
    pub fn run_points(
        &self,
        patch: &Patch,
        points: &[[f32; 3]],
        resources: &Resources,
        options: &Options,
        trace: Option<&mut dyn Trace>,
    ) -> Result<(Vec<SlotValues>, Report), EmuError> {
        let StageMetadata::TessEval(metadata) = &self.metadata.stage else {
            return Err(self.other_stage("tess_eval"));
        };
        simd4x2_only(metadata.dispatch)?;
        let payload = self.stage_payload(resources, options)?;
        let launch = Points { metadata, payload, patch, points, results: Results::new() };
        let units = points.len().div_ceil(OBJECTS as usize) as u64;
        let report = self.run_units(&launch, units, [1; 3], resources, options, trace)?;
        Ok((launch.results.take().flatten().collect(), report))
    }
}
