//! The interpreter: the reference for what a shader computes, independent of any hardware.
//!
//! A run has three steps. The shader is verified; it is compiled once to flat code on single components; the code
//! runs for each workgroup. The invocations of a subgroup run in lockstep under a mask of active invocations. Each
//! subgroup has a state. It stops at a workgroup barrier until all other subgroups have reached the barrier. Between
//! barriers subgroups run one after another, so a missing barrier can show as a wrong result.
//!
//! Where the IR leaves something undefined, the interpreter uses fixed values. [`alu`] describes those of arithmetic.
//! Undefined values and private variables start as [`Options::undef`], shared memory and scratch memory as 0. A load
//! of a variable element out of range returns 0, and a store there has no effect.

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
pub use stage::{
    Emitted, Fragment, FragmentInvocation, FragmentPrimitive, Invocation, Outputs, Primitive,
    Slots, run_fragments, run_stage,
};

use crate::analysis::Divergence;
use crate::ir::{InstId, Shader, Stage, Value};
use crate::verify::{VerifyError, verify};

/// How to run a shader.
#[derive(Clone, Debug)]
pub struct Options {
    /// Number of invocations of a subgroup, 1 to 64.
    pub subgroup_size: u32,
    /// Greatest number of operations of a run, counted once per subgroup and component.
    pub budget: u64,
    /// Greatest number of bytes for the state of a workgroup.
    pub max_bytes: u64,
    /// The bits of undefined values, truncated to their size.
    pub undef: u64,
    /// An analysis of the shader whose results are checked: the run fails if a value that the analysis calls uniform
    /// differs between invocations.
    pub divergence: Option<Divergence>,
    /// Whether the fourth component of a load through a typed surface is 1 instead of 0 out of bounds.
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

/// Statistics and out-of-bounds accesses of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Number of operations that ran, counted once per subgroup and component.
    pub operations: u64,
    /// Number of workgroups that ran.
    pub workgroups: u64,
    /// Number of buffer accesses out of bounds, counted once per component and invocation. Image accesses out of
    /// bounds do not count, since their results are defined.
    pub out_of_bounds_count: u64,
    /// Descriptions of the first of these accesses, one per instruction.
    pub out_of_bounds: Vec<OutOfBounds>,
}

/// Why a run failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InterpError {
    /// The shader is not valid.
    #[error(transparent)]
    Invalid(#[from] VerifyError),
    /// The interpreter does not support this.
    #[error("the interpreter does not support {0}")]
    Unsupported(&'static str),
    /// The subgroup size is not 1 to 64.
    #[error("a subgroup of {0} invocations: expected 1 to 64")]
    SubgroupSize(u32),
    /// Fragment shaders run in quads.
    #[error(
        "{invocations} invocations in subgroups of {subgroup_size}: expected multiples of 4, whole quads"
    )]
    Quads {
        /// Invocations of the run.
        invocations: usize,
        /// Invocations of a subgroup.
        subgroup_size: usize,
    },
    /// The shader uses a binding to which no buffer or image is bound.
    #[error("nothing is bound to set {set} binding {binding} ({name:?})")]
    MissingBinding {
        /// Descriptor set.
        set: u32,
        /// Binding number.
        binding: u32,
        /// The name in the shader.
        name: String,
    },
    /// The state of a workgroup needs too much memory.
    #[error("a workgroup needs {needed} bytes of state: expected at most {limit}")]
    Memory {
        /// Bytes that it needs.
        needed: u64,
        /// Greatest number of bytes.
        limit: u64,
    },
    /// The shader ran for too many operations.
    #[error("the shader did not end within {0} operations")]
    Budget(u64),
    /// Not all invocations of a subgroup reached a workgroup barrier together.
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
    /// Subgroups of a workgroup wait at different barriers, or some wait and others have ended.
    #[error("workgroup {group:?}: not all subgroups reach the barrier at {inst}")]
    MissedBarrier {
        /// The workgroup.
        group: [u32; 3],
        /// A barrier at which a subgroup waits.
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
/// If the shader is invalid, uses a binding without a resource or an unsupported feature, or does not end properly.
/// Buffers keep what was written before the error.
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

/// Runs a shader of any stage. `io` are the inputs and outputs of stages other than compute.
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
