//! Diagnostics: what the emulator reports about a program that it can run, but that does something suspicious.

use crate::registers::name_of;
use crestline_device::SurfaceFormat;
use crestline_program::ResourceRef;
use std::fmt;

/// The class of a [`Diagnostic`]. [`Options`](crate::Options) have a policy for each class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Class {
    /// A read of a register byte that the thread never wrote.
    UninitializedRead,
    /// An access of memory outside its surface.
    OutOfBounds,
    /// A message with a binding table index that has no surface.
    Unbound,
    /// An address without the alignment that the message requires.
    Misaligned,
    /// An indirect operand outside the register file, or with a row that crosses a register boundary.
    RegisterRange,
    /// The end of a thread while channels wait at a join point that the thread did not reach.
    LostChannels,
    /// An end-of-thread message whose payload is not in the last registers.
    EotPayload,
    /// `NoDDClr` and `NoDDChk` bits that do not match: see [`Problem::UncheckedWrite`] and [`Problem::UnfinishedGroup`].
    DependencyControl,
    /// A message to a surface of an unsuitable kind or format.
    Surface,
    /// A render target write that does not agree with the thread's pixels or with the state.
    PixelWrite,
}

impl Class {
    /// Every class.
    pub const ALL: [Class; 10] = [
        Class::UninitializedRead,
        Class::OutOfBounds,
        Class::Unbound,
        Class::Misaligned,
        Class::RegisterRange,
        Class::LostChannels,
        Class::EotPayload,
        Class::DependencyControl,
        Class::Surface,
        Class::PixelWrite,
    ];
}

/// The problem that a [`Diagnostic`] reports, with its details.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Problem {
    /// A register byte was read that the thread never wrote.
    UninitializedRead {
        /// Offset in the emulator's register array; [`fmt::Display`] names the register.
        register: usize,
    },
    /// Memory outside of a surface.
    OutOfBounds {
        /// The surface.
        surface: SurfaceName,
        /// Byte offset in the surface, or the address for memory without a surface.
        address: u64,
        /// Size of the access in bytes.
        size: u32,
        /// Size of the surface in bytes.
        limit: u64,
        /// Whether it was a write (or an atomic).
        write: bool,
    },
    /// No surface at this binding table index.
    Unbound {
        /// The index.
        index: u8,
    },
    /// An address that is not a multiple of the alignment that the message requires.
    Misaligned {
        /// Byte offset in the surface, or address.
        address: u64,
        /// The alignment in bytes.
        alignment: u32,
    },
    /// An indirect operand outside of the register file.
    RegisterRange {
        /// Byte address computed from a0.
        address: i32,
    },
    /// A row of an indirect operand that begins in one register and ends in the next.
    RowCrossing {
        /// Byte address of the row.
        address: i32,
    },
    /// The thread ended while channels waited.
    LostChannels {
        /// The waiting channels, one bit each.
        channels: u32,
    },
    /// A destination is not checked (`NoDDChk`), but no earlier write left the register's dependency set
    /// (`NoDDClr`).
    UncheckedWrite {
        /// The register.
        register: u8,
    },
    /// An instruction waits for a register whose dependency an earlier write left set (`NoDDClr`) and no write cleared.
    UnfinishedGroup {
        /// The register.
        register: u8,
    },
    /// The payload of an end-of-thread message.
    EotPayload {
        /// Its first register.
        register: u8,
        /// The first register allowed.
        first: u8,
    },
    /// A typed read of a format that the device cannot read.
    TypedRead {
        /// Binding table index.
        index: u8,
        /// The surface's format.
        format: SurfaceFormat,
    },
    /// A typed atomic on a null surface, on a device that writes memory anyway.
    NullAtomic {
        /// Binding table index.
        index: u8,
    },
    /// An untyped message to a surface that is not `RAW`, on a device that hangs in this case.
    NotRaw {
        /// Binding table index.
        index: u8,
    },
    /// The header of a render target write has other pixels than the thread, or enables pixels that the primitive does
    /// not cover.
    PixelHeader,
    /// A render target write whose payload is longer than the state says.
    PixelPayload {
        /// Registers of the payload.
        given: u8,
        /// Registers that follow from the message and the state.
        expected: u8,
    },
    /// A thread of a fragment shader whose last message is no write to the last render target.
    NoLastPixelWrite,
    /// A render target write after the one to the last render target.
    WriteAfterLast,
}

