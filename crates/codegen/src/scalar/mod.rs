//! Instruction selection for SIMD8, SIMD16 and SIMD32, where each channel of a thread runs one invocation.
//!
//! The input is an optimised, scalarised shader: arithmetic on scalars, loads and stores of vectors, structured
//! control flow, no variables. Selection visits regions in program order and appends instructions to the function:
//!
//! - A *divergent* value has a register with one element per channel. A *uniform* value ([`Uniform`]) has one element
//!   for the whole thread and is computed by NoMask instructions with one channel.
//! - Each component of a value has a location, which states the registers and how the bits are stored (`location`).
//!   Registers hold dwords: a value of 8 or 16 bits is the low part of a dword; a value of 64 bits is one 64-bit
//!   element or two dwords in different registers. On devices with half floats, the results of arithmetic on 16 bits
//!   are packed words, and the two halves of a dword can be values of their own (`half`, `location`).
//! - A constant is an immediate of each instruction that reads it. If an instruction cannot have an immediate, the
//!   constant is in a scalar register that the program's first block fills (`consts`).
//! - A boolean that decides a branch or selection is compared at its use, with a flag as the result (`cond`). A
//!   boolean that is used as data is a mask of all ones or zeros.
//! - Negation, absolute value and complement become source modifiers of the instructions that read them (`operands`).
//! - Region results and loop parameters have registers, to which values are copied at the ends of regions (`flow`).

mod alu;
mod blocks;
mod cond;
mod consts;
mod fields;
mod flow;
mod fragment;
mod global;
mod half;
mod image;
mod location;
mod memory;
mod operands;
mod per_channel;
mod pixel;
mod stage;
mod subgroup;
mod sysvals;
mod texture;
mod uniform;
mod weights;
mod wide;
mod wide_atomic;

use std::sync::Arc;

use crate::target::Target;
use crestline_ssa::ir::{InstId, InstKind, RegionId, Shader, Stage, Value};

use crate::interface::Interface;
use crate::ir::{Builder, Function, Origin};
use crate::select::{Booleans, Faults, Frames, Structured, used_values};
use crate::surface;
use location::{Locations, RegisterHint};

pub use crate::select::SelectError;
pub use stage::{CHANNELS as STAGE_CHANNELS, MODE};
pub use uniform::Uniform;

/// Selects instructions for a shader at SIMD width `simd`: 8, 16 or 32 channels for compute and fragment shaders, 8 for
/// the stages of the geometry pipeline. Selects the body, ends the thread, and puts the constants of the pool at the
/// start.
///
/// # Errors
/// See [`SelectError`].
pub fn select(
    shader: &Shader,
    target: &Target,
    interface: &Interface,
    simd: u8,
) -> Result<Function, SelectError> {
    let mut selector = Selector::new(shader, target, interface, simd);
    if shader.shared_bytes() > 0 {
        surface::set_shared_memory_index(&mut selector.b(), target);
    }
    let stage = shader.stage.stage();
    match stage {
        Stage::Compute => {}
        Stage::Fragment => selector.start_fragment()?,
        Stage::Vertex | Stage::TessControl | Stage::TessEval | Stage::Geometry => {
            selector.open_stage()?;
        }
    }
    selector.region(shader.func.body())?;
    selector.out.origin = Origin::Setup;
    match stage {
        Stage::Compute => surface::end_thread(&mut Builder::new(&mut selector.out), target)?,
        Stage::Fragment => selector.end_fragment()?,
        Stage::Vertex | Stage::TessControl | Stage::TessEval | Stage::Geometry => {
            selector.close_stage()?;
        }
    }
    selector.faults.check(&selector.out)?;
    let pool = selector.pool;
    let mut out = selector.out;
    pool.fill(&mut out);
    Ok(out)
}

/// The state of selection.
struct Selector<'a> {
    shader: &'a Shader,
    target: &'a Target,
    interface: &'a Interface,
    uniform: Uniform,
    out: Function,
    faults: Faults,
    locations: Locations,
    /// The register hint of each value, if it has one.
    hints: Vec<Option<RegisterHint>>,
    booleans: Booleans,
    flags: cond::FlagCache,
    /// For each value, whether an instruction reads it.
    used: Vec<bool>,
    /// For each value, whether an operation on doubles reads it.
    doubles: Vec<bool>,
    /// The reads by multiply-adds of half floats.
    fused_reads: half::FusedReads,
    pool: consts::Pool,
    blocks: blocks::BlockCache,
    /// The current region, and the index of the current instruction in it.
    place: (RegionId, usize),
    frames: Frames<Value>,
    fragment: fragment::Fragment,
    stage: stage::State,
}

