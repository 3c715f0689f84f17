//! An emulator that runs EU machine code from its metadata.
//!
//! [`Kernel::load`] turns code into executable form once; [`Kernel::dispatch`] acts as the
//! driver and runs a grid of workgroups on [`Resources`]; [`Kernel::run_vertices`] and its like
//! run the stages of a draw call. The emulator knows machine code and
//! [`Metadata`](crestline_program::Metadata), and nothing of any compiler.
//!
//! What the hardware would silently do wrong, or leave undefined, is reported: see [`Class`].

#![deny(missing_docs)]

mod attribute;
mod buffer;
mod decode;
mod diagnostic;
mod dispatch;
mod error;
mod exec;
mod image;
mod kernel;
mod layout;
mod log;
mod mask;
mod memory;
mod message;
mod options;
mod plan;
mod registers;
mod resources;
mod stage;
mod texel;
mod thread;
mod trace;
mod urb;
mod weak;

pub use attribute::{Attribute, AttributeFormat, AttributeFormatError};
pub use crestline_device::{AddressMode, BorderColor, CompareOp, Filter, Sampler};
pub use diagnostic::{Class, Diagnostic, Location, Problem, SurfaceName};
pub use error::EmuError;
pub use image::{ImageDimension, ImageShape};
pub use kernel::Kernel;
pub use layout::{Layout, Tiling};
pub use options::{MemoryModel, Options, Policy, Report};
pub use resources::Resources;
pub use stage::{Draw, Emitted, Patch, Primitive, PrimitiveOutput, SlotValues};
pub use trace::{Change, Step, Trace};
