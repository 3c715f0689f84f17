//! Instruction selection for threads of two vertices (SIMD4x2): each instruction works on a vector of each.
//!
//! Input is an optimised shader whose arithmetic still has vectors: structured control flow, no variables. The walk
//! visits regions in program order and writes Align16 instructions at the end of the function:
//!
//! - A value is a vector in a register, the lower half for the first vertex; of doubles, a register for each vertex
//!   (`operands`). Swizzles are part of who reads it, write masks of who computes it. Doubles are selected as any other
//!   type, their swizzles in doubles; `lower_df_*` make hardware instructions of them.
//! - A component is computed where the vector or output it belongs to is (`register_hints`).
//! - A constant is an immediate of its reader, packed if its channels differ; where an instruction takes none, it comes
//!   from vectors that the program's first block fills (`consts`).
//! - Three-source instructions do not read vectors that all vertices share: such a vector is copied before the first of
//!   them, and the next ones read the copy (`Known`).
//! - A boolean that decides is compared where it is used, straight into a flag; one that is data is a mask (`cond`).
//! - What all vertices share, push constants and pushed inputs, is read in the payload as a uniform: byte 0 of the uniform
//!   file is byte 0 of r0.
//! - Inputs and outputs are the stage's business (`vertex` and its like), as its messages are.

mod alu;
mod array;
mod cond;
mod consts;
mod entry;
mod flow;
mod geometry;
mod image;
mod memory;
mod operands;
mod register_hints;
mod stage;
mod tess_control;
mod tess_eval;
mod texture;
mod urb;
mod vertex;
mod wide;

use std::sync::Arc;

use crate::target::Target;
use crestline_program::StageDispatch;
use crestline_ssa::ir::{InstId, InstKind, RegionId, Shader, Value};

use crate::interface::Interface;
use crate::ir::{Builder, File, Function, GRF_BYTES, Inst, Operand, Origin};
use crate::select::{Booleans, Faults, Frames, Recent, SelectError, Structured, used_values};
use crate::stage::{SlotPacking, ThreadMode};

/// Channels of a thread.
pub const CHANNELS: u8 = 8;

/// The payloads of threads of two vertices (PRM, volumes on the 3D pipeline, gen7 to gen8: thread payload of each stage).
///
/// r0 has the handles of the output entries. Handles of input control points are in r1 to r4. A tessellation evaluation
/// shader has coordinates, the patch's handle and its number in r1. A register has a vector for each vertex, or two vectors
/// that both share.
pub const MODE: ThreadMode = ThreadMode {
    dispatch: StageDispatch::Simd4x2,
    channels: CHANNELS as u32,
    invocations: 2,
    constant_align: operands::VECTOR_BYTES,
    vertex_header: 1,
    tess_control_header: 1,
    tess_eval_header: 2,
    geometry_header: 1,
    handles_per_register: GRF_BYTES / 4,
    own_slots: SlotPacking::RegistersPerSlot(1),
    shared_slots: SlotPacking::SlotsPerRegister(GRF_BYTES / operands::VECTOR_BYTES),
    max_patch_registers: 32,
    max_vertex_registers: 64,
    max_geometry_registers: 64,
    always_writes_header: true,
    pushes_shared_vertices: true,
};

/// Selects instructions for a stage of the geometry pipeline, that [`Interface::io`] tells the inputs and outputs of.
///
/// # Errors
/// See [`SelectError`].
pub fn select(
    shader: &Shader,
    target: &Target,
    interface: &Interface,
) -> Result<Function, SelectError> {
    let mut selector = Selector::new(shader, target, interface)?;
    selector.open_stage();
    selector.region(shader.func.body())?;
    selector.out.origin = Origin::Setup;
    selector.close_stage()?;
    selector.faults.check(&selector.out)?;
    let (pool, prologue) = (selector.pool, selector.prologue);
    let mut out = selector.out;
    pool.fill(&mut out, prologue);
    Ok(out)
}

/// The most copies of shared vectors that are kept for later instructions. Each copy that is read again keeps a register
/// in use.
const COPIES: usize = 16;

/// What registers contain at the current position, so that the code need not compute it again.
#[derive(Clone, Default)]
struct Known {
    flags: cond::FlagCache,
    /// Vectors that both vertices share (file and offset in bytes), and their copies with a vector per vertex.
    copies: Recent<(File, u32), Operand, COPIES>,
}

/// The state of the walk.
struct Selector<'a> {
    shader: &'a Shader,
    target: &'a Target,
    interface: &'a Interface,
    out: Function,
    faults: Faults,
    stage: stage::State,
    /// Where each value is, by value.
    locations: Vec<Option<operands::ValueLocation>>,
    /// Where a value should be computed, by value, and the register once it is known.
    hints: Vec<Option<register_hints::RegisterHint>>,
    reserved: Vec<Option<operands::VectorRegister>>,
    booleans: Booleans,
    known: Known,
    /// Values that something reads, by value.
    used: Vec<bool>,
    pool: consts::Pool,
    /// The registers that stand for scratch space.
    array: Option<Operand>,
    /// Instructions before all others.
    prologue: Vec<Inst>,
    /// The handle of a patch's entry, once something asks for it.
    patch_handle: Option<Operand>,
    frames: Frames<operands::VectorRegister>,
}

