//! The interpreter: what a shader means, independent of any machine.
//!
//! A run takes three steps: the shader is verified, compiled once to flat code on single components, and the
//! code runs for each workgroup. The invocations of a subgroup run in lockstep under a mask of those active; each
//! subgroup is a state that stops at a workgroup barrier and goes on when all others have come there. Subgroups run
//! one after the other in between, so a barrier that is missing shows.
//!
//! What the IR leaves undefined is chosen once: [`alu`] says how for arithmetic; undefined values, private variables
//! and shared memory start as [`Options::undef`] (memory as 0); variable elements out of range read as 0 and keep
//! what they hold.

pub mod alu;
mod code;
mod compile;
mod image;
mod machine;
mod memory;
mod slots;
mod stage;
mod texture;

pub use image::Image;
pub use memory::{BufferKey, OutOfBounds, Resources};
pub use stage::{Emitted, Invocation, Outputs, Primitive, Slots, run_stage};

use crate::analysis::Divergence;
use crate::ir::{InstId, Shader, Stage, Value};
use crate::verify::{VerifyError, verify};

/// How to run a shader.
#[derive(Clone, Debug)]
pub struct Options {
    /// Invocations of a subgroup, 1 to 64.
    pub subgroup_size: u32,
    /// Operations that may run in all, counted once per subgroup and component.
    pub budget: u64,
    /// Bytes that the state of a workgroup may take.
    pub max_bytes: u64,
    /// The bits of undefined values, cut to their size.
    pub undef: u64,
    /// An analysis of the shader whose claims are checked: a value that it calls uniform and that differs between
    /// invocations ends the run.
    pub divergence: Option<Divergence>,
    /// What the fourth component of a load through a typed surface is out of bounds: 1 rather than 0.
    pub alpha_one: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            subgroup_size: 16,
            budget: 1 << 32,
            max_bytes: 1 << 30,
            undef: 0,
            divergence: None,
            alpha_one: false,
        }
    }
}

/// What happened in a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Operations that ran, counted once per subgroup and component.
    pub operations: u64,
    /// Workgroups that ran.
    pub workgroups: u64,
    /// Accesses of buffers out of bounds, counted once per component and invocation. Those of images mean something:
    /// they read 0 and write nothing.
    pub out_of_bounds_count: u64,
    /// The first of them, one per instruction.
    pub out_of_bounds: Vec<OutOfBounds>,
}

/// Why a shader could not run to its end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InterpError {
    /// The shader is not valid.
    #[error(transparent)]
    Invalid(#[from] VerifyError),
    /// The interpreter does not do this.
    #[error("the interpreter does not support {0}")]
    Unsupported(&'static str),
    /// The subgroup size is not 1 to 64.
    #[error("a subgroup of {0} invocations: expected 1 to 64")]
    SubgroupSize(u32),
    /// Nothing is bound where the shader needs a buffer or image.
    #[error("nothing is bound to set {set} binding {binding} ({name:?})")]
    MissingBinding {
        /// Descriptor set.
        set: u32,
        /// Binding number.
        binding: u32,
        /// The name in the shader.
        name: String,
    },
    /// The state of a workgroup takes too much memory.
    #[error("a workgroup needs {needed} bytes of state: expected at most {limit}")]
    Memory {
        /// Bytes that it takes.
        needed: u64,
        /// Bytes allowed.
        limit: u64,
    },
    /// The shader runs too long.
    #[error("the shader did not end within {0} operations")]
    Budget(u64),
    /// Only a part of a subgroup's invocations came to a workgroup barrier.
    #[error(
        "workgroup {group:?}, subgroup {subgroup}: a barrier in divergent control flow at {inst}"
    )]
    DivergentBarrier {
        /// The workgroup.
        group: [u32; 3],
        /// The subgroup in it.
        subgroup: u32,
        /// The barrier.
        inst: InstId,
    },
    /// A value that [`Options::divergence`] calls uniform differs between invocations.
    #[error("workgroup {group:?}, subgroup {subgroup}: {value} is not uniform")]
    NotUniform {
        /// The workgroup.
        group: [u32; 3],
        /// The subgroup in it.
        subgroup: u32,
        /// The value.
        value: Value,
    },
    /// Subgroups of a workgroup wait at different barriers, or some have ended.
    #[error("workgroup {group:?}: not all subgroups reach the barrier at {inst}")]
    MissedBarrier {
        /// The workgroup.
        group: [u32; 3],
        /// A barrier at which one waits.
        inst: InstId,
    },
}

/// Runs a compute shader for `grid` workgroups in x, y and z.
///
/// ```
/// use crestline_ssa::interp::{Options, Resources, run};
///
/// let shader = crestline_ssa::text::parse(
///     "compute \"double\" {
///         local_size 2, 1, 1
///         binding b0: ssbo set 0 binding 0 \"data\"
///
///         %i: 32x3 = sysval global_invocation_id
///         %two: 32 = const 2
///         %at: 32 = ishl %i.x, %two
///         %x: 32 = load ssbo b0, %at, align 4
///         %y: 32 = fadd %x, %x
///         store ssbo b0, %at, %y, align 4
///         return
///     }",
/// )?;
/// let mut resources = Resources::default();
/// resources.bind(0, 0, [1.5f32, -2.0].iter().flat_map(|x| x.to_le_bytes()).collect());
/// let report = run(&shader, &mut resources, [1, 1, 1], &Options::default())?;
/// assert_eq!(resources.buffer(0, 0).unwrap()[..4], 3.0f32.to_le_bytes());
/// assert_eq!(report.out_of_bounds_count, 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the shader is invalid, needs what is not bound or not supported, or does not end properly. Buffers keep what
/// was written up to then.
pub fn run(
    shader: &Shader,
    resources: &mut Resources,
    grid: [u32; 3],
    options: &Options,
) -> Result<Report, InterpError> {
    if shader.stage.stage() != Stage::Compute {
        return Err(InterpError::Unsupported("other stages as compute shaders"));
    }
    run_in(shader, resources, grid, options, None)
}

/// Runs a shader of any stage; `io` is what those other than compute have.
fn run_in(
    shader: &Shader,
    resources: &mut Resources,
    grid: [u32; 3],
    options: &Options,
    io: Option<&mut stage::StageIo<'_>>,
) -> Result<Report, InterpError> {
    verify(shader)?;
    if shader.float_controls.rounding_rtz != 0 {
        return Err(InterpError::Unsupported("rounding toward zero as a mode"));
    }
    if !(1..=64).contains(&options.subgroup_size) {
        return Err(InterpError::SubgroupSize(options.subgroup_size));
    }
    let code = compile::compile(shader, options)?;
    let mut memory = memory::Memories::bind(shader, resources)?;
    let result = machine::run(shader, &code, &mut memory, grid, options, io);
    memory.unbind(resources);
    result
}
