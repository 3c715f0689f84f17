//! Why a program cannot be loaded or run.

use crate::{Diagnostic, Location};
use crestline_program::{MetadataError, ResourceRef};

/// Why a program cannot be loaded, or was stopped.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EmuError {
    /// The metadata is impossible or does not fit the code.
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
    /// Bytes that are no instruction; the message names their place.
    #[error("{message}")]
    Decode {
        /// Where and what.
        message: String,
    },
    /// An instruction that no hardware would execute as written.
    #[error("instruction {instruction} (byte {offset:#x}): {message}")]
    Illegal {
        /// Index of the instruction.
        instruction: usize,
        /// Place in the code, in bytes.
        offset: u32,
        /// What is wrong and what was expected.
        message: String,
    },
    /// An instruction or message the emulator does not know.
    #[error("instruction {instruction} (byte {offset:#x}): {what} is not supported")]
    Unsupported {
        /// Index of the instruction.
        instruction: usize,
        /// Place in the code, in bytes.
        offset: u32,
        /// What is missing.
        what: String,
    },
    /// An entry point of the metadata is no instruction.
    #[error("the entry point at byte {offset:#x}: no instruction starts there")]
    EntryPoint {
        /// Place in the code, in bytes.
        offset: u32,
    },
    /// The program is for another stage than was asked to run.
    #[error("the program is a {found} shader: expected a {expected} shader")]
    Stage {
        /// The stage that was asked to run.
        expected: &'static str,
        /// The stage of the program.
        found: &'static str,
    },
    /// Input of a stage that does not fit its metadata.
    #[error("{0}")]
    StageInput(String),
    /// The metadata names a vertex attribute that was not supplied.
    #[error("no vertex attribute is supplied for location {location}")]
    MissingAttribute {
        /// The location.
        location: u32,
    },
    /// The metadata names a resource that was not supplied.
    #[error("resource {resource} is not supplied: {needed_for}")]
    MissingResource {
        /// The resource.
        resource: ResourceRef,
        /// Where the metadata names it.
        needed_for: String,
    },
    /// An image has more texels than the emulator accepts.
    #[error("image {resource} has {size} bytes: expected at most 2^30")]
    ImageTooLarge {
        /// The image.
        resource: ResourceRef,
        /// Its size in bytes.
        size: u64,
    },
    /// Push constants are shorter than the program reads.
    #[error("push constants have {given} bytes: the program reads {needed}")]
    ShortPushConstants {
        /// Bytes supplied.
        given: usize,
        /// Bytes read.
        needed: usize,
    },
    /// The dispatch is larger than the emulator accepts.
    #[error("a dispatch of {0:?} workgroups is too large: expected fewer than 2^32 in all")]
    GridTooLarge([u32; 3]),
    /// A thread executed more instructions than [`Options`](crate::Options) allow.
    #[error("{0}: the thread exceeds its budget of {1} instructions; an endless loop?")]
    Budget(Location, u64),
    /// A thread waits for a barrier that others of its workgroup can no longer reach.
    #[error("{0}: the thread waits for a barrier, but {1} of the group's threads have ended")]
    MissedBarrier(Location, u32),
    /// A thread waits for a notification that nobody sends.
    #[error("{0}: the thread waits for a notification, but sent no barrier message")]
    EndlessWait(Location),
    /// The instruction pointer left the program.
    #[error("{0}: execution runs past the end of the program")]
    PastTheEnd(Location),
    /// A jump whose target, taken from a register, is no instruction.
    #[error("{0}: jumps to byte {1:#x}, where no instruction starts")]
    JumpTarget(Location, i64),
    /// A message descriptor from a register asks for something unsupported.
    #[error("{0}: {1} is not supported")]
    Message(Location, String),
    /// A diagnostic of a class that is to be an error.
    #[error("{0}")]
    Diagnostic(Diagnostic),
}

/// Why one instruction was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reject {
    /// No hardware executes it as written.
    Illegal(String),
    /// The emulator does not know it.
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
