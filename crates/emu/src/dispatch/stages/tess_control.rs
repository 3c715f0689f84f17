//! Tessellation control shaders. A unit of work is a patch. Its threads run together, because they write the same
//! output entry and wait for each other at barriers.

use super::{Results, fill, push, take};
use crate::dispatch::launch::Group;
use crate::dispatch::payload::Payload;
use crate::kernel::Kernel;
use crate::stage::{Patch, Primitive, SlotValues};
use crate::thread::Thread;
use crate::trace::Trace;
use crate::urb::Urb;
use crate::{EmuError, Options, Report, Resources};
use crestline_program::{SLOT_BYTES, StageMetadata, TessControlMetadata, Varying};

/// The first register with handles of input control points.
const HANDLES: usize = 1;
/// The most control points of an input patch: the registers r1 to r4 contain their handles.
const MOST_VERTICES: usize = 32;

/// A dispatch of a tessellation control shader.
struct Patches<'a> {
    metadata: &'a TessControlMetadata,
    payload: Payload,
    patches: &'a [Primitive],
    /// The lowest bit in r0.2 of the number of the thread in its patch (the instance number).
    instance_shift: u32,
    /// For each patch, its per-patch outputs and the outputs of its control points.
    results: Results<(SlotValues, Vec<SlotValues>)>,
}

impl Group for Patches<'_> {
    fn threads(&self) -> u32 {
        self.metadata.threads()
    }

    /// Allocates URB entry 0 for the outputs of the patch, and fills an entry for each input control point.
    fn open(&self, unit: u64, urb: &mut Urb) {
        urb.allocate(self.metadata.entry_bytes);
        let inputs = &self.metadata.inputs;
        for vertex in &self.patches[unit as usize].vertices {
            let handle = urb.allocate(inputs.len() as u32 * SLOT_BYTES);
            fill(urb, handle, 0, inputs, vertex);
        }
    }

    /// All channels are enabled, even those without a control point: the program compares the number of its control
    /// point with the number of control points.
    fn mask(&self, _: u64, _: u32) -> u32 {
        0xff
    }

    /// Writes the payload: r0 with the handle and the id of the patch and the number of the thread in the patch, and
    /// the handles of the input control points.
    fn write(&self, t: &mut Thread, unit: u64, thread: u32, urb: &Urb) {
        let patch = &self.patches[unit as usize];
        let instance = thread << self.instance_shift;
        // The barrier id in r0.2 is 0, because only one patch runs at a time.
        self.payload.write(t, [urb.handle(0), patch.id, instance, thread, 0], thread);
        let handles: Vec<_> =
            (0..patch.vertices.len()).map(|vertex| Some(urb.handle(1 + vertex))).collect();
        push(t, HANDLES * 32, &handles);
    }

    /// Reads the outputs of the patch and of its control points from the URB, and adds them to the results.
    fn close(&self, unit: u64, urb: &Urb) {
        let TessControlMetadata { patch_outputs, vertex_outputs, .. } = self.metadata;
        let handle = urb.handle(0);
        let vertices = (0..self.metadata.output_vertices as usize).map(|vertex| {
            let first = patch_outputs.len() + vertex * vertex_outputs.len();
            take(urb, handle, first, vertex_outputs)
        });
        let vertices = vertices.collect();
        self.results.add(unit, (take(urb, handle, 0, patch_outputs), vertices));
    }
}

impl Kernel {
    /// Runs a tessellation control shader on patches. Returns the output patch of each.
    ///
    /// # Errors
    /// [`EmuError::Stage`] for another stage's program, [`EmuError::StageInput`] for a patch of
    /// the wrong size, or the error of the first patch that has one.
    pub fn run_patches(
        &self,
        patches: &[Primitive],
        resources: &Resources,
        options: &Options,
        trace: Option<&mut dyn Trace>,
    ) -> Result<(Vec<Patch>, Report), EmuError> {
        let StageMetadata::TessControl(metadata) = &self.metadata.stage else {
            return Err(self.other_stage("tess_control"));
        };
        // All patches of a draw call have the same number of control points.
        let first = patches.first().map_or(1, |patch| patch.vertices.len());
        let expected = metadata.input_vertices.map_or(first, |count| count as usize);
        for patch in patches {
            let count = patch.vertices.len();
            if count != expected || !(1..=MOST_VERTICES).contains(&count) {
                return Err(EmuError::StageInput(format!(
                    "a patch of {count} control points: expected {expected}, 1 to {MOST_VERTICES}"
                )));
            }
        }
        let launch = Patches {
            metadata,
            payload: self.stage_payload(first as u32, resources, options)?,
            patches,
            instance_shift: self.device.tess_instance_shift(),
            results: Results::new(),
        };
        let units = patches.len() as u64;
        let mut report = self.run_units(&launch, units, [1; 3], resources, options, trace)?;
        report.counters.control_patches = units;
        let results = launch.results.take().zip(patches);
        let patches =
            results.map(|((values, vertices), patch)| Patch { values, vertices, id: patch.id });
        Ok((patches.collect(), report))
    }
}

/// Fills the URB entry of a patch: the per-patch slots, then the slots of each control point. The layouts give the
/// varying of each slot.
pub(super) fn fill_patch(
    urb: &mut Urb,
    handle: u32,
    patch_layout: &[Varying],
    vertex_layout: &[Varying],
    patch: &Patch,
) {
    fill(urb, handle, 0, patch_layout, &patch.values);
    for (number, vertex) in patch.vertices.iter().enumerate() {
        let first = patch_layout.len() + number * vertex_layout.len();
        fill(urb, handle, first, vertex_layout, vertex);
    }
}
