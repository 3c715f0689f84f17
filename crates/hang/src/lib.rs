//! Reads the error state that the i915 driver of Linux writes when the GPU hangs (`/sys/class/drm/cardN/error`).
//!
//! [`Dump::read`] reads the text: registers of each engine, and the buffers that the driver stored. [`Report::new`] decodes the
//! batch of each engine into packets, finds the packet where the command streamer stood, lists the units that were not
//! done, and finds the kernels of the draws and dispatches. An error state has no instruction pointers of EU threads, so
//! the report marks the kernels that the last started packet used.
//!
//! Supported are gen7 to gen12. The text is not trusted: reading it never panics, and the size of the stored buffers has a limit.
//!
//! Source of the format: `i915_gpu_error.c` of Linux, versions 4.4 (words in hexadecimal) to 6.2 (ascii85).

mod ascii85;
mod batch;
mod dump;
mod error;
mod kernels;
mod report;
pub mod tables;
mod text;

pub use dump::{Buffer, Dump, Engine, MAX_BUFFER_BYTES, Register};
pub use error::DumpError;
pub use report::{FieldValue, KernelReport, PacketReport, Report, RingReport, UnitReport};
