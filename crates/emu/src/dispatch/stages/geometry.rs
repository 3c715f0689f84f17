//! Geometry shaders. A thread works on two primitives (dual object mode), or on one or two invocations of one
//! primitive.

use super::{Results, fill, mask_of, push, slot, take};
use crate::dispatch::launch::Launch;
use crate::dispatch::payload::Payload;
use crate::kernel::Kernel;
use crate::stage::{Emitted, Primitive, PrimitiveOutput};
use crate::thread::Thread;
use crate::trace::Trace;
use crate::urb::Urb;
use crate::{EmuError, Options, Report, Resources};
use crestline_program::{
    ControlData, GeometryDispatch, GeometryMetadata, SLOT_BYTES, StageMetadata,
};

/// Position of the invocation in an output handle.
const INVOCATION_SHIFT: u32 = 27;

struct Primitives<'a> {
    metadata: &'a GeometryMetadata,
    payload: Payload,
    primitives: &'a [Primitive],
    /// For each object of a unit, the vertices that it emitted.
    results: Results<Vec<Vec<Emitted>>>,
}

/// One output entry of a unit: a primitive and an invocation.
#[derive(Clone, Copy)]
struct Object<'a> {
    primitive: &'a Primitive,
    invocation: u32,
}

impl Primitives<'_> {
    fn is_dual_object(&self) -> bool {
        self.metadata.dispatch == GeometryDispatch::DualObject
    }

    /// The objects of a unit: two primitives, or all invocations of one.
    fn objects(&self, unit: u64) -> Vec<Object<'_>> {
        if self.is_dual_object() {
            let rest = &self.primitives[unit as usize * 2..];
            return rest
                .iter()
                .take(2)
                .map(|primitive| Object { primitive, invocation: 0 })
                .collect();
        }
        let primitive = &self.primitives[unit as usize];
        (0..self.metadata.invocations).map(|invocation| Object { primitive, invocation }).collect()
    }

    /// The objects of a thread, with their numbers in the unit.
    fn objects_of(&self, unit: u64, thread: u32) -> Vec<(usize, Object<'_>)> {
        let count = self.metadata.dispatch.objects() as usize;
        let objects = self.objects(unit).into_iter().enumerate();
        objects.skip(thread as usize * count).take(count).collect()
    }

    /// Reads the vertices that an object emitted from its output entry.
    fn emitted(&self, urb: &Urb, handle: u32) -> Vec<Emitted> {
        let GeometryMetadata { count_bytes, control_bytes, vertex_bytes, .. } = *self.metadata;
        let Some(entry) = urb.entry(handle) else { return Vec::new() };
        let dword = |index: u32| entry.dwords.get(index as usize).copied().flatten().unwrap_or(0);
        let count = if count_bytes > 0 { dword(0) } else { entry.vertex_count.unwrap_or(0) };
        let start = count_bytes + control_bytes;
        let room = (entry.dwords.len() as u32 * 4).saturating_sub(start) / vertex_bytes.max(1);
        let control = |first_bit: u32, bits: u32| {
            if first_bit + bits > control_bytes * 8 {
                return 0;
            }
            dword(count_bytes / 4 + first_bit / 32) >> (first_bit % 32) & ((1 << bits) - 1)
        };
        (0..count.min(room))
            .map(|vertex| {
                let first = ((start + vertex * vertex_bytes) / SLOT_BYTES) as usize;
                let (cut, stream) = match self.metadata.control_data {
                    ControlData::Cut => (control(vertex, 1) == 1, 0),
                    ControlData::StreamId => (false, control(2 * vertex, 2) as u8),
                };
                Emitted { values: take(urb, handle, first, &self.metadata.outputs), cut, stream }
            })
            .collect()
    }
}

