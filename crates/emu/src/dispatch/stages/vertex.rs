//! Vertex shaders: up to two or eight vertices per thread. The thread is a unit of work.

use super::{Results, mask_of, push, push_channel, take};
use crate::dispatch::launch::Group;
use crate::dispatch::payload::Payload;
use crate::kernel::Kernel;
use crate::stage::{Draw, SlotValues};
use crate::thread::Thread;
use crate::trace::Trace;
use crate::urb::Urb;
use crate::{Attribute, EmuError, Options, Report, Resources};
use crestline_program::{StageDispatch, StageMetadata, VertexInput, VertexMetadata};

/// The register of the output handles of a SIMD8 thread.
const OUTPUT_HANDLES: usize = 1;

/// A dispatch of a vertex shader.
struct Vertices<'a> {
    metadata: &'a VertexMetadata,
    payload: Payload,
    draw: &'a Draw,
    /// The index of each vertex of an instance, in an indexed draw call.
    indices: Option<&'a [u32]>,
    /// The source of each input slot.
    inputs: Vec<Input<'a>>,
    /// For each unit, the outputs of its vertices.
    results: Results<Vec<SlotValues>>,
}

/// The source of an input slot. See [`VertexInput`].
enum Input<'a> {
    /// Four dwords of an attribute, from this dword of the attribute on.
    Attribute(&'a Attribute, usize),
    SystemValues,
    DrawParameters,
}

impl Vertices<'_> {
    /// The number of vertices of all instances.
    fn total(&self) -> u64 {
        u64::from(self.draw.vertices) * u64::from(self.draw.instances)
    }

    /// The numbers of the vertices of a unit. They count through all instances: the first vertex of instance 1 follows
    /// the last one of instance 0.
    fn vertices(&self, unit: u64) -> std::ops::Range<u64> {
        let objects = u64::from(self.metadata.dispatch.objects());
        let first = unit * objects;
        first..(first + objects).min(self.total())
    }

    /// The four dwords of an input slot for the vertex with a number as in [`vertices`](Self::vertices).
    fn fetch(&self, input: &Input<'_>, vertex: u64) -> [u32; 4] {
        let draw = self.draw;
        let count = u64::from(draw.vertices.max(1));
        let (number, instance) = (vertex % count, (vertex / count) as u32);
        // An index beyond the index buffer is 0, as Vulkan's robust access allows.
        let id = match self.indices {
            Some(indices) => indices.get(number as usize).copied().unwrap_or(0),
            None => number as u32,
        };
        match input {
            Input::Attribute(attribute, first) => {
                let element = if attribute.per_instance {
                    draw.first_instance.wrapping_add(instance)
                } else {
                    draw.first_vertex.wrapping_add(id)
                };
                let dwords = attribute.fetch(element);
                std::array::from_fn(|i| dwords[first + i])
            }
            Input::SystemValues => [draw.first_vertex, draw.first_instance, id, instance],
            Input::DrawParameters => [draw.draw_id, if draw.indexed { u32::MAX } else { 0 }, 0, 0],
        }
    }
}

impl Group for Vertices<'_> {
    fn threads(&self) -> u32 {
        1
    }

    fn open(&self, unit: u64, urb: &mut Urb) {
        for _ in self.vertices(unit) {
            urb.allocate(self.metadata.entry_bytes);
        }
    }

    fn mask(&self, unit: u64, _: u32) -> u32 {
        let vertices = self.vertices(unit);
        mask_of(self.metadata.dispatch.objects(), (vertices.end - vertices.start) as u32)
    }

    /// Writes the payload: the handles of the output entries and the inputs. SIMD4x2: the handles are in r0, and each
    /// slot is a register with the first vertex in its low half and the second in its high half. SIMD8: the handles are
    /// in r1, and each slot is four registers (x, y, z, w) with one dword per vertex.
    fn write(&self, t: &mut Thread, unit: u64, thread: u32, urb: &Urb) {
        let first = self.metadata.first_input_register as usize;
        let handles = match self.metadata.dispatch {
            StageDispatch::Simd4x2 => [urb.handle(0), urb.handle(1)],
            StageDispatch::Simd8 => [0; 2],
        };
        self.payload.write(t, [handles[0], handles[1], 0, unit as u32, 0], thread);
        for (number, vertex) in self.vertices(unit).enumerate() {
            if self.metadata.dispatch == StageDispatch::Simd8 {
                push_channel(t, OUTPUT_HANDLES, number, &[Some(urb.handle(number))]);
            }
            for (slot, input) in self.inputs.iter().enumerate() {
                let dwords = self.fetch(input, vertex).map(Some);
                match self.metadata.dispatch {
                    StageDispatch::Simd4x2 => push(t, (first + slot) * 32 + number * 16, &dwords),
                    StageDispatch::Simd8 => push_channel(t, first + slot * 4, number, &dwords),
                }
            }
        }
    }

    fn close(&self, unit: u64, urb: &Urb) {
        let count = self.vertices(unit).count();
        let outputs = &self.metadata.outputs;
        let values = (0..count).map(|entry| take(urb, urb.handle(entry), 0, outputs)).collect();
        self.results.add(unit, values);
    }
}

impl Kernel {
    /// Runs a vertex shader once for each vertex of each instance of a draw call, in order. Returns the outputs of each
    /// vertex, instance by instance. An indexed draw call takes the indices from [`Resources::set_indices`], if they are
    /// set; each index runs the shader, also one that appeared before.
    ///
    /// # Errors
    /// [`EmuError::Stage`] for another stage's program, [`EmuError::MissingAttribute`] and similar errors before any
    /// thread runs, or the error of the first vertex that has one.
    pub fn run_vertices(
        &self,
        draw: &Draw,
        resources: &Resources,
        options: &Options,
        trace: Option<&mut dyn Trace>,
    ) -> Result<(Vec<SlotValues>, Report), EmuError> {
        let StageMetadata::Vertex(metadata) = &self.metadata.stage else {
            return Err(self.other_stage("vertex"));
        };
        let input = |input: &VertexInput| match *input {
            VertexInput::Attribute { location, offset } => {
                let attribute = resources
                    .get_attribute(location)
                    .ok_or(EmuError::MissingAttribute { location })?;
                Ok(Input::Attribute(attribute, offset as usize / 4))
            }
            VertexInput::SystemValues => Ok(Input::SystemValues),
            VertexInput::DrawParameters => Ok(Input::DrawParameters),
            other => Err(EmuError::StageInput(format!("vertex input {other:?} is not known"))),
        };
        let launch = Vertices {
            metadata,
            payload: self.stage_payload(0, resources, options)?,
            draw,
            indices: resources.indices().filter(|_| draw.indexed),
            inputs: metadata.inputs.iter().map(input).collect::<Result<_, _>>()?,
            results: Results::new(),
        };
        let units = launch.total().div_ceil(metadata.dispatch.objects().into());
        let mut report = self.run_units(&launch, units, [1; 3], resources, options, trace)?;
        report.counters.input_vertices = launch.total();
        report.counters.vertex_invocations = launch.total();
        Ok((launch.results.take().flatten().collect(), report))
    }
}
