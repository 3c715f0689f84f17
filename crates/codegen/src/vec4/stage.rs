//! The differences between the stages in vec4 mode: which registers contain the slots that [`crate::stage`]
//! describes, how stores to outputs are selected, and how a thread starts and ends.

use crate::target::Target;
use crestline_isa::{ArfKind, Swizzle, Type};
use crestline_ssa::ir::{InstId, InstKind, Shader, Src, SysVal, Value};

use super::entry::{Entry, only_store};
use super::geometry::Vertices;
use super::operands::{Form, VECTOR_BYTES, ValueLocation, VectorRegister};
use super::tess_control::Patch;
use super::{SelectError, Selector};
use crate::interface::Interface;
use crate::ir::{Builder, Function, Operand, Origin, Region};
use crate::select::Class;
use crate::stage::{StageIo, Usage, VueMap};

/// The state of selection that depends on the stage.
#[derive(Debug)]
pub(super) enum State {
    /// Vertex and tessellation evaluation shaders: a thread writes a URB entry per vertex at its end.
    Entry { entry: Entry, usage: Usage },
    /// Tessellation control.
    Patch(Patch),
    /// Geometry.
    Vertices(Box<Vertices>),
    /// Placeholder while another state is in use, and after the end.
    Done,
}

/// The layout of the output entry, for stages that write one per vertex.
fn outputs(interface: &Interface) -> Option<&VueMap> {
    match &interface.io {
        StageIo::Vertex(io) => Some(&io.outputs),
        StageIo::TessEval(io) => Some(&io.outputs),
        _ => None,
    }
}

impl State {
    /// The state at the start of the shader. Emits the initialisation of output registers.
    pub(super) fn new(
        shader: &Shader,
        target: &Target,
        interface: &Interface,
        out: &mut Function,
    ) -> Result<State, SelectError> {
        match &interface.io {
            StageIo::TessControl(_) => return Ok(State::Patch(Patch::new(shader, out))),
            StageIo::Geometry(io) => {
                let vertices = Vertices::new(shader, io, out);
                vertices.open(out);
                return Ok(State::Vertices(Box::new(vertices)));
            }
            _ => {}
        }
        let missing = SelectError::NotInLayout { what: "a stage's inputs and outputs" };
        let outputs = outputs(interface).ok_or(missing)?;
        let usage = Usage::of(shader, outputs);
        let entry = Entry::new(&usage, out, target.registers.first_end_of_thread);
        entry.open(&usage, out);
        Ok(State::Entry { entry, usage })
    }

    /// For a store to an output: the stored value and its register, if no other store writes there.
    pub(super) fn only_store(
        &self,
        shader: &Shader,
        interface: &Interface,
        id: InstId,
    ) -> Option<(Src, VectorRegister)> {
        match (self, &interface.io) {
            (State::Entry { entry, usage }, _) => {
                let kind = &shader.func.inst(id).kind;
                only_store(&shader.func, usage, outputs(interface)?, entry, kind)
            }
            (State::Vertices(vertices), StageIo::Geometry(io)) => {
                vertices.only_store(&shader.func, io, id)
            }
            _ => None,
        }
    }
}