/// The memory that a message accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SurfaceName {
    /// A binding table index.
    Index(u8),
    /// An image at a binding table index; addresses are x in the low, y in the high half.
    Image(u8),
    /// Shared memory of the workgroup.
    Shared,
    /// Scratch memory of the thread.
    Scratch,
    /// Memory by its 64-bit address.
    Address,
    /// A URB entry by its handle.
    Urb(u32),
}

impl fmt::Display for SurfaceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SurfaceName::Index(index) => write!(f, "binding table index {index}"),
            SurfaceName::Image(index) => write!(f, "the image at binding table index {index}"),
            SurfaceName::Shared => f.write_str("shared memory"),
            SurfaceName::Scratch => f.write_str("scratch memory"),
            SurfaceName::Address => f.write_str("64-bit addresses"),
            SurfaceName::Urb(handle) => write!(f, "URB entry {handle:#x}"),
        }
    }
}

impl Problem {
    /// The class.
    pub fn class(&self) -> Class {
        match self {
            Problem::UninitializedRead { .. } => Class::UninitializedRead,
            Problem::OutOfBounds { .. } => Class::OutOfBounds,
            Problem::Unbound { .. } => Class::Unbound,
            Problem::Misaligned { .. } => Class::Misaligned,
            Problem::RegisterRange { .. } | Problem::RowCrossing { .. } => Class::RegisterRange,
            Problem::LostChannels { .. } => Class::LostChannels,
            Problem::EotPayload { .. } => Class::EotPayload,
            Problem::UncheckedWrite { .. } | Problem::UnfinishedGroup { .. } => {
                Class::DependencyControl
            }
            Problem::TypedRead { .. } | Problem::NullAtomic { .. } | Problem::NotRaw { .. } => {
                Class::Surface
            }
            Problem::PixelHeader
            | Problem::PixelPayload { .. }
            | Problem::NoLastPixelWrite
            | Problem::WriteAfterLast => Class::PixelWrite,
        }
    }
}

/// A binding table index and the resource that is bound there.
struct Bound(u8, Option<ResourceRef>);

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bound(index, Some(resource)) => write!(f, "{resource} (binding table index {index})"),
            Bound(index, None) => write!(f, "binding table index {index}"),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.describe(None, f)
    }
}

impl Problem {
    /// The binding table index that it is about.
    pub(crate) fn index(&self) -> Option<u8> {
        match *self {
            Problem::OutOfBounds {
                surface: SurfaceName::Index(index) | SurfaceName::Image(index),
                ..
            }
            | Problem::Unbound { index }
            | Problem::TypedRead { index, .. }
            | Problem::NullAtomic { index }
            | Problem::NotRaw { index } => Some(index),
            _ => None,
        }
    }

