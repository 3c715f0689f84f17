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

    /// How the slots of a geometry shader's input vertices are pushed.
    pub const fn geometry_slots(&self, dispatch: GeometryDispatch) -> SlotPacking {
        match dispatch {
            GeometryDispatch::DualObject | GeometryDispatch::Simd8 => self.own_slots,
            GeometryDispatch::Single | GeometryDispatch::DualInstance => self.shared_slots,
        }
    }
}
