//! Tessellation evaluation shaders: up to two or eight points of a patch per thread. The thread is a unit of work.

use super::tess_control::fill_patch;
use super::{Results, mask_of, push, push_channel, slot, take};
use crate::dispatch::launch::Group;
use crate::dispatch::payload::Payload;
use crate::kernel::Kernel;
use crate::stage::{Patch, SlotValues};
use crate::thread::Thread;
use crate::trace::Trace;
use crate::urb::Urb;
use crate::{EmuError, Options, Report, Resources};
use crestline_program::{SLOT_BYTES, StageDispatch, StageMetadata, TessEvalMetadata};

/// The register with coordinate u of the points of a SIMD8 thread. The next two registers have v and w.
const COORDINATES: usize = 1;
/// The register of the output handles of a SIMD8 thread.
const OUTPUT_HANDLES: usize = 4;

/// A dispatch of a tessellation evaluation shader.
struct Points<'a> {
    metadata: &'a TessEvalMetadata,
    payload: Payload,
    /// For each unit, its patch and the coordinates u, v and w of its points.
    units: Vec<(&'a Patch, &'a [[f32; 3]])>,
    /// For each unit, the outputs of its points.
    results: Results<Vec<SlotValues>>,
}

impl Points<'_> {
    /// The patch of a unit.
    fn patch(&self, unit: u64) -> &Patch {
        self.units[unit as usize].0
    }

    /// The points of a unit.
    fn points(&self, unit: u64) -> &[[f32; 3]] {
        self.units[unit as usize].1
    }
}

impl Group for Points<'_> {
    fn threads(&self) -> u32 {
        1
    }

    /// Fills URB entry 0 with the patch, and allocates an output entry for each point.
    fn open(&self, unit: u64, urb: &mut Urb) {
        let TessEvalMetadata { patch_inputs, vertex_inputs, .. } = self.metadata;
        let patch = self.patch(unit);
        let slots = patch_inputs.len() + vertex_inputs.len() * patch.vertices.len();
        let handle = urb.allocate(slots as u32 * SLOT_BYTES);
        fill_patch(urb, handle, patch_inputs, vertex_inputs, patch);
        for _ in self.points(unit) {
            urb.allocate(self.metadata.entry_bytes);
        }
    }

    fn mask(&self, unit: u64, _: u32) -> u32 {
        mask_of(self.metadata.dispatch.objects(), self.points(unit).len() as u32)
    }

    /// Writes the payload: the handles of the output entries, the coordinates of the points, the handle and the id of
    /// the patch, and the pushed slots of the patch.
    fn write(&self, t: &mut Thread, unit: u64, thread: u32, urb: &Urb) {
        let [patch, first, second] = [0, 1, 2].map(|entry| urb.handle(entry));
        let id = self.patch(unit).id;
        let points = self.points(unit).iter().map(|point| point.map(|x| Some(x.to_bits())));
        match self.metadata.dispatch {
            StageDispatch::Simd4x2 => {
                self.payload.write(t, [first, second, 0, unit as u32, 0], thread);
                for (half, point) in points.enumerate() {
                    push(t, 32 + 16 * half, &point);
                }
                push(t, 32 + 4 * 3, &[Some(patch)]);
                push(t, 32 + 4 * 7, &[Some(id)]);
            }
            StageDispatch::Simd8 => {
                self.payload.write(t, [patch, id, 0, unit as u32, 0], thread);
                for (channel, point) in points.enumerate() {
                    push_channel(t, COORDINATES, channel, &point);
                    push_channel(t, OUTPUT_HANDLES, channel, &[Some(urb.handle(1 + channel))]);
                }
            }
        }
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
    /// Runs a tessellation evaluation shader on points of a patch, given by their coordinates u, v and w. Returns the
    /// outputs of each point.
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
        let (mut outputs, report) =
            self.run_patch_points(&[(patch, points)], resources, options, trace)?;
        Ok((outputs.pop().unwrap_or_default(), report))
    }

    /// Like [`run_points`](Self::run_points), for several patches with the same number of control points, each with its own
    /// points. Returns the outputs of the points of each patch.
    ///
    /// # Errors
    /// As for [`run_points`](Self::run_points).
    pub fn run_patch_points(
        &self,
        patches: &[(&Patch, &[[f32; 3]])],
        resources: &Resources,
        options: &Options,
        trace: Option<&mut dyn Trace>,
    ) -> Result<(Vec<Vec<SlotValues>>, Report), EmuError> {
        let StageMetadata::TessEval(metadata) = &self.metadata.stage else {
            return Err(self.other_stage("tess_eval"));
        };
        let size = patches.first().map_or(0, |(patch, _)| patch.vertices.len());
        let payload = self.stage_payload(size as u32, resources, options)?;
        let objects = metadata.dispatch.objects() as usize;
        let units: Vec<_> = (patches.iter())
            .flat_map(|(patch, points)| points.chunks(objects).map(|points| (*patch, points)))
            .collect();
        let count = units.len() as u64;
        let launch = Points { metadata, payload, units, results: Results::new() };
        let mut report = self.run_units(&launch, count, [1; 3], resources, options, trace)?;
        report.counters.evaluation_invocations =
            patches.iter().map(|(_, points)| points.len() as u64).sum();
        let mut outputs = launch.results.take().flatten();
        let of_patch =
            |(_, points): &(&Patch, &[[f32; 3]])| outputs.by_ref().take(points.len()).collect();
        Ok((patches.iter().map(of_patch).collect(), report))
    }
}
