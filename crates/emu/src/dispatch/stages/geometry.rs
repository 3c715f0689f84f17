//! Geometry shaders. A thread works on up to two or eight primitives, or on up to one, two or eight invocations of one
//! primitive, as the metadata say ([`GeometryDispatch`]).
//!
//! An *object* is an invocation for a primitive; it has an output entry of its own. A unit of work consists of the
//! objects of as many primitives as one thread can have, or of all invocations of one primitive, which may need several
//! threads.

use super::{Results, fill, mask_of, push, push_channel, slot, take};
use crate::dispatch::launch::Group;
use crate::dispatch::payload::Payload;
use crate::kernel::Kernel;
use crate::stage::{Emitted, Primitive, PrimitiveOutput};
use crate::thread::Thread;
use crate::trace::Trace;
use crate::urb::Urb;
use crate::{EmuError, Options, Report, Resources};
use crestline_program::{
    ControlData, GeometryDispatch, GeometryMetadata, GeometryOutput, SLOT_BYTES, StageMetadata,
};

/// The lowest bit of the invocation's number in the dword of an output handle.
const INVOCATION_SHIFT: u32 = 27;
/// The lowest bit of the topology in r0.2 of a SIMD8 thread.
const TOPOLOGY_SHIFT: u32 = 16;
/// The register of the output handles of a SIMD8 thread.
const OUTPUT_HANDLES: usize = 1;
/// The register of the primitive ids of a SIMD8 thread, if its payload has them.
const PRIMITIVE_IDS: usize = 2;

/// A dispatch of a geometry shader.
struct Primitives<'a> {
    metadata: &'a GeometryMetadata,
    payload: Payload,
    primitives: &'a [Primitive],
    /// The results of each unit: for each of its objects, the emitted vertices.
    results: Results<Vec<Vec<Emitted>>>,
}

/// An object of a unit: an invocation for a primitive. It has an output entry of its own.
#[derive(Clone, Copy)]
struct Object<'a> {
    primitive: &'a Primitive,
    invocation: u32,
}

/// Converts dwords to the argument of [`push`], without `None`.
fn known(dwords: impl IntoIterator<Item = u32>) -> Vec<Option<u32>> {
    dwords.into_iter().map(Some).collect()
}

/// The topology code of a list of primitives with this number of vertices each; 4 and 6 vertices are lines and
/// triangles with adjacency (PRM, 3DPRIMITIVE, "Primitive Topology Type").
fn topology(vertices: u32) -> u32 {
    match vertices {
        1 => 1,
        2 => 2,
        3 => 4,
        4 => 9,
        _ => 11,
    }
}