impl Launch for Primitives<'_> {
    fn threads(&self) -> u32 {
        if self.is_dual_object() {
            1
        } else {
            self.metadata.invocations.div_ceil(self.metadata.dispatch.objects())
        }
    }

    /// Allocates the output entries first, then those of the vertices if the program reads them by handle.
    fn open(&self, unit: u64, urb: &mut Urb) {
        let objects = self.objects(unit);
        for _ in &objects {
            urb.allocate(self.metadata.entry_bytes);
        }
        if self.metadata.vertex_handles.is_some()
            && let Some(object) = objects.first()
        {
            let inputs = &self.metadata.inputs;
            for vertex in &object.primitive.vertices {
                let handle = urb.allocate(inputs.len() as u32 * SLOT_BYTES);
                fill(urb, handle, 0, inputs, vertex);
            }
        }
    }

    fn mask(&self, unit: u64, thread: u32) -> u32 {
        mask_of(self.objects_of(unit, thread).len() as u32)
    }

    /// Writes r0 with the handles of the objects and their invocations, then the inputs that the metadata describes:
    /// primitive ids, handles of the input vertices, and pushed slots.
    fn write(&self, t: &mut Thread, unit: u64, thread: u32, urb: &Urb) {
        let metadata = self.metadata;
        let objects = self.objects_of(unit, thread);
        let mut handles = [0; 2];
        for (handle, (number, object)) in handles.iter_mut().zip(&objects) {
            *handle = urb.handle(*number) | object.invocation << INVOCATION_SHIFT;
        }
        let [first, second] = handles;
        self.payload.write(t, [first, second, 0, unit as u32, 0], thread);
        if metadata.primitive_id {
            for (half, (_, object)) in objects.iter().enumerate() {
                push(t, 32 + 16 * half, &[Some(object.primitive.id); 4]);
            }
        }
        if let (Some(register), Some((_, object))) = (metadata.vertex_handles, objects.first()) {
            // The vertices' entries follow those of all objects.
            let first = self.objects(unit).len();
            let handles: Vec<_> = (0..object.primitive.vertices.len())
                .map(|vertex| Some(urb.handle(first + vertex)))
                .collect();
            push(t, register as usize * 32, &handles);
        }
        // In dual object mode each register contains one slot of both objects; otherwise it contains two slots.
        let pushed = metadata.pushed_slots as usize;
        let first = metadata.first_input_register as usize * 32;
        let halves = if self.is_dual_object() { objects.len() } else { 1 };
        for (half, (_, object)) in objects.iter().enumerate().take(halves) {
            // The pushed slots are copied from an entry made for the vertex.
            let mut vertices = Urb::default();
            for (number, vertex) in object.primitive.vertices.iter().enumerate() {
                let handle = vertices.allocate(metadata.inputs.len() as u32 * SLOT_BYTES);
                fill(&mut vertices, handle, 0, &metadata.inputs, vertex);
                for index in 0..pushed {
                    let place = number * pushed + index;
                    let offset =
                        if self.is_dual_object() { place * 32 + half * 16 } else { place * 16 };
                    push(t, first + offset, &slot(&vertices, handle, index));
                }
            }
        }
    }

    fn close(&self, unit: u64, urb: &Urb) {
        let objects = self.objects(unit).len();
        let emitted = (0..objects).map(|object| self.emitted(urb, urb.handle(object))).collect();
        self.results.add(unit, emitted);
    }
}

impl Kernel {
    /// Runs a geometry shader on primitives. Returns the emitted vertices of each invocation, for each primitive.
    ///
    /// # Errors
    /// [`EmuError::Stage`] for another stage's program, [`EmuError::StageInput`] for a primitive
    /// of the wrong size, or the error of the first primitive that has one.
    pub fn run_primitives(
        &self,
        primitives: &[Primitive],
        resources: &Resources,
        options: &Options,
        trace: Option<&mut dyn Trace>,
    ) -> Result<(Vec<PrimitiveOutput>, Report), EmuError> {
        let StageMetadata::Geometry(metadata) = &self.metadata.stage else {
            return Err(self.other_stage("geometry"));
        };
        let what = match metadata.dispatch {
            GeometryDispatch::Simd8 => Some("a stage with SIMD8 threads"),
            GeometryDispatch::DualObject if metadata.invocations > 1 => {
                Some("a geometry shader of two objects and several invocations")
            }
            _ => None,
        };
        if let Some(what) = what {
            let what = what.to_owned();
            return Err(EmuError::Unsupported { instruction: 0, offset: 0, what });
        }
        for primitive in primitives {
            let (count, expected) = (primitive.vertices.len(), metadata.input_vertices);
            if count != expected as usize {
                let message = format!("a primitive of {count} vertices: expected {expected}");
                return Err(EmuError::StageInput(message));
            }
        }
        let payload = self.stage_payload(resources, options)?;
        let launch = Primitives { metadata, payload, primitives, results: Results::new() };
        let dual = launch.is_dual_object();
        let units = if dual { primitives.len().div_ceil(2) } else { primitives.len() } as u64;
        let report = self.run_units(&launch, units, [1; 3], resources, options, trace)?;
        let units = launch.results.take();
        let output = |invocations| PrimitiveOutput { invocations };
        let outputs = if dual {
            units.flatten().map(|object| output(vec![object])).collect()
        } else {
            units.map(output).collect()
        };
        Ok((outputs, report))
    }
}