impl<'a> Selector<'a> {
    fn new(
        shader: &'a Shader,
        target: &'a Target,
        interface: &'a Interface,
    ) -> Result<Selector<'a>, SelectError> {
        let values = shader.func.num_values();
        let mut out = Function::new(CHANNELS);
        out.debug = Arc::new(shader.func.debug.clone());
        out.origin = Origin::Setup;
        out.payload_registers = interface.payload_registers;
        let array = array::registers(shader, target, &mut out);
        if array.is_none() {
            // The dwords of two vertices take turns.
            out.scratch_bytes = shader.scratch_bytes.next_multiple_of(4).saturating_mul(2);
        }
        out.push_register = 0;
        out.push_bytes = interface.payload_registers * GRF_BYTES;
        let booleans = Booleans::new(&shader.func);
        let stage = stage::State::new(shader, target, interface, &mut out)?;
        let hints = register_hints::register_hints(&shader.func, &booleans, &|id| {
            stage.only_store(shader, interface, id)
        });
        Ok(Selector {
            shader,
            target,
            interface,
            out,
            faults: Faults::default(),
            stage,
            locations: vec![None; values],
            hints,
            reserved: vec![None; values],
            booleans,
            known: Known::default(),
            used: used_values(&shader.func),
            pool: consts::Pool::default(),
            array,
            prologue: Vec::new(),
            patch_handle: None,
            frames: Frames::new(),
        })
    }

    /// Appends Align16 instructions for both vertices.
    fn b(&mut self) -> Builder<'_> {
        Builder::new(&mut self.out).into_align16()
    }

    /// Selects a region's instructions, its terminator included. What follows a conditional that does not come back is
    /// dead.
    fn region(&mut self, region: RegionId) -> Result<(), SelectError> {
        let shader = self.shader;
        for &id in &shader.func.region(region).insts {
            if !self.inst(id).map_err(|error| error.naming(shader, id).at(shader, id))? {
                break;
            }
        }
        Ok(())
    }

    /// Selects an instruction. Returns whether control comes back from it.
    fn inst(&mut self, id: InstId) -> Result<bool, SelectError> {
        let shader = self.shader;
        self.out.origin = Origin::Source(shader.func.loc_of(id));
        let inst = shader.func.inst(id);
        let result: Option<Value> = inst.results.first().copied();
        match &inst.kind {
            InstKind::Const(bits) => self.constant(result, bits),
            InstKind::Undef => self.constant(result, &[0; 4]),
            InstKind::Alu { op, srcs, .. } => {
                if let Some(result) = result {
                    self.alu(*op, srcs, result)?;
                }
            }
            InstKind::SysVal(sysval) => {
                if let Some(result) = result {
                    self.sysval(*sysval, result)?;
                }
            }
            InstKind::LoadInput { .. }
            | InstKind::LoadOutput { .. }
            | InstKind::StoreOutput { .. }
            | InstKind::EmitVertex { .. }
            | InstKind::EndPrimitive { .. } => self.io(id, result)?,
            InstKind::Load { .. }
            | InstKind::Store { .. }
            | InstKind::Atomic { .. }
            | InstKind::BufferSize(_)
            | InstKind::Barrier { .. }
            | InstKind::ImageLoad { .. }
            | InstKind::ImageStore { .. }
            | InstKind::ImageAtomic { .. }
            | InstKind::ImageSize(_)
            | InstKind::ImageParam { .. } => self.memory(&inst.kind, result)?,
            InstKind::Texture(read) => {
                if let Some(result) = result {
                    self.texture(read, result)?;
                }
            }
            InstKind::If { cond, then, else_ } => return self.if_(id, *cond, *then, *else_),
            InstKind::Loop { init, body, continuing: None } => self.loop_(id, init, *body)?,
            InstKind::Loop { .. } => {
                return Err(SelectError::NotLowered { what: "a continuing region" });
            }
            InstKind::Yield(srcs) => self.yield_(srcs),
            InstKind::Break(srcs) => self.break_(srcs),
            InstKind::Continue(srcs) => self.continue_(srcs),
            InstKind::Return if self.frames.is_outside() => {}
            InstKind::Return => {
                return Err(SelectError::NotLowered { what: "a return in a region" });
            }
            InstKind::LoadVar { .. } | InstKind::StoreVar { .. } => {
                return Err(SelectError::NotLowered { what: "a variable" });
            }
            InstKind::Clock => {
                if let Some(result) = result {
                    self.clock(result);
                }
            }
            InstKind::Subgroup { .. } | InstKind::Shuffle { .. } => {
                return Err(SelectError::Absent { what: "subgroup operations at SIMD4x2" });
            }
            InstKind::Derivative { .. }
            | InstKind::Demote
            | InstKind::IsHelper
            | InstKind::Barycentric { .. }
            | InstKind::Interpolate { .. }
            | InstKind::AllKilled(_)
            | InstKind::Interlock { .. } => {
                return Err(SelectError::NotLowered { what: "an instruction of another stage" });
            }
        }
        Ok(true)
    }
}
