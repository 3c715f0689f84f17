//! Errors of the compiler.

use crestline_codegen::backend::BackendError;
use crestline_codegen::scalar::SelectError;
use crestline_device::Platform;
use crestline_frontend::FrontendError;

use crate::Simd;

/// Why a shader was not compiled. Every error has a stable [code](CompileError::code).
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CompileError {
    /// The front end refused the source or module.
    #[error(transparent)]
    Frontend(#[from] FrontendError),
    /// The stage has no back end yet.
    #[error(
        "{stage} shaders are not supported yet: expected a vertex, tessellation, geometry or compute shader"
    )]
    Stage {
        /// The stage's name.
        stage: &'static str,
    },
    /// The device has no back end for the stage yet.
    #[error(
        "{stage} shaders cannot be compiled for {platform} yet: expected {}",
        if *stage == "compute" { "a platform of gen7 to gen9" } else { "ivb, byt, hsw or bdw" }
    )]
    Target {
        /// The platform.
        platform: Platform,
        /// The stage's name.
        stage: &'static str,
    },
    /// The stage has no threads of that width on the device, or no back end for them yet.
    #[error("{stage} shaders cannot be compiled for {platform} at {asked}: expected {expected}")]
    Threads {
        /// The stage's name.
        stage: &'static str,
        /// The platform.
        platform: Platform,
        /// The requested width, or the default width of the device.
        asked: Simd,
        /// What there is.
        expected: &'static str,
    },
    /// The workgroup has more threads than the device can hold.
    #[error(
        "a workgroup of {invocations} invocations needs more threads than the device can run at once ({limit}), at {widths}"
    )]
    Workgroup {
        /// Invocations of the workgroup.
        invocations: u64,
        /// Threads a workgroup may have.
        limit: u32,
        /// The SIMD widths that were allowed.
        widths: String,
    },
    /// Shared memory beyond the device's limit.
    #[error("the shader uses {bytes} bytes of shared memory: expected at most {limit}")]
    SharedMemory {
        /// Bytes that the shader needs.
        bytes: u32,
        /// Bytes there are.
        limit: u32,
    },
    /// Scratch memory beyond the device's limit.
    #[error(
        "the shader needs {bytes} bytes of scratch memory per thread: expected at most {limit}"
    )]
    Scratch {
        /// Bytes that the shader needs.
        bytes: u64,
        /// Bytes there are.
        limit: u32,
    },
    /// Push constants and buffer sizes beyond the payload's room.
    #[error(
        "the shader needs {bytes} bytes of push constants and buffer sizes: expected at most {limit}"
    )]
    PushConstants {
        /// Bytes that the shader needs.
        bytes: u32,
        /// Bytes there are.
        limit: u32,
    },
    /// More bindings than the binding table has entries.
    #[error("the bindings need more than the {limit} entries of the binding table")]
    BindingTable {
        /// Entries there are.
        limit: u32,
    },
    /// More samplers than a message can name.
    #[error("the shader uses more than {limit} samplers")]
    Samplers {
        /// Samplers there may be.
        limit: u32,
    },
    /// An array of descriptors without a bound, and no answer in
    /// [`Options::descriptor_counts`](crate::Options::descriptor_counts).
    #[error(
        "binding {set}.{binding} is an array of descriptors without a size: expected the number of elements"
    )]
    UnboundedArray {
        /// Descriptor set.
        set: u32,
        /// Binding in the set.
        binding: u32,
    },
    /// An input or output at a location above the limit.
    #[error("an input or output has the location {location}: expected a location below {limit}")]
    Location {
        /// The location.
        location: u32,
        /// Locations there are.
        limit: u32,
    },
    /// A number of control points of the input patch that no patch has.
    #[error("the input patch has {vertices} vertices: expected 1 to {limit}")]
    PatchVertices {
        /// The number given.
        vertices: u32,
        /// The most there may be.
        limit: u32,
    },
    /// A geometry shader's vertices beyond the room of its output entry.
    #[error("the emitted vertices need {bytes} bytes: expected at most {limit}")]
    OutputEntry {
        /// Bytes that the shader needs.
        bytes: u32,
        /// Bytes there are.
        limit: u32,
    },
    /// Instruction selection refused the shader.
    #[error(transparent)]
    Select(#[from] SelectError),
    /// The back end could not make code.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// A pass left something that its verifier refuses: a mistake of this compiler.
    #[error("bug of the compiler, found after {pass}: {message}")]
    Internal {
        /// The pass.
        pass: &'static str,
        /// The verifier's message.
        message: String,
    },
}

impl CompileError {
    /// Whether the mistake is this compiler's, whatever the shader: in the verifier of the mid-end or the back end, the
    /// checker of register allocation, a pass, selection, encoding or the rules of the hardware.
    pub fn is_defect(&self) -> bool {
        match self {
            CompileError::Internal { .. } => true,
            CompileError::Select(error) => error.is_defect(),
            CompileError::Backend(error) => error.is_defect(),
            _ => false,
        }
    }

    /// The error's stable code, as `docs/errors.md` and `docs/errors-compiler.md` list it.
    pub fn code(&self) -> &'static str {
        match self {
            CompileError::Frontend(error) => error.code.as_str(),
            CompileError::Stage { .. } => "E0901",
            CompileError::Target { .. } => "E0902",
            CompileError::Workgroup { .. } => "E0903",
            CompileError::SharedMemory { .. } => "E0904",
            CompileError::Scratch { .. } => "E0905",
            CompileError::PushConstants { .. } => "E0906",
            CompileError::BindingTable { .. } => "E0907",
            CompileError::UnboundedArray { .. } => "E0908",
            _ if self.is_defect() => "E0999",
            CompileError::Select(_) => "E0909",
            CompileError::Backend(_) => "E0910",
            CompileError::Location { .. } => "E0911",
            CompileError::OutputEntry { .. } => "E0912",
            CompileError::Samplers { .. } => "E0913",
            CompileError::Threads { .. } => "E0914",
            CompileError::PatchVertices { .. } => "E0915",
            CompileError::Internal { .. } => "E0999",
        }
    }
}
