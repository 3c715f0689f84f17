//! Instruction selection for SIMD8, SIMD16 and SIMD32: each channel of a thread runs one invocation.
//!
//! Input is an optimised, scalarised shader: arithmetic on scalars, loads and stores of vectors, structured control
//! flow, no variables. The walk visits regions in program order and writes instructions at the end of the function:
//!
//! - A *divergent* value has a register with one element per channel. A *uniform* value ([`Uniform`]) has one element
//!   for the whole thread and is computed by instructions of one channel that ignore the execution mask.
//! - Each component of a value has a location that knows how its bits are stored (`location`). Today registers hold
//!   dwords: a value of 8 or 16 bits is the low part of one, a value of 64 bits is one element or two dwords.
//! - A constant is an immediate of each instruction that reads it; where an instruction takes none, it comes from a
//!   pool of scalars that the program's first block fills (`consts`).
//! - A boolean that decides branches and selections is compared where it is used, straight into a flag (`cond`); one
//!   that is data is a mask of all ones or zeros.
//! - Negation, absolute value and complement are source modifiers of whoever reads them (`operands`).
//! - Region results and loop parameters are registers that the ends of regions copy into (`flow`).

mod alu;
mod cond;
mod consts;
mod flow;
mod image;
mod location;
mod memory;
mod operands;
mod sysvals;
mod texture;
mod uniform;
mod wide;
mod wide_atomic;

use crate::target::Target;
use crestline_ssa::ir::{InstId, InstKind, RegionId, Shader, Value};

use crate::interface::Interface;
use crate::ir::{Builder, Function};
use crate::select::{Booleans, Faults, Frames, Structured, used_values};
use crate::surface;
use location::{Locations, RegisterHint};

pub use crate::select::SelectError;
pub use uniform::Uniform;

/// Selects instructions for a compute shader at SIMD width `simd`: 8, 16 or 32 channels.
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
    selector.region(shader.func.body())?;
    surface::end_thread(&mut Builder::new(&mut selector.out), target)?;
    selector.faults.check(&selector.out)?;
    let pool = selector.pool;
    let mut out = selector.out;
    pool.fill(&mut out);
    Ok(out)
}

/// The state of the walk.
struct Selector<'a> {
    shader: &'a Shader,
    target: &'a Target,
    interface: &'a Interface,
    uniform: Uniform,
    out: Function,
    faults: Faults,
    locations: Locations,
    /// By value.
    hints: Vec<Option<RegisterHint>>,
    booleans: Booleans,
    flags: cond::FlagCache,
    /// Values that something reads, by value.
    used: Vec<bool>,
    /// Values that an operation on doubles reads, by value.
    doubles: Vec<bool>,
    pool: consts::Pool,
    blocks: memory::BlockCache,
    /// Where the walk is: a region and the index of the instruction in it.
    place: (RegionId, usize),
    frames: Frames<Value>,
}

impl<'a> Selector<'a> {
    fn new(
        shader: &'a Shader,
        target: &'a Target,
        interface: &'a Interface,
        simd: u8,
    ) -> Selector<'a> {
        let values = shader.func.num_values();
        let mut out = Function::new(simd);
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
            pool: consts::Pool::default(),
            blocks: memory::BlockCache::default(),
            place: (shader.func.body(), 0),
            frames: Frames::new(),
        }
    }

    /// Appends instructions for all channels.
    fn b(&mut self) -> Builder<'_> {
        Builder::new(&mut self.out)
    }

    /// Appends instructions that compute `value`: for all channels, or once for the thread.
    fn b_for<R>(&mut self, value: Value, build: impl FnOnce(&mut Builder<'_>) -> R) -> R {
        let uniform = self.uniform.is(value);
        let mut b = Builder::new(&mut self.out);
        if uniform { build(&mut b.uniform()) } else { build(&mut b) }
    }

    /// Selects a region's instructions, its terminator included. What follows a conditional that does not come back is
    /// dead.
    fn region(&mut self, region: RegionId) -> Result<(), SelectError> {
        let shader = self.shader;
        for (index, &id) in shader.func.region(region).insts.iter().enumerate() {
            self.place = (region, index);
            if !self.inst(id).map_err(|error| error.naming(shader, id))? {
                break;
            }
        }
        Ok(())
    }

    /// Selects an instruction. Returns whether control comes back from it.
    fn inst(&mut self, id: InstId) -> Result<bool, SelectError> {
        let shader = self.shader;
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
            #[allow(unreachable_patterns, reason = "kinds of other stages arrive with them")]
            _ => return Err(SelectError::NotLowered { what: "an instruction of another stage" }),
        }
        Ok(true)
    }
}
