//! An emulator for EU machine code. It needs only the code and its metadata.
//!
//! [`Kernel::load`] decodes the code. [`Kernel::dispatch`] has the task of a
//! driver: it runs a grid of workgroups on [`Resources`]. [`Kernel::run_vertices`] and similar functions
//! run the stages of a draw call before the rasterizer, and [`Kernel::draw`] rasterizes and runs the fragment shader. The emulator uses machine code and
//! [`Metadata`](crestline_program::Metadata) only, so it runs code of any compiler.
//!
//! It reports behaviour that is undefined, or that hardware would not report: see [`Class`].

#![deny(missing_docs)]

mod attribute;
mod block;
mod buffer;
mod counters;
mod decode;
mod diagnostic;
mod dispatch;
mod error;
mod exec;
mod feedback;
mod fixed;
mod framebuffer;
mod host;
mod image;
mod interpolate;
mod kernel;
mod layout;
mod log;
mod mask;
mod memory;
mod message;
mod options;
mod pixels;
mod plan;
mod profile;
mod recorder;
mod registers;
mod resources;
mod sampler;
mod samples;
mod stage;
mod texel;
mod thread;
mod trace;
mod transfer;
mod urb;
mod watch;
mod weak;

pub use attribute::{Attribute, AttributeFormat, AttributeFormatError, Numbers, VertexFormat};
pub use counters::Counters;
pub use crestline_device::{AddressMode, BorderColor, CompareOp, Filter, Sampler};
pub use diagnostic::{Class, Diagnostic, Location, Problem, SurfaceName};
pub use error::EmuError;
pub use feedback::{FeedbackCount, FeedbackTarget, TransformFeedback};
pub use fixed::{
    Area, Blend, BlendEquation, BlendFactor, BlendOp, ColourState, CullMode, DepthBias, DepthTest,
    DrawState, FrontFace, LogicOp, PolygonMode, StencilOp, StencilTest, Tessellation, Topology,
    Viewport,
};
pub use framebuffer::{DepthFormat, Framebuffer, FramebufferError};
pub use image::{ImageDimension, ImageShape};
pub use kernel::Kernel;
pub use layout::{Layout, Tiling};
pub use options::{MemoryModel, Options, Policy, Report};
pub use profile::{InstructionCounts, Profile};
pub use recorder::Accessed;
pub use resources::Resources;
pub use sampler::SamplerState;
pub use stage::{Draw, Emitted, Patch, Primitive, PrimitiveOutput, SlotValues, strips};
pub use trace::{Change, Step, Trace};
pub use transfer::{ImageData, Region, TexelArea, TransferError};
pub use watch::{RegisterFile, State};