impl<'a> Selector<'a> {
    /// The state before the first instruction is selected.
    fn new(
        shader: &'a Shader,
        target: &'a Target,
        interface: &'a Interface,
        simd: u8,
    ) -> Selector<'a> {
        let values = shader.func.num_values();
        let mut out = Function::new(simd);
        out.debug = Arc::new(shader.func.debug.clone());
        out.origin = Origin::Setup;
        out.payload_registers = interface.payload_registers;
        out.scratch_bytes = shader.scratch_bytes.next_multiple_of(4).saturating_mul(simd.into());
        if let Some(push) = interface.push_constants {
            out.push_register = push.offset / crate::ir::GRF_BYTES;
            out.push_bytes = push.offset % crate::ir::GRF_BYTES + push.bytes;
        }
        Selector {
            shader,
            target,
            interface,
            uniform: Uniform::new(shader),
            out,
            faults: Faults::default(),
            locations: Locations::new(&shader.func),
            hints: vec![None; values],
            booleans: Booleans::new(&shader.func),
            flags: cond::FlagCache::default(),
            used: used_values(&shader.func),
            doubles: wide::read_as_doubles(&shader.func, target),
            fused_reads: half::fused_reads(&shader.func),
            pool: consts::Pool::default(),
            blocks: blocks::BlockCache::default(),
            place: (shader.func.body(), 0),
            frames: Frames::new(),
            fragment: fragment::Fragment::default(),
            stage: stage::State::None,
        }
    }

    /// A builder for all channels of the thread.
    fn b(&mut self) -> Builder<'_> {
        Builder::new(&mut self.out)
    }

    /// Appends instructions that compute `value`: for all channels if it is divergent, once for the thread if it is
    /// uniform.
    fn b_for<R>(&mut self, value: Value, build: impl FnOnce(&mut Builder<'_>) -> R) -> R {
        let uniform = self.uniform.is(value);
        let mut b = Builder::new(&mut self.out);
        if uniform { build(&mut b.uniform()) } else { build(&mut b) }
    }

    /// Selects the instructions of a region, including the terminator. Instructions after a conditional that never
    /// reaches its end are not reachable and are skipped.
    fn region(&mut self, region: RegionId) -> Result<(), SelectError> {
        let shader = self.shader;
        for (index, &id) in shader.func.region(region).insts.iter().enumerate() {
            self.place = (region, index);
            if !self.inst(id).map_err(|error| error.naming(shader, id).at(shader, id))? {
                break;
            }
            if region == shader.func.body() {
                self.after_body_inst(index)?;
            }
        }
        Ok(())
    }

    /// Selects an instruction. Returns whether the code after it is reachable.
    fn inst(&mut self, id: InstId) -> Result<bool, SelectError> {
        let shader = self.shader;
        self.out.origin = Origin::Source(shader.func.loc_of(id));
        let inst = shader.func.inst(id);
        let result = inst.results.first().copied();
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
            InstKind::Load { .. }
            | InstKind::Store { .. }
            | InstKind::Atomic { .. }
            | InstKind::BufferSize(_)
            | InstKind::Barrier { .. } => self.memory(&inst.kind, result)?,
            InstKind::ImageLoad { .. }
            | InstKind::ImageStore { .. }
            | InstKind::ImageAtomic { .. }
            | InstKind::ImageSize(_)
            | InstKind::ImageParam { .. } => self.image(&inst.kind, result)?,
            InstKind::Texture(read) => {
                if let Some(result) = result {
                    self.texture(read, result)?;
                }
            }
            InstKind::Subgroup { op, src } => {
                if let Some(result) = result {
                    self.subgroup(*op, *src, result)?;
                }
            }
            InstKind::Shuffle { src, lane, .. } => {
                if let Some(result) = result {
                    self.shuffle(*src, *lane, result);
                }
            }
            InstKind::If { .. } if self.conditional_demote(id) => {}
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
            kind if shader.stage.stage() == Stage::Fragment
                || matches!(kind, InstKind::Derivative { .. }) =>
            {
                self.fragment_inst(kind, result)?;
            }
            _ => self.stage_inst(id, result)?,
        }
        Ok(true)
    }
}
