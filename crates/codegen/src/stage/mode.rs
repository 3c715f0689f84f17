//! The mode of a stage's threads, as far as the layout of the payload depends on it: which registers hold what the contract
//! pushes. All counts of registers are of registers of [`GRF_BYTES`](crestline_program::GRF_BYTES) bytes.

use crestline_program::{GeometryDispatch, StageDispatch};

/// Slots that the hardware pushes are pairs: a URB read length counts 32 bytes.
pub const PUSH_UNIT: u32 = 2;

/// How the threads of a stage of the geometry pipeline hold what they are given. Each instruction selection for such stages has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadMode {
    /// The driver's name of the mode, for all stages but geometry.
    pub dispatch: StageDispatch,
    /// Channels of a thread: the SIMD width of the metadata.
    pub channels: u32,
    /// Vertices, control points or domain points of a thread.
    pub invocations: u32,
    /// A range of constants begins at a multiple of so many bytes of its block and of the payload.
    pub constant_align: u32,
    /// Registers before the constants of a vertex shader.
    pub vertex_header: u32,
    /// Registers before the handles of a tessellation control shader's input control points.
    pub tess_control_header: u32,
    /// Registers before the constants of a tessellation evaluation shader.
    pub tess_eval_header: u32,
    /// Registers of a geometry shader before the primitive ids, the handles of its input vertices and the constants, in this
    /// order.
    pub geometry_header: u32,
    /// Handles of input entries that share a register.
    pub handles_per_register: u32,
    /// Pushed slots of which each invocation has its own copy.
    pub own_slots: SlotPacking,
    /// Pushed slots that all invocations of a thread share.
    pub shared_slots: SlotPacking,
    /// Registers of pushed slots of a patch at most.
    pub max_patch_registers: u32,
    /// Payload registers of a vertex shader at most.
    pub max_vertex_registers: u32,
    /// Registers of pushed slots of a geometry shader's input vertices at most.
    pub max_geometry_registers: u32,
    /// Whether the slots of a geometry shader's input vertices are pushed if the invocations of a thread share them.
    pub pushes_shared_vertices: bool,
    /// Whether ranges of uniform buffers are in the payload.
    pub pushes_buffers: bool,
}

/// How many registers pushed slots take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotPacking {
    /// So many registers for each slot.
    RegistersPerSlot(u32),
    /// So many slots in each register.
    SlotsPerRegister(u32),
}

impl SlotPacking {
    /// Registers that so many slots take.
    pub const fn registers(self, slots: u32) -> u32 {
        match self {
            SlotPacking::RegistersPerSlot(registers) => slots * registers,
            SlotPacking::SlotsPerRegister(count) => slots.div_ceil(count),
        }
    }

    /// Slots that so many registers have room for.
    pub const fn slots(self, registers: u32) -> u32 {
        match self {
            SlotPacking::RegistersPerSlot(each) => registers / each,
            SlotPacking::SlotsPerRegister(count) => registers * count,
        }
    }
}

impl ThreadMode {
    /// Registers of the handles of so many input entries.
    pub const fn handle_registers(&self, entries: u32) -> u32 {
        entries.div_ceil(self.handles_per_register)
    }

    /// What the invocations of a geometry shader's thread are, where each of `vertices` input vertices has so many slots,
    /// the shader so many invocations for each primitive, and the payload so many registers.
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

    /// Whether the invocations of a geometry shader's thread have different primitives.
    pub const fn has_several_primitives(dispatch: GeometryDispatch, invocations: u32) -> bool {
        match dispatch {
            GeometryDispatch::DualObject => true,
            GeometryDispatch::Simd8 => invocations == 1,
            GeometryDispatch::Single | GeometryDispatch::DualInstance => false,
        }
    }

    /// How the slots of a geometry shader's input vertices are pushed. `own` states whether the invocations of a
    /// thread have different primitives.
    pub const fn geometry_slots(&self, own: bool) -> SlotPacking {
        if own { self.own_slots } else { self.shared_slots }
    }

    /// Registers of the handles of a geometry shader's input vertices. `own` states whether the invocations of a thread
    /// have different primitives: with eight of them, a register has the handles of one vertex of each primitive.
    pub const fn geometry_handles(&self, own: bool, vertices: u32) -> u32 {
        match self.dispatch {
            StageDispatch::Simd8 if own => vertices,
            _ => self.handle_registers(vertices),
        }
    }
}
