//! Instruction selection for SIMD8 vertex, tessellation and geometry shaders: eight vertices, control points, domain
//! points, primitives or invocations per thread, one for each channel.
//!
//! [`crate::stage`] describes inputs and outputs as slots of 16 bytes, independent of registers. The modules here
//! select the code for loads of inputs, for stores to outputs, and for the start and the end of a thread. They define
//! where the payload has the slots and the handles of URB entries.
//!
//! - `urb`: handles of URB entries, reads of their slots, and slot numbers that are known at run time only;
//! - `outputs`: the dwords that a store to an output writes;
//! - `entry`: the URB entry of an output vertex, for vertex and tessellation evaluation shaders;
//! - one module for each stage.

mod entry;
mod geometry;
mod outputs;
mod tess_control;
mod tess_eval;
mod urb;
mod vertex;

use crestline_isa::Type;
use crestline_program::StageDispatch;
use crestline_ssa::ir::{InstId, InstKind, SysVal, Value};

use super::{SelectError, Selector};
use crate::ir::{Builder, GRF_BYTES, Operand};
use crate::stage::{SlotPacking, StageIo, ThreadMode, VueMap};

/// The parameters of SIMD8 threads, from which the layout of their payloads follows (PRM of gen8 and gen9, volumes on
/// the 3D pipeline: thread payload of each stage).
///
/// The hardware fills these registers at the start of the payload:
///
/// - Vertex: r1 has the handles of the output entries.
/// - Tessellation control, one patch per thread: r0.0 is the handle of the patch's entry, r1 to r4 have the handles of
///   the input control points.
/// - Tessellation evaluation: r0.0 is the handle of the patch's entry, r1 to r3 have the coordinates, r4 the handles of
///   the output entries.
/// - Geometry: r1 has the handles of the output entries.
///
/// A slot of which each invocation has its own copy takes four registers: one for each dword, with an element for each
/// channel. Two slots that all invocations share take one register. The limits on pushed registers leave registers for
/// the computations of the shader; the limit of geometry shaders is that of Mesa.
pub const MODE: ThreadMode = ThreadMode {
    dispatch: StageDispatch::Simd8,
    channels: CHANNELS as u32,
    invocations: CHANNELS as u32,
    constant_align: 4,
    vertex_header: 2,
    tess_control_header: 1,
    tess_eval_header: 5,
    geometry_header: 2,
    handles_per_register: GRF_BYTES / 4,
    own_slots: SlotPacking::RegistersPerSlot(4),
    shared_slots: SlotPacking::SlotsPerRegister(2),
    max_patch_registers: 16,
    max_vertex_registers: 112,
    max_geometry_registers: 24,
    always_writes_header: false,
    pushes_shared_vertices: false,
};

/// Channels of a thread.
pub const CHANNELS: u8 = 8;

/// Bytes of a pushed slot that each invocation has its own copy of.
const OWN_SLOT_BYTES: u32 = MODE.own_slots.registers(1) * GRF_BYTES;

/// The state of selection that depends on the stage.
#[derive(Debug, Default)]
pub(super) enum State {
    /// Compute and fragment shaders. Also the value that `std::mem::take` leaves while a function uses the state.
    #[default]
    None,
    /// Vertex and tessellation evaluation shaders.
    Entry(entry::Entry),
    /// Tessellation control.
    Patch(tess_control::Patch),
    /// Geometry.
    Vertices(Box<geometry::Vertices>),
}

/// A register of the payload, at byte offset `place`, that has a dword for each channel.
fn lanes(place: u32) -> Operand {
    Operand::grf(0, Type::Ud).byte_offset(place)
}

