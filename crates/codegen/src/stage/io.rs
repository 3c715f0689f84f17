//! The data structures of the interface: slots, URB entries and pushed data. Positions in the payload are byte
//! offsets.

use std::collections::BTreeMap;

use crestline_ssa::ir::{IoSlot, SysVal};

use super::FragmentIo;

/// The inputs and outputs of a stage other than compute.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum StageIo {
    /// A stage without such inputs and outputs.
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
    /// Fragment.
    Fragment(FragmentIo),
}

/// A vertex shader's inputs and outputs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VertexIo {
    /// For each slot of each attribute, the number of the pushed slot that has its value.
    pub inputs: BTreeMap<IoSlot, u32>,
    /// The pushed slot with first vertex, first instance, vertex id and instance id.
    pub system_values: Option<u32>,
    /// The pushed slot with the draw id.
    pub draw_parameters: Option<u32>,
    /// Byte offset in the payload of pushed slot 0.
    pub pushed: u32,
    /// The layout of the output entry.
    pub outputs: VueMap,
}

/// Where the payload has a number that identifies a vertex, instance or draw call: in one component of a pushed slot,
/// or as the sum of two components.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VertexIdSource {
    /// The pushed slot.
    pub slot: u32,
    /// The component.
    pub comp: u8,
    /// The component that is added to it, if any.
    pub plus: Option<u8>,
}

impl VertexIo {
    /// Where the payload has a built-in that identifies the vertex, instance or draw call. `None` for other built-ins,
    /// and for a built-in that the payload does not contain.
    ///
    /// The order of components is that of the driver's vertex element (docs/metadata.md, `system_values`). In the
    /// element, the numbers of vertices and instances start at 0. In the shader, they start at the first vertex or
    /// instance of the draw call, so the number of that one is added.
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
    /// Number of control points of the output patch.
    pub output_vertices: u32,
    /// Number of control points of the input patch, if it is known.
    pub input_vertices: Option<u32>,
    /// Byte offset in the payload of the handles of the input control points' entries; one dword each.
    pub handles: u32,
    /// The layout of an input control point's entry.
    pub inputs: VueMap,
    /// The layout of the first part of the patch's entry.
    pub patch: VueMap,
    /// The layout of an output control point in the patch's entry. The control points are consecutive.
    pub vertex: VueMap,
}

/// A tessellation evaluation shader's inputs and outputs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TessEvalIo {
    /// The layout of the first part of the patch's entry.
    pub patch: VueMap,
    /// The layout of a control point in the patch's entry.
    pub vertex: VueMap,
    /// Byte offset in the payload of the first slot of the patch's entry.
    pub pushed: u32,
    /// Number of slots of the patch's entry that are pushed, from the first on. The others must be read from the
    /// entry.
    pub pushed_slots: u32,
    /// The layout of the output entry.
    pub outputs: VueMap,
}

/// A geometry shader's inputs and outputs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GeometryIo {
    /// Whether the invocations of a thread work on different primitives, so that each has its own pushed slots.
    /// Otherwise all work on the same primitive.
    pub dual_object: bool,
    /// Number of vertices of an input primitive.
    pub input_vertices: u32,
    /// The layout of an input vertex's entry.
    pub inputs: VueMap,
    /// Byte offset in the payload of the primitive ids.
    pub primitive_id: Option<u32>,
    /// Byte offset in the payload of the first vertex's first slot. The slots of a vertex are consecutive, and so are
    /// the vertices.
    pub pushed: u32,
    /// Number of slots of each vertex that are pushed, from the first on.
    pub pushed_slots: u32,
    /// Byte offset in the payload of the handles of the vertices' entries, which contain the other slots; one dword
    /// each.
    pub handles: Option<u32>,
    /// The declared maximum of emitted vertices.
    pub max_vertices: u32,
    /// Size in bytes of the vertex count at the start of the output entry; 0 if the last message contains it instead.
    pub count_bytes: u32,
    /// Size in bytes of the control data before the vertices.
    pub control_bytes: u32,
    /// Whether the control data are stream ids, two bits for each vertex. Otherwise they are cuts, one bit for each
    /// vertex.
    pub streams: bool,
    /// The layout of an emitted vertex.
    pub outputs: VueMap,
    /// Distance in slots between two vertices; an even number.
    pub vertex_slots: u32,
}

/// The layout of a vertex URB entry (VUE), of a patch entry, or of a part of one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VueMap {
    /// The position of each slot of the API.
    pub slots: BTreeMap<IoSlot, VueSlot>,
    /// Number of slots of 16 bytes.
    pub num_slots: u32,
}

impl VueMap {
    /// Whether some slot of the API is in the first slot: the vertex header, or half of the patch header.
    pub fn has_header(&self) -> bool {
        self.slots.values().any(|at| at.slot == super::stores::HEADER)
    }
}

/// The position in an entry of the components of a slot of the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VueSlot {
    /// The number of the 16-byte slot.
    pub slot: u32,
    /// The dword in the slot of each component.
    dwords: [u8; 4],
    /// Number of components in the entry.
    comps: u8,
}

impl VueSlot {
    /// A slot with all four components in order.
    pub const fn whole(slot: u32) -> VueSlot {
        VueSlot { slot, dwords: [0, 1, 2, 3], comps: 4 }
    }

    /// A slot with component 0 only, at dword `dword`.
    pub const fn at(slot: u32, dword: u8) -> VueSlot {
        VueSlot { slot, dwords: [dword; 4], comps: 1 }
    }

    /// A slot with components at the given dwords in this order. Dwords after the fourth are ignored.
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