impl Selector<'_> {
    /// Emits the stage's code before the shader's code.
    pub(super) fn open_stage(&mut self) {
        let interface = self.interface;
        if let (State::Patch(patch), StageIo::TessControl(io)) = (&self.stage, &interface.io) {
            let patch = patch.clone();
            self.open_patch(io, &patch);
        }
    }

    /// Emits the stage's code after the shader's code: the last messages.
    pub(super) fn close_stage(&mut self) -> Result<(), SelectError> {
        let interface = self.interface;
        match (std::mem::replace(&mut self.stage, State::Done), &interface.io) {
            (State::Entry { entry, .. }, _) => entry.close(self),
            (State::Patch(patch), StageIo::TessControl(io)) => self.close_patch(io, &patch),
            (State::Vertices(vertices), StageIo::Geometry(io)) => {
                self.close_geometry(io, &vertices)
            }
            _ => Ok(()),
        }
    }

    /// Selects an access to an input or output.
    pub(super) fn io(&mut self, id: InstId, result: Option<Value>) -> Result<(), SelectError> {
        let (interface, shader) = (self.interface, self.shader);
        let kind = &shader.func.inst(id).kind;
        match (kind, &interface.io, result) {
            (_, StageIo::TessControl(io), _) => {
                let State::Patch(patch) = &self.stage else { return Ok(()) };
                let patch = patch.clone();
                self.tess_control_access(io, &patch, id, result)
            }
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
                let mut stage = std::mem::replace(&mut self.stage, State::Done);
                let done = match &mut stage {
                    State::Vertices(vertices) => self.geometry_output(io, vertices, id),
                    _ => Ok(()),
                };
                self.stage = stage;
                done
            }
            (InstKind::StoreOutput { .. }, _, _) => {
                let missing = SelectError::NotInLayout { what: "an output" };
                let vue_map = outputs(interface).ok_or(missing)?;
                let State::Entry { entry, .. } = &self.stage else { return Ok(()) };
                let entry = entry.clone();
                self.store_slots(vue_map, kind, &|slot| entry.register(slot))
            }
            _ => Err(SelectError::NotLowered { what: "an instruction of another stage" }),
        }
    }

    /// Selects a built-in value. Values that can be computed from others must have been lowered.
    pub(super) fn sysval(&mut self, sysval: SysVal, result: Value) -> Result<(), SelectError> {
        let interface = self.interface;
        if let Some(&place) = interface.draw_values.get(&sysval) {
            self.payload_scalar(result, place);
            return Ok(());
        }
        if sysval == SysVal::SubgroupInvocation {
            self.subgroup_invocation(result);
            return Ok(());
        }
        match (&interface.io, &self.stage) {
            (StageIo::Vertex(io), _) => self.vertex_sysval(io, sysval, result),
            (StageIo::TessEval(_), _) => self.tess_eval_sysval(sysval, result),
            (StageIo::Geometry(io), _) => self.geometry_sysval(io, sysval, result),
            (StageIo::TessControl(_), State::Patch(patch)) => {
                let patch = patch.clone();
                self.tess_control_sysval(&patch, sysval, result)
            }
            _ => Err(SelectError::NotLowered { what: "a built-in" }),
        }
    }

    /// Computes the number of each vertex in the thread, which is its number in the subgroup.
    fn subgroup_invocation(&mut self, result: Value) {
        let register = self.vector(Type::Ud);
        let first = register.with_stride(0);
        let mut b = Builder::new(&mut self.out);
        let mut b = b.uniform();
        b.mov(first, Operand::imm_ud(0));
        b.mov(first.byte_offset(VECTOR_BYTES), Operand::imm_ud(1));
        self.set_first_component_location(result, register);
    }

    /// Selects a read of the clock: the time stamp register, of which tm0.0 is the low half and tm0.1 the high one (PRM,
    /// "Timestamp Register"). One instruction reads both, for both vertices.
    pub(super) fn clock(&mut self, result: Value) {
        let register = self.vector(Type::Ud);
        let time = register.with_stride(1);
        let mut b = Builder::new(&mut self.out);
        let mut b = b.no_mask();
        b.exec(2).mov(time, Operand::arf(ArfKind::Timestamp, 0, Type::Ud));
        b.exec(2).mov(time.byte_offset(VECTOR_BYTES), time);
        self.set_vector_location(result, register, 0);
    }

    /// Appends instructions to the prologue, which runs before everything else.
    pub(super) fn prologue(&mut self, build: impl FnOnce(&mut Builder<'_>)) {
        let width = self.out.dispatch_width;
        let b = Builder::list(&mut self.out.vregs, &mut self.prologue, width);
        let mut b = b.from_origin(Origin::Setup);
        build(&mut b);
    }

    /// Makes components of a payload register, from component `first` on, the location of a value. The lower half of
    /// the register belongs to the first vertex.
    pub(super) fn payload_vector(&mut self, result: Value, offset: u32, first: u8) {
        let vector = Operand::grf(0, Type::Ud).byte_offset(offset);
        self.set_vector_location(result, vector, first);
    }

    /// Makes components of a vector, from component `first` on, the location of a value. Doubles are moved to a new
    /// register.
    pub(super) fn set_vector_location(&mut self, result: Value, vector: Operand, first: u8) {
        let last = first + (self.comps(result) as u8 - 1);
        let wide = self.bits(result) == 64;
        let comp = |i: u8| if wide { (first + i).min(3) } else { (first + i).min(last).min(3) };
        let swizzle = [0, 1, 2, 3].map(comp);
        if wide {
            let register = self.define(result);
            self.widen(vector, swizzle, register);
        } else {
            let location = vector.with_region(Region::Swizzle(Swizzle(swizzle)));
            self.set_location(result, ValueLocation::Register(location));
        }
    }

    /// The constant value of a scalar source; `None` if it is not constant.
    pub(super) fn known_scalar(&self, src: Src) -> Option<u32> {
        match self.location(src.value) {
            ValueLocation::Constant(bits) => Some(bits[usize::from(src.swizzle[0])] as u32),
            ValueLocation::Register(_) => None,
        }
    }

    /// A scalar source as a register operand that all channels read.
    pub(super) fn index(&mut self, src: Src) -> Operand {
        self.src(src.select(0), 0xf, Class::Unsigned, Form::Register)
    }
}