impl<'a> Selector<'a> {
    /// The layout of the output entry, for vertex and tessellation evaluation shaders: each invocation writes one
    /// vertex.
    fn output_entry(&self) -> Result<&'a VueMap, SelectError> {
        match &self.interface.io {
            StageIo::Vertex(io) => Ok(&io.outputs),
            StageIo::TessEval(io) => Ok(&io.outputs),
            _ => Err(SelectError::NotInLayout { what: "a stage's inputs and outputs" }),
        }
    }

    /// Emits the code that the stage needs before the shader's code, and creates the stage's [`State`].
    pub(super) fn open_stage(&mut self) -> Result<(), SelectError> {
        let interface = self.interface;
        self.stage = match &interface.io {
            StageIo::Vertex(_) => State::Entry(self.open_entry(vertex::HANDLES)?),
            StageIo::TessEval(_) => State::Entry(self.open_entry(tess_eval::HANDLES)?),
            StageIo::TessControl(io) => State::Patch(self.open_patch(io)),
            StageIo::Geometry(io) => State::Vertices(Box::new(self.open_geometry(io))),
            StageIo::None | StageIo::Fragment(_) => {
                return Err(SelectError::NotInLayout { what: "a stage's inputs and outputs" });
            }
        };
        Ok(())
    }

    /// Emits the code that the stage needs after the shader's code: the last messages, one of which ends the thread.
    pub(super) fn close_stage(&mut self) -> Result<(), SelectError> {
        let interface = self.interface;
        match (std::mem::take(&mut self.stage), &interface.io) {
            (State::Entry(entry), _) => self.close_entry(entry),
            (State::Patch(_), StageIo::TessControl(io)) => self.close_patch(io),
            (State::Vertices(vertices), StageIo::Geometry(io)) => {
                self.close_geometry(io, &vertices)
            }
            _ => Err(SelectError::NotInLayout { what: "a stage's inputs and outputs" }),
        }
    }

    /// Emits the messages that are possible after instruction number `index` of the shader's body: vertex and
    /// tessellation evaluation shaders write slots as soon as all their dwords are stored.
    pub(super) fn after_body_inst(&mut self, index: usize) -> Result<(), SelectError> {
        match &mut self.stage {
            State::Entry(entry) => {
                let groups = entry.complete_groups(index);
                self.write_groups(groups)
            }
            State::None | State::Patch(_) | State::Vertices(_) => Ok(()),
        }
    }

    /// Selects an instruction that only the stages of the geometry pipeline have, or that has another meaning in them.
    pub(super) fn stage_inst(
        &mut self,
        id: InstId,
        result: Option<Value>,
    ) -> Result<(), SelectError> {
        let (interface, shader) = (self.interface, self.shader);
        let kind = &shader.func.inst(id).kind;
        match (kind, &interface.io, result) {
            (_, StageIo::TessControl(io), _) => self.tess_control_access(io, id, result),
            (InstKind::LoadInput { .. }, StageIo::Vertex(io), Some(result)) => {
                self.vertex_input(io, kind, result)
            }
            (InstKind::LoadInput { .. }, StageIo::TessEval(io), Some(result)) => {
                self.tess_eval_input(io, kind, result)
            }
            (InstKind::LoadInput { .. }, StageIo::Geometry(io), Some(result)) => {
                self.geometry_input(io, kind, result)
            }
            (_, StageIo::Geometry(io), _) => {
                let mut stage = std::mem::take(&mut self.stage);
                let done = match &mut stage {
                    State::Vertices(vertices) => self.geometry_output(io, vertices, id),
                    _ => Err(SelectError::NotLowered { what: "an instruction of another stage" }),
                };
                self.stage = stage;
                done
            }
            (InstKind::StoreOutput { .. }, StageIo::Vertex(_) | StageIo::TessEval(_), _) => {
                self.store_in_entry(kind)
            }
            _ => Err(SelectError::NotLowered { what: "an instruction of another stage" }),
        }
    }

    /// Selects a built-in value that only the stages of the geometry pipeline have. Returns false for other built-ins.
    pub(super) fn stage_sysval(
        &mut self,
        sysval: SysVal,
        result: Value,
    ) -> Result<bool, SelectError> {
        match &self.interface.io {
            StageIo::Vertex(io) => self.vertex_sysval(io, sysval, result),
            StageIo::TessControl(_) => self.tess_control_sysval(sysval, result),
            StageIo::TessEval(_) => self.tess_eval_sysval(sysval, result),
            StageIo::Geometry(io) => self.geometry_sysval(io, sysval, result),
            StageIo::None | StageIo::Fragment(_) => Ok(false),
        }
    }

    /// Calls `build` with a builder and a new register of dwords. If `thread` is set, the register has one element and
    /// the builder emits instructions for one element; otherwise both have one element per channel. Returns the
    /// register.
    fn computed(&mut self, thread: bool, build: impl FnOnce(&mut Builder<'_>, Operand)) -> Operand {
        let mut b = self.b();
        if thread {
            let register = b.scalar(Type::Ud);
            build(&mut b.uniform(), register);
            register
        } else {
            let register = b.lanes(Type::Ud, 1);
            build(&mut b, register);
            register
        }
    }
}
