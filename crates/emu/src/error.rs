//! Why a program cannot be loaded or run.

use crate::framebuffer::FramebufferError;
use crate::{Diagnostic, Location};
use crestline_device::{Gen, SurfaceFormat};
use crestline_program::{MetadataError, ResourceRef};

/// Why a program cannot be loaded, or was stopped.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EmuError {
    /// The metadata is invalid or does not match the code.
    #[error(transparent)]
    Metadata(#[from] MetadataError),
    /// The metadata is for another platform than the device.
    #[error("the program is for {program}, the device is {device}")]
    Platform {
        /// Platform of the metadata.
        program: crestline_device::Platform,
        /// Platform of the device.
        device: crestline_device::Platform,
    },
    /// Bytes that do not decode as an instruction; the message gives their offset.
    #[error("{message}")]
    Decode {
        /// The offset, and why the bytes do not decode.
        message: String,
    },
    /// An instruction that is not legal on the device.
    #[error("instruction {instruction} (byte {offset:#x}): {message}")]
    Illegal {
        /// Index of the instruction.
        instruction: usize,
        /// Byte offset in the code.
        offset: u32,
        /// What is wrong and what was expected.
        message: String,
    },
    /// An instruction or message that the emulator does not support; it may be legal.
    #[error("instruction {instruction} (byte {offset:#x}): {what} is not supported")]
    Unsupported {
        /// Index of the instruction.
        instruction: usize,
        /// Byte offset in the code.
        offset: u32,
        /// The unsupported feature.
        what: String,
    },
    /// No instruction starts at an entry point of the metadata.
    #[error("the entry point at byte {offset:#x}: no instruction starts there")]
    EntryPoint {
        /// Byte offset in the code.
        offset: u32,
    },
    /// The program belongs to another stage than the requested one.
    #[error("the program is a {found} shader: expected a {expected} shader")]
    Stage {
        /// The requested stage.
        expected: &'static str,
        /// The stage of the program.
        found: &'static str,
    },
    /// The attachments do not match the fragment shader or the state.
    #[error(transparent)]
    Framebuffer(#[from] FramebufferError),
    /// The input of a stage does not match its metadata.
    #[error("{0}")]
    StageInput(String),
    /// The metadata refers to a vertex attribute that was not supplied.
    #[error("no vertex attribute is supplied for location {location}")]
    MissingAttribute {
        /// The location.
        location: u32,
    },
    /// The metadata refers to a resource that was not supplied.
    #[error("resource {resource} is not supplied: {needed_for}")]
    MissingResource {
        /// The resource.
        resource: ResourceRef,
        /// The part of the metadata that refers to it.
        needed_for: String,
    },
    /// The buffers do not fit in the addresses of 32 bits.
    #[error("the buffers need {bytes} bytes of addresses: expected at most 2^32")]
    AddressSpace {
        /// The bytes, with the gaps between the buffers.
        bytes: u64,
    },
    /// An image has more texels than the emulator accepts.
    #[error("image {resource} has {size} bytes: expected at most 2^30")]
    ImageTooLarge {
        /// The image.
        resource: ResourceRef,
        /// Its size in bytes.
        size: u64,
    },
    /// The device has no such images in this format.
    #[error(
        "image {resource} has the format {format}: {platform} ({generation}) has no {access} images of it"
    )]
    ImageFormat {
        /// The image.
        resource: ResourceRef,
        /// Its format.
        format: SurfaceFormat,
        /// The chip.
        platform: crestline_device::Platform,
        /// The generation of the chip.
        generation: Gen,
        /// `sampled` or `storage`.
        access: &'static str,
    },
    /// A compressed format stores rows and columns of blocks, and has one sample.
    #[error("image {resource} cannot have the compressed format {format}: expected {expected}")]
    CompressedImage {
        /// The image.
        resource: ResourceRef,
        /// Its format.
        format: SurfaceFormat,
        /// The images that can have it.
        expected: &'static str,
    },
    /// An image cannot have this number of samples.
    #[error(
        "image {resource} has {samples} samples per texel: expected 1, or 2, 4, 8 or 16 for a packed two-dimensional image of one level"
    )]
    ImageSamples {
        /// The image.
        resource: ResourceRef,
        /// Its samples.
        samples: u32,
    },
    /// The device has no surfaces with this number of samples.
    #[error("the device has no surfaces with {samples} samples")]
    Samples {
        /// The samples.
        samples: u32,
    },
    /// The device has no depth bounds test.
    #[error("the device has no depth bounds test, which the state of the draw call requires")]
    DepthBounds,
    /// Push constants are shorter than the program reads.
    #[error("the push constants have {given} bytes, but the program reads {needed} bytes")]
    ShortPushConstants {
        /// Bytes supplied.
        given: usize,
        /// Bytes read.
        needed: usize,
    },
    /// The dispatch is larger than the emulator accepts.
    #[error(
        "a dispatch of {0:?} workgroups is too large: expected fewer than 2^32 workgroups in total"
    )]
    GridTooLarge([u32; 3]),
    /// A thread executed more instructions than [`Options`](crate::Options) allow.
    #[error(
        "{0}: the thread has executed more than {1} instructions; it may be in an endless loop"
    )]
    Budget(Location, u64),
    /// A thread waits at a barrier that other threads of its workgroup cannot reach, because they have ended.
    #[error("{0}: the thread waits for a barrier, but {1} of the group's threads have ended")]
    MissedBarrier(Location, u32),
    /// A thread waits for a barrier notification, but has sent no barrier message.
    #[error("{0}: the thread waits for a notification, but it has sent no barrier message")]
    EndlessWait(Location),
    /// The instruction pointer left the program.
    #[error("{0}: execution runs past the end of the program")]
    PastTheEnd(Location),
    /// A jump to a target from a register at which no instruction starts.
    #[error("{0}: jumps to byte {1:#x}, where no instruction starts")]
    JumpTarget(Location, i64),
    /// A message descriptor from a register describes an unsupported message.
    #[error("{0}: {1} is not supported")]
    Message(Location, String),
    /// A [`Trace`](crate::Trace) ended the run.
    #[error("{0}: the run was stopped here")]
    Stopped(Location),
    /// A diagnostic of a class whose policy is [`Policy::Error`](crate::Policy::Error).
    #[error("{0}")]
    Diagnostic(Diagnostic),
}

/// The reason why an instruction was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reject {
    /// The instruction is not legal on the device.
    Illegal(String),
    /// The emulator does not support the instruction.
    Unsupported(String),
}

impl std::fmt::Display for Reject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Reject::Illegal(message) | Reject::Unsupported(message) => f.write_str(message),
        }
    }
}

impl Reject {
    /// The error for an instruction given by its index and its byte offset.
    pub(crate) fn at(self, instruction: usize, offset: u32) -> EmuError {
        match self {
            Reject::Illegal(message) => EmuError::Illegal { instruction, offset, message },
            Reject::Unsupported(what) => EmuError::Unsupported { instruction, offset, what },
        }
    }
}