    /// Writes the sentence about the problem, with the name of the resource.
    fn describe(&self, resource: Option<ResourceRef>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Problem::UninitializedRead { register } => {
                write!(f, "reads {}, which was never written", name_of(register))
            }
            Problem::OutOfBounds { surface, address, size, limit, write } => {
                let access = if write { "writes" } else { "reads" };
                match (surface, resource) {
                    (SurfaceName::Image(index), _) => {
                        let (x, y) = (address as u32 as i32, (address >> 32) as i32);
                        let image = Bound(index, resource);
                        write!(f, "{access} texel {x}, {y} outside of the image at {image}")
                    }
                    (SurfaceName::Address, Some(buffer)) => write!(
                        f,
                        "{access} {size} bytes at the address {address:#x}, where there is no memory: \
                         beyond the end of the buffer {buffer}, which has {limit} bytes"
                    ),
                    (SurfaceName::Address, None) => write!(
                        f,
                        "{access} {size} bytes at the address {address:#x}, where there is no memory"
                    ),
                    (SurfaceName::Index(index), Some(_)) => {
                        let buffer = Bound(index, resource);
                        write!(
                            f,
                            "{access} {size} bytes at {address:#x} of the buffer {buffer}, which has \
                             {limit} bytes"
                        )
                    }
                    _ => write!(
                        f,
                        "{access} {size} bytes at {address:#x} of {surface}, which has {limit} bytes"
                    ),
                }
            }
            Problem::Unbound { index } => {
                write!(f, "uses {}, which is not bound", Bound(index, resource))
            }
            Problem::Misaligned { address, alignment } => {
                write!(f, "address {address:#x} is not a multiple of {alignment}")
            }
            Problem::RegisterRange { address } => {
                write!(f, "indirect operand at byte {address} is outside of the register file")
            }
            Problem::RowCrossing { address } => {
                write!(
                    f,
                    "a row of an indirect operand, at byte {address}, crosses from one register to the next"
                )
            }
            Problem::LostChannels { channels } => {
                write!(f, "the thread ends while channels {channels:#x} wait for a join")
            }
            Problem::UncheckedWrite { register } => {
                write!(
                    f,
                    "does not wait for r{register} (NoDDChk), but no earlier instruction left its dependency set (NoDDClr)"
                )
            }
            Problem::UnfinishedGroup { register } => {
                write!(
                    f,
                    "waits for r{register}, but an earlier instruction left its dependency set (NoDDClr)"
                )
            }
            Problem::EotPayload { register, first } => {
                write!(f, "end-of-thread payload in r{register}: expected r{first} or above")
            }
            Problem::TypedRead { index, format } => write!(
                f,
                "a typed read of {}, whose format {format} cannot be read",
                Bound(index, resource)
            ),
            Problem::NullAtomic { index } => write!(
                f,
                "a typed atomic on {}, a null surface: the hardware writes memory anyway",
                Bound(index, resource)
            ),
            Problem::PixelHeader => f.write_str(
                "the header of the render target write has other pixels than the thread",
            ),
            Problem::PixelPayload { given, expected } => write!(
                f,
                "a render target write with {given} payload registers: expected {expected}"
            ),
            Problem::NoLastPixelWrite => f.write_str(
                "the thread ends without a write to the last render target: its pixels stay locked",
            ),
            Problem::WriteAfterLast => f.write_str(
                "a render target write after the one that is marked as the last: its pixels are no longer locked",
            ),
            Problem::NotRaw { index } => write!(
                f,
                "an untyped message to {}, whose format is not RAW: the hardware hangs",
                Bound(index, resource)
            ),
        }
    }
}

/// A position in a dispatch: workgroup, thread, instruction, channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location {
    /// Workgroup. In the stages of a draw call x is the number of the group of threads that run together:
    /// of the pair of vertices, points or primitives, or of the patch or primitive. In fragment shaders x and y are the
    /// upper left pixel of the thread's first 2x2 block, and z is the number of the primitive.
    pub group: [u32; 3],
    /// Index of the thread in the workgroup, or in the group of threads that run together.
    pub thread: u32,
    /// Index of the instruction in the program.
    pub instruction: usize,
    /// Byte offset of the instruction in the code.
    pub offset: u32,
    /// The channel, if the problem concerns only one.
    pub channel: Option<u8>,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.group;
        write!(f, "instruction {} (byte {:#x})", self.instruction, self.offset)?;
        if let Some(channel) = self.channel {
            write!(f, ", channel {channel}")?;
        }
        write!(f, ", thread {} of workgroup {x},{y},{z}", self.thread)
    }
}

/// A report about one instruction: the first problem of its class there, and how often the class occurred.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// What is wrong.
    pub problem: Problem,
    /// Position of the first occurrence.
    pub location: Location,
    /// Number of occurrences of the class at this instruction.
    pub count: u64,
    /// The resource at the binding table index, or the resource whose memory precedes the address; `None` if there is none.
    pub resource: Option<ResourceRef>,
}

impl Diagnostic {
    /// Whether a diagnostic about code of this compiler does not show an error of the compiler. `draws` is true for the
    /// stages of a draw call.
    ///
    /// The compiler loads whole registers, and whole vectors in the stages of a draw call: bytes beyond a buffer's end read as
    /// 0 and are not used. A slot that the shader does not set is written with undefined contents. A read out of bounds by a
    /// channel of a compute shader is in the shader itself, but Vulkan defines it as 0: it counts if `strict` is true.
    pub fn is_harmless(&self, draws: bool, strict: bool) -> bool {
        match self.problem {
            // Code does not read more bytes at an address than the shader does.
            Problem::OutOfBounds { surface: SurfaceName::Address, .. } => false,
            Problem::OutOfBounds { write, .. } => {
                !write && (draws || !strict || self.location.channel.is_none())
            }
            problem => draws && problem.class() == Class::UninitializedRead,
        }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.location)?;
        self.problem.describe(self.resource, f)?;
        if self.count > 1 {
            write!(f, " ({} times)", self.count)?;
        }
        Ok(())
    }
}
