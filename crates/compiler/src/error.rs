//! Errors of the compiler.

use crestline_codegen::backend::BackendError;
use crestline_codegen::scalar::SelectError;
use crestline_codegen::select::ErrorPlace;
use crestline_device::Platform;
use crestline_frontend::FrontendError;

use crate::Simd;

/// Why a shader was not compiled. Every error has a stable [code](CompileError::code).
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CompileError {
    /// The front end rejected the source text or module.
    #[error(transparent)]
    Frontend(#[from] FrontendError),
    /// The compiler does not support the stage on this device yet.
    #[error(
        "{stage} shaders cannot be compiled for {platform} yet: expected a platform of gen7 to gen9"
    )]
    Target {
        /// The platform.
        platform: Platform,
        /// The stage's name.
        stage: &'static str,
    },
    /// The device has no threads of that width for the stage, or the compiler does not support them yet.
    #[error("{stage} shaders cannot be compiled for {platform} at {asked}: expected {expected}")]
    Threads {
        /// The stage's name.
        stage: &'static str,
        /// The platform.
        platform: Platform,
        /// The requested width, or the default width of the device.
        asked: Simd,
        /// The supported widths.
        expected: &'static str,
    },
    /// The workgroup has more threads than the device can run at once.
    #[error(
        "a workgroup of {invocations} invocations needs more threads than the device can run at once ({limit}), at {widths}"
    )]
    Workgroup {
        /// Number of invocations of the workgroup.
        invocations: u64,
        /// Greatest number of threads of a workgroup.
        limit: u32,
        /// The SIMD widths that were allowed.
        widths: String,
    },
    /// No allowed SIMD width has the required subgroups.
    #[error("{required}: not possible with {possible}")]
    Subgroups {
        /// What the options or the shader require.
        required: String,
        /// The allowed sizes of subgroups, or the kind of threads.
        possible: String,
    },
    /// The shader uses more shared memory than the device has.
    #[error("the shader uses {bytes} bytes of shared memory: expected at most {limit}")]
    SharedMemory {
        /// Bytes that the shader needs.
        bytes: u32,
        /// Bytes that the device has.
        limit: u32,
    },
    /// The shader needs more scratch memory than the device has.
    #[error(
        "the shader needs {bytes} bytes of scratch memory per thread: expected at most {limit}"
    )]
    Scratch {
        /// Bytes per thread that the shader needs.
        bytes: u64,
        /// Greatest number of bytes per thread.
        limit: u32,
    },
    /// Push constants and buffer sizes need more bytes than the payload can hold.
    #[error(
        "the shader needs {bytes} bytes of push constants and buffer sizes: expected at most {limit}"
    )]
    PushConstants {
        /// Bytes that the shader needs.
        bytes: u32,
        /// Greatest number of bytes.
        limit: u32,
    },
    /// The inputs and constants of a vertex or fragment shader need more registers than the payload can have.
    #[error(
        "the inputs and constants of the {stage} shader need {registers} registers: expected at most {limit}"
    )]
    Payload {
        /// The stage's name.
        stage: &'static str,
        /// Registers that the shader needs.
        registers: u32,
        /// Greatest number of registers.
        limit: u32,
    },
    /// The shader has more bindings than the binding table has entries.
    #[error("the bindings need more than the {limit} entries of the binding table")]
    BindingTable {
        /// Number of entries of the table.
        limit: u32,
    },
    /// The shader has more samplers than the device allows.
    #[error("the shader uses more than {limit} samplers: the device has no more")]
    Samplers {
        /// Greatest number of samplers.
        limit: u32,
    },
    /// The shader reads an image without a format, and the device does not convert all formats.
    #[error("the shader reads image {set}.{binding}, which has no format: expected the format")]
    ImageFormat {
        /// Descriptor set.
        set: u32,
        /// Binding in the set.
        binding: u32,
    },
    /// The location of an input or output is not below the limit.
    #[error("an input or output has the location {location}: expected a location below {limit}")]
    Location {
        /// The location.
        location: u32,
        /// Number of locations.
        limit: u32,
    },
    /// A fragment shader reads too many input slots.
    #[error("the shader reads {slots} input slots: expected at most {limit}")]
    Inputs {
        /// Number of slots of 16 bytes that it reads, built-in values of other stages included.
        slots: u32,
        /// Number of slots that the device interpolates.
        limit: u32,
    },
    /// The number of control points of the input patch is out of range.
    #[error("the input patch has {vertices} vertices: expected 1 to {limit}")]
    PatchVertices {
        /// The number that was given.
        vertices: u32,
        /// The greatest number.
        limit: u32,
    },
    /// The vertices that a geometry shader emits need more space than its output entry can have.
    #[error("the emitted vertices need {bytes} bytes: expected at most {limit}")]
    OutputEntry {
        /// Bytes that the shader needs.
        bytes: u32,
        /// Greatest number of bytes.
        limit: u32,
    },
    /// Instruction selection rejected the shader.
    #[error(transparent)]
    Select(#[from] SelectError),
    /// The back end could not generate code.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// The verifier rejected the result of a pass: a bug of this compiler.
    #[error("bug of the compiler, found after {pass}: {message}")]
    Internal {
        /// The pass.
        pass: &'static str,
        /// The verifier's message.
        message: String,
    },
}

impl CompileError {
    /// Whether the error is a bug of this compiler, whatever the shader. Such bugs are found by the verifier of the
    /// mid-end or back end, the checker of register allocation, a pass, instruction selection, encoding, or the
    /// validator.
    pub fn is_defect(&self) -> bool {
        match self {
            CompileError::Internal { .. } => true,
            CompileError::Select(error) => error.is_defect(),
            CompileError::Backend(error) => error.is_defect(),
            _ => false,
        }
    }

    /// The place in the source of what the back end cannot compile, if the module has lines. Errors of the front end have
    /// a position of their own.
    pub fn place(&self) -> Option<&ErrorPlace> {
        match self {
            CompileError::Select(error) => error.place(),
            _ => None,
        }
    }

    /// The error's stable code, as listed in `docs/errors.md` and `docs/errors-compiler.md`.
    pub fn code(&self) -> &'static str {
        match self {
            CompileError::Frontend(error) => error.code.as_str(),
            CompileError::Target { .. } => "E0902",
            CompileError::Workgroup { .. } => "E0903",
            CompileError::SharedMemory { .. } => "E0904",
            CompileError::Scratch { .. } => "E0905",
            CompileError::PushConstants { .. } => "E0906",
            CompileError::BindingTable { .. } => "E0907",
            _ if self.is_defect() => "E0999",
            CompileError::Select(_) => "E0909",
            CompileError::Backend(_) => "E0910",
            CompileError::ImageFormat { .. } => "E0920",
            CompileError::Subgroups { .. } => "E0921",
            CompileError::Location { .. } => "E0911",
            CompileError::OutputEntry { .. } => "E0912",
            CompileError::Samplers { .. } => "E0913",
            CompileError::Threads { .. } => "E0914",
            CompileError::PatchVertices { .. } => "E0915",
            CompileError::Payload { .. } => "E0916",
            CompileError::Inputs { .. } => "E0917",
            CompileError::Internal { .. } => "E0999",
        }
    }
}
