//! The contract: slots, entries, pushes. No register is named but by its byte in the payload.

use std::collections::BTreeMap;

use crestline_ssa::ir::{IoSlot, SysVal};

/// What a stage of the geometry pipeline gets and gives.
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
    /// The pushed slot of each slot of an attribute.
    pub inputs: BTreeMap<IoSlot, u32>,
    /// The pushed slot of first vertex, first instance, vertex id and instance id.
    pub system_values: Option<u32>,
    /// The pushed slot of draw id.
    pub draw_parameters: Option<u32>,
    /// Byte in the payload of pushed slot 0.
    pub pushed: u32,
    /// The output entry.
    pub outputs: VueMap,
}

/// Where a number of a vertex is: the sum of components of a pushed slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VertexIdSource {
    /// The pushed slot.
    pub slot: u32,
    /// A component.
    pub comp: u8,
    /// Another, if there is something to add.
    pub plus: Option<u8>,
}

impl VertexIo {
    /// Where a built-in is that tells one vertex, instance or draw call from another; `None` for others, and for those that
    /// the payload has not.
    ///
    /// The order of components is that of the driver's vertex element (docs/metadata.md, `system_values`). Vertex and
    /// instance are counted from 0 there, and from the first one by the shader.
    pub fn number(&self, sysval: SysVal) -> Option<VertexIdSource> {
        let (comp, plus) = match sysval {
            SysVal::DrawIndex => {
                return Some(VertexIdSource { slot: self.draw_parameters?, comp: 0, plus: None });
            }
            SysVal::BaseVertex => (0, None),
            SysVal::BaseInstance => (1, None),
            SysVal::VertexIndex => (2, Some(0)),
            SysVal::InstanceIndex => (3, Some(1)),
            _ => return None,
        };
        Some(VertexIdSource { slot: self.system_values?, comp, plus })
    }
}

/// A tessellation control shader's inputs and outputs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TessControlIo {
    /// Control points of the output patch.
    pub output_vertices: u32,
    /// Control points of the input patch, if they are known.
    pub input_vertices: Option<u32>,
    /// Byte in the payload of the handles of the input control points' entries; a dword each.
    pub handles: u32,
    /// The entry of an input control point.
    pub inputs: VueMap,
    /// First part of the patch entry.
    pub patch: VueMap,
    /// An output control point, which follow one after another.
    pub vertex: VueMap,
}

/// A tessellation evaluation shader's inputs and outputs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TessEvalIo {
    /// First part of the patch entry.
    pub patch: VueMap,
    /// A control point of the patch entry.
    pub vertex: VueMap,
    /// Byte in the payload of the patch entry's first slot.
    pub pushed: u32,
    /// Slots of the patch entry that are pushed, from the first on; the others are in the entry.
    pub pushed_slots: u32,
    /// The output entry.
    pub outputs: VueMap,
}

/// A geometry shader's inputs and outputs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GeometryIo {
    /// Invocations of a thread are of different primitives, so that each has pushed slots of its own; else they are of
    /// one.
    pub dual_object: bool,
    /// Vertices of an input primitive.
    pub input_vertices: u32,
    /// The entry of an input vertex.
    pub inputs: VueMap,
    /// Byte in the payload of the primitive ids.
    pub primitive_id: Option<u32>,
    /// Byte in the payload of the first vertex' first slot; vertex after vertex.
    pub pushed: u32,
    /// Slots of each vertex that are pushed, from the first on.
    pub pushed_slots: u32,
    /// Byte in the payload of the handles of the vertices' entries, for the other slots; a dword each.
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
    pub outputs: VueMap,
    /// Slots from vertex to vertex, even.
    pub vertex_slots: u32,
}

/// The layout of a vertex URB entry (VUE), of a patch entry, or of a part of one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VueMap {
    /// Where each slot of the API is.
    pub slots: BTreeMap<IoSlot, VueSlot>,
    /// Slots of 16 bytes in all.
    pub num_slots: u32,
}

/// Where the components of a slot of the API are in an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VueSlot {
    /// The slot, counted in 16 bytes.
    pub slot: u32,
    /// The dword of each component that is in the entry.
    dwords: [u8; 4],
    /// How many components are.
    comps: u8,
}

impl VueSlot {
    /// Components in order from the slot's start.
    pub const fn whole(slot: u32) -> VueSlot {
        VueSlot { slot, dwords: [0, 1, 2, 3], comps: 4 }
    }

    /// Component 0 at a dword; the others are not in the entry.
    pub const fn at(slot: u32, dword: u8) -> VueSlot {
        VueSlot { slot, dwords: [dword; 4], comps: 1 }
    }

    /// The components at these dwords, four at most; the others are not in the entry.
    pub fn of(slot: u32, dwords: &[u8]) -> VueSlot {
        let mut all = [0; 4];
        let comps = dwords.len().min(all.len());
        all[..comps].copy_from_slice(&dwords[..comps]);
        VueSlot { slot, dwords: all, comps: comps as u8 }
    }

    /// The dwords of the components from number `comp` on.
    pub fn dwords_from(&self, comp: u8) -> &[u8] {
        self.dwords[..usize::from(self.comps)].get(usize::from(comp)..).unwrap_or(&[])
    }
}
