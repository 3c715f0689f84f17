//! Where a thread finds what it is given, and puts what it gives: the compiler's half of the contract with the driver.
//!
//! The stage's layout (in the `crestline` crate) decides, writes the same facts into the program's metadata, and hands
//! them to selection in this form.

use std::collections::BTreeMap;

use crestline_ssa::ir::{BindingId, ImageParam, IoSlot};

/// Places of payload values and indices of surfaces.
///
/// A payload place is a byte offset in the register file: 32 * register + byte.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interface {
    /// Registers that hold payload when a thread starts, r0 included: r0 to r(n - 1).
    pub payload_registers: u32,
    /// The push constants.
    pub push_constants: Option<PushConstants>,
    /// Ranges of uniform buffers that lie in the payload too (vec4 mode only).
    pub pushed_buffers: BTreeMap<BindingId, PushConstants>,
    /// The dword that holds the thread's index in its workgroup.
    pub subgroup_id: Option<u32>,
    /// The dwords that hold buffer sizes in bytes, by binding and array element.
    pub buffer_sizes: BTreeMap<(BindingId, u32), u32>,
    /// The pairs of dwords that hold buffer addresses, likewise.
    pub buffer_addresses: BTreeMap<(BindingId, u32), u32>,
    /// The dwords that hold image parameters, one after another: the first of each parameter of each array element. Those
    /// of an array's elements lie at equal distances.
    pub image_params: BTreeMap<(BindingId, ImageParam, u32), u32>,
    /// First binding table index of each binding; the elements of an array follow.
    pub surfaces: BTreeMap<BindingId, u8>,
    /// First sampler index of each binding; the elements of an array follow.
    pub samplers: BTreeMap<BindingId, u8>,
    /// Binding table index of the three dwords that tell the number of workgroups.
    pub num_workgroups: Option<u8>,
    /// Binding table index of the program's constant data.
    pub const_data: Option<u8>,
    /// Inputs and outputs of a stage of the geometry pipeline.
    pub io: StageIo,
    /// Whether selection forgets where the results of arithmetic are: to test that it finds out.
    pub forgets: bool,
}

/// A range of the push constant block or of a uniform buffer, as it lies in the payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PushConstants {
    /// Payload place of the range, in bytes.
    pub place: u32,
    /// First byte of the range in the block or buffer, a multiple of 4; in vec4 mode one of 16, as `place` is.
    pub first: u32,
    /// Bytes of the range, a multiple of 4.
    pub bytes: u32,
}

/// What a stage of the geometry pipeline gets and gives, in threads of two vertices.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum StageIo {
    /// No such stage.
    #[default]
    None,
    /// Vertex.
    Vertex(VertexIo),
    /// Tessellation control.
    TessControl(TessControlIo),
    /// Tessellation evaluation.
    TessEval(TessEvalIo),
    /// Geometry.
    Geometry(GeometryIo),
}

/// A vertex shader's inputs and outputs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VertexIo {
    /// Payload place of each input slot: a register, the low half for the first vertex.
    pub inputs: BTreeMap<IoSlot, u32>,
    /// The register of first vertex, first instance, vertex id and instance id.
    pub system_values: Option<u32>,
    /// The register of draw id.
    pub draw_parameters: Option<u32>,
    /// The output entry.
    pub outputs: EntryLayout,
}

/// A tessellation control shader's inputs and outputs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TessControlIo {
    /// Control points of the output patch.
    pub output_vertices: u32,
    /// Control points of the input patch, if they are known.
    pub input_vertices: Option<u32>,
    /// The entry of an input control point.
    pub inputs: EntryLayout,
    /// First part of the patch entry.
    pub patch: EntryLayout,
    /// An output control point, which follow one after another.
    pub vertex: EntryLayout,
}

/// A tessellation evaluation shader's inputs and outputs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TessEvalIo {
    /// First part of the patch entry.
    pub patch: EntryLayout,
    /// A control point of the patch entry.
    pub vertex: EntryLayout,
    /// Payload place of the patch entry's first slot; slots are 16 bytes apart.
    pub pushed: u32,
    /// Slots that are in the payload; the others are in the entry.
    pub pushed_slots: u32,
    /// The output entry.
    pub outputs: EntryLayout,
}

/// A geometry shader's inputs and outputs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GeometryIo {
    /// The thread's vectors are two primitives, not two invocations of one.
    pub dual_object: bool,
    /// Vertices of an input primitive.
    pub input_vertices: u32,
    /// The entry of an input vertex.
    pub inputs: EntryLayout,
    /// The register of the primitive ids, in all dwords of each half.
    pub primitive_id: Option<u32>,
    /// Payload place of the first vertex' first slot. Slots are registers if `dual_object`, the low half for the first
    /// primitive; else 16 bytes apart.
    pub pushed: u32,
    /// Slots of each vertex in the payload, from the first on.
    pub pushed_slots: u32,
    /// Payload place of the handles of the vertices' entries, for the other slots; a dword each.
    pub handles: Option<u32>,
    /// Vertices emitted at most.
    pub max_vertices: u32,
    /// Bytes of the number of vertices at the start of the output entry; 0 if the last message tells it.
    pub count_bytes: u32,
    /// Bytes of the control data before the vertices.
    pub control_bytes: u32,
    /// The control data are streams, two bits for each vertex, rather than cuts, one bit.
    pub streams: bool,
    /// An emitted vertex.
    pub outputs: EntryLayout,
    /// Slots from vertex to vertex, even.
    pub vertex_slots: u32,
}

/// Where data are in a URB entry or a part of one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EntryLayout {
    /// The place of each slot of the API.
    pub places: BTreeMap<IoSlot, EntryPlace>,
    /// Slots in all.
    pub slots: u32,
}

/// A place in a URB entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntryPlace {
    /// The slot, counted in 16 bytes.
    pub slot: u32,
    /// The dword of each component that has a place.
    dwords: [u8; 4],
    /// How many have one.
    comps: u8,
}

impl EntryPlace {
    /// Components in order from the slot's start.
    pub const fn whole(slot: u32) -> EntryPlace {
        EntryPlace { slot, dwords: [0, 1, 2, 3], comps: 4 }
    }

    /// Component 0 at a dword; the others have no place.
    pub const fn at(slot: u32, dword: u8) -> EntryPlace {
        EntryPlace { slot, dwords: [dword; 4], comps: 1 }
    }

    /// The components at these dwords, four at most; the others have no place.
    pub fn of(slot: u32, dwords: &[u8]) -> EntryPlace {
        let mut all = [0; 4];
        let comps = dwords.len().min(all.len());
        all[..comps].copy_from_slice(&dwords[..comps]);
        EntryPlace { slot, dwords: all, comps: comps as u8 }
    }

    /// The dwords of the components from number `comp` on.
    pub fn dwords_from(&self, comp: u8) -> &[u8] {
        self.dwords[..usize::from(self.comps)].get(usize::from(comp)..).unwrap_or(&[])
    }
}