impl Primitives<'_> {
    /// Number of primitives of a unit: more than one if each object of a thread belongs to another primitive. The last
    /// unit may have fewer.
    fn primitives_per_unit(&self) -> usize {
        match self.metadata.dispatch {
            GeometryDispatch::DualObject => 2,
            _ if self.metadata.has_primitive_per_channel() => 8,
            _ => 1,
        }
    }

    /// The primitives of a unit.
    fn primitives(&self, unit: u64) -> &[Primitive] {
        let count = self.primitives_per_unit();
        let rest = &self.primitives[unit as usize * count..];
        &rest[..rest.len().min(count)]
    }

    /// The objects of a unit: one for each of several primitives, or all invocations for one primitive.
    fn objects(&self, unit: u64) -> Vec<Object<'_>> {
        let invocations = 0..self.metadata.invocations;
        let primitives = self.primitives(unit).iter();
        primitives
            .flat_map(|primitive| {
                invocations.clone().map(move |invocation| Object { primitive, invocation })
            })
            .collect()
    }

    /// The objects of a thread, with their numbers in the unit.
    fn objects_of(&self, unit: u64, thread: u32) -> Vec<(usize, Object<'_>)> {
        let count = self.metadata.dispatch.objects() as usize;
        let objects = self.objects(unit).into_iter().enumerate();
        objects.skip(thread as usize * count).take(count).collect()
    }

    /// Writes the handles of the input vertices, from `register` on. If every channel has a primitive of its own, each
    /// vertex has a register, otherwise a dword. The URB entries of the vertices are numbered after the output entries
    /// of the objects.
    fn write_handles(&self, t: &mut Thread, unit: u64, register: usize, urb: &Urb) {
        let mut entries = self.objects(unit).len()..;
        for (channel, primitive) in self.primitives(unit).iter().enumerate() {
            let handles = entries.by_ref().take(primitive.vertices.len());
            let handles = known(handles.map(|entry| urb.handle(entry)));
            if self.metadata.has_primitive_per_channel() {
                push_channel(t, register, channel, &handles);
            } else {
                push(t, register * 32, &handles);
            }
        }
    }

    /// Writes the pushed slots of the objects' vertices to the payload. The order of the slots is that of a vertex's
    /// URB entry, so this function fills temporary entries and copies their slots.
    fn write_pushed(&self, t: &mut Thread, objects: &[(usize, Object<'_>)]) {
        let metadata = self.metadata;
        let (first, pushed) =
            (metadata.first_input_register as usize, metadata.pushed_slots as usize);
        // The invocations of one primitive share its pushed slots. So they are written once, for the first object.
        let own = self.primitives_per_unit();
        for (number, (_, object)) in objects.iter().enumerate().take(own) {
            let mut vertices = Urb::default();
            for (vertex, values) in object.primitive.vertices.iter().enumerate() {
                let handle = vertices.allocate(metadata.inputs.len() as u32 * SLOT_BYTES);
                fill(&mut vertices, handle, 0, &metadata.inputs, values);
                for index in 0..pushed {
                    let place = vertex * pushed + index;
                    let dwords = slot(&vertices, handle, index);
                    match own {
                        8 => push_channel(t, first + place * 4, number, &dwords),
                        2 => push(t, (first + place) * 32 + number * 16, &dwords),
                        _ => push(t, first * 32 + place * 16, &dwords),
                    }
                }
            }
        }
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

impl Group for Primitives<'_> {
    fn threads(&self) -> u32 {
        match self.primitives_per_unit() {
            1 => self.metadata.invocations.div_ceil(self.metadata.dispatch.objects()),
            _ => 1,
        }
    }

    /// Allocates an output entry for each object, and then fills an entry for each input vertex if the payload has
    /// their handles.
    fn open(&self, unit: u64, urb: &mut Urb) {
        for _ in self.objects(unit) {
            urb.allocate(self.metadata.entry_bytes);
        }
        if self.metadata.vertex_handles.is_some() {
            let inputs = &self.metadata.inputs;
            for vertex in self.primitives(unit).iter().flat_map(|primitive| &primitive.vertices) {
                let handle = urb.allocate(inputs.len() as u32 * SLOT_BYTES);
                fill(urb, handle, 0, inputs, vertex);
            }
        }
    }

    fn mask(&self, unit: u64, thread: u32) -> u32 {
        let objects = self.metadata.dispatch.objects();
        mask_of(objects, self.objects_of(unit, thread).len() as u32)
    }

    /// Writes the payload: the output handles with the numbers of the invocations, and the inputs that the metadata
    /// describe, which are primitive ids, handles of the input vertices, and pushed slots.
    fn write(&self, t: &mut Thread, unit: u64, thread: u32, urb: &Urb) {
        let metadata = self.metadata;
        let objects = self.objects_of(unit, thread);
        let handles: Vec<u32> = objects
            .iter()
            .map(|(number, object)| urb.handle(*number) | object.invocation << INVOCATION_SHIFT)
            .collect();
        if metadata.dispatch == GeometryDispatch::Simd8 {
            let topology = topology(metadata.input_vertices) << TOPOLOGY_SHIFT;
            self.payload.write(t, [0, 0, topology, unit as u32, 0], thread);
            push(t, OUTPUT_HANDLES * 32, &known(handles));
            if metadata.primitive_id {
                let ids = objects.iter().map(|(_, object)| object.primitive.id);
                push(t, PRIMITIVE_IDS * 32, &known(ids));
            }
        } else {
            let handle = |half: usize| handles.get(half).copied().unwrap_or(0);
            self.payload.write(t, [handle(0), handle(1), 0, unit as u32, 0], thread);
            if metadata.primitive_id {
                for (half, (_, object)) in objects.iter().enumerate() {
                    push(t, 32 + 16 * half, &[Some(object.primitive.id); 4]);
                }
            }
        }
        if let Some(register) = metadata.vertex_handles {
            self.write_handles(t, unit, register as usize, urb);
        }
        self.write_pushed(t, &objects);
    }

    fn close(&self, unit: u64, urb: &Urb) {
        let objects = self.objects(unit).len();
        let emitted = (0..objects).map(|object| self.emitted(urb, urb.handle(object))).collect();
        self.results.add(unit, emitted);
    }
}

/// The number of complete primitives of stream 0 in the vertices that an invocation emitted.
fn complete(emitted: &[Emitted], output: GeometryOutput) -> u64 {
    let size = match output {
        GeometryOutput::Points => 1,
        GeometryOutput::LineStrip => 2,
        GeometryOutput::TriangleStrip => 3,
    };
    let (mut primitives, mut vertices) = (0, 0);
    for vertex in emitted.iter().filter(|vertex| vertex.stream == 0) {
        vertices += 1;
        primitives += u64::from(vertices >= size);
        if vertex.cut {
            vertices = 0;
        }
    }
    primitives
}

impl Kernel {
    /// Runs a geometry shader on primitives. Returns, for each primitive, the vertices that each invocation emitted.
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
        if metadata.dispatch == GeometryDispatch::DualObject && metadata.invocations > 1 {
            let what = "a geometry shader of two objects and several invocations".to_owned();
            return Err(EmuError::Unsupported { instruction: 0, offset: 0, what });
        }
        for primitive in primitives {
            let (count, expected) = (primitive.vertices.len(), metadata.input_vertices);
            if count != expected as usize {
                let message = format!("a primitive of {count} vertices: expected {expected}");
                return Err(EmuError::StageInput(message));
            }
        }
        let payload = self.stage_payload(0, resources, options)?;
        let launch = Primitives { metadata, payload, primitives, results: Results::new() };
        let units = primitives.len().div_ceil(launch.primitives_per_unit()) as u64;
        let mut report = self.run_units(&launch, units, [1; 3], resources, options, trace)?;
        let objects: Vec<_> = launch.results.take().flatten().collect();
        let counters = &mut report.counters;
        counters.geometry_invocations = primitives.len() as u64 * u64::from(metadata.invocations);
        counters.geometry_primitives =
            objects.iter().map(|emitted| complete(emitted, metadata.output)).sum();
        let outputs = objects
            .chunks(metadata.invocations as usize)
            .map(|invocations| PrimitiveOutput { invocations: invocations.to_vec() })
            .collect();
        Ok((outputs, report))
    }
}
