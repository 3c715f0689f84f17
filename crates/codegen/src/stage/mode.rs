//! The parameters of the threads of vertex, tessellation and geometry shaders on which the layout of the payload
//! depends: how many registers the hardware fills, and how many registers pushed slots take. Registers are of
//! [`GRF_BYTES`](crestline_program::GRF_BYTES) bytes.

use crestline_program::{GeometryDispatch, StageDispatch};

/// The hardware pushes slots in pairs, because a URB read length is in units of 32 bytes.
pub const PUSH_UNIT: u32 = 2;

/// The parameters of one kind of threads (SIMD4x2 or SIMD8) for the stages of the geometry pipeline. Each of the two
/// back ends has one constant of this type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadMode {
    /// The driver's name of the mode, for all stages but geometry.
    pub dispatch: StageDispatch,
    /// Channels of a thread: the SIMD width of the metadata.
    pub channels: u32,
    /// Vertices, control points or domain points of a thread.
    pub invocations: u32,
    /// Alignment in bytes of a range of constants, both of its offset in its block and of its offset in the payload.
    pub constant_align: u32,
    /// Registers before the constants of a vertex shader.
    pub vertex_header: u32,
    /// Registers before the handles of a tessellation control shader's input control points.
    pub tess_control_header: u32,
    /// Registers before the constants of a tessellation evaluation shader.
    pub tess_eval_header: u32,
    /// Registers of a geometry shader before the primitive ids, the handles of its input vertices and the constants, in
    /// this order.
    pub geometry_header: u32,
    /// Number of handles of input entries in a register.
    pub handles_per_register: u32,
    /// How many registers pushed slots take if each invocation has its own copy of them.
    pub own_slots: SlotPacking,
    /// How many registers pushed slots take if all invocations of a thread share them.
    pub shared_slots: SlotPacking,
    /// Largest number of registers for the pushed slots of a patch.
    pub max_patch_registers: u32,
    /// Largest number of payload registers of a vertex shader.
    pub max_vertex_registers: u32,
    /// Largest number of registers for the pushed slots of all input vertices of a geometry shader.
    pub max_geometry_registers: u32,
    /// Whether the code writes the vertex header of each entry, even if the shader has no output there.
    pub always_writes_header: bool,
    /// Whether the slots of a geometry shader's input vertices are pushed if the invocations of a thread share them.
    pub pushes_shared_vertices: bool,
}

/// How many registers pushed slots take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotPacking {
    /// A slot takes this number of registers.
    RegistersPerSlot(u32),
    /// A register has this number of slots.
    SlotsPerRegister(u32),
}

impl SlotPacking {
    /// Number of registers that `slots` slots take.
    pub const fn registers(self, slots: u32) -> u32 {
        match self {
            SlotPacking::RegistersPerSlot(registers) => slots * registers,
            SlotPacking::SlotsPerRegister(count) => slots.div_ceil(count),
        }
    }

    /// Number of slots that fit into `registers` registers.
    pub const fn slots(self, registers: u32) -> u32 {
        match self {
            SlotPacking::RegistersPerSlot(each) => registers / each,
            SlotPacking::SlotsPerRegister(count) => registers * count,
        }
    }
}

impl ThreadMode {
    /// Number of registers with the handles of `entries` input entries.
    pub const fn handle_registers(&self, entries: u32) -> u32 {
        entries.div_ceil(self.handles_per_register)
    }

    /// How a geometry shader's threads are dispatched. For SIMD4x2, the result also states what a thread works on: two
    /// invocations of one primitive if there are several invocations for each primitive, otherwise two primitives if
    /// the slots of all their vertices fit into `room` registers, otherwise one primitive. `vertices` is the number of
    /// input vertices, `slots` the number of slots of each.
    pub const fn geometry(
        &self,
        invocations: u32,
        vertices: u32,
        slots: u32,
        room: u32,
    ) -> GeometryDispatch {
        match self.dispatch {
            StageDispatch::Simd8 => GeometryDispatch::Simd8,
            StageDispatch::Simd4x2 if invocations > 1 => GeometryDispatch::DualInstance,
            StageDispatch::Simd4x2 if vertices * self.own_slots.registers(slots) <= room => {
                GeometryDispatch::DualObject
            }
            StageDispatch::Simd4x2 => GeometryDispatch::Single,
        }
    }

    /// Whether the invocations of a geometry shader's thread work on different primitives.
    pub const fn has_several_primitives(dispatch: GeometryDispatch, invocations: u32) -> bool {
        match dispatch {
            GeometryDispatch::DualObject => true,
            GeometryDispatch::Simd8 => invocations == 1,
            GeometryDispatch::Single | GeometryDispatch::DualInstance => false,
        }
    }

    /// How many registers the pushed slots of a geometry shader's input vertices take. `own` states whether the
    /// invocations of a thread work on different primitives.
    pub const fn geometry_slots(&self, own: bool) -> SlotPacking {
        if own { self.own_slots } else { self.shared_slots }
    }

    /// Number of registers with the handles of a geometry shader's input vertices. `own` states whether the invocations
    /// of a thread work on different primitives. If a SIMD8 thread has eight primitives, a register has the handles of
    /// the vertices with the same number in each of them.
    pub const fn geometry_handles(&self, own: bool, vertices: u32) -> u32 {
        match self.dispatch {
            StageDispatch::Simd8 if own => vertices,
            _ => self.handle_registers(vertices),
        }
    }
}
