//! Compiled programs: code, versioned metadata, and statistics of each entry point.
//!
//! [`Metadata`] contains everything that a driver needs to run machine code, except the code. A
//! driver or the emulator sets up payload, binding table and memory from the metadata alone. It is
//! plain data with a JSON form, so machine code of other compilers can be described by hand; see
//! `docs/metadata.md`.
//!
//! [`read_kernels`] extracts machine code from files of other tools, such as zebin; [`write_zebin`]
//! writes a zebin.
//!
//! ```
//! use crestline_program::{EXAMPLE, Metadata};
//! let metadata = Metadata::from_json(EXAMPLE)?;
//! assert_eq!(metadata.dispatches.first().simd_width, 16);
//! assert_eq!(Metadata::from_json(&metadata.to_json())?, metadata);
//! # Ok::<(), crestline_program::MetadataError>(())
//! ```

mod container;
mod dispatch;
mod error;
mod feedback;
mod fragment;
mod hex;
mod json;
mod lines;
mod metadata;
mod payload;
mod program;
mod stages;
mod statistics;
mod surface;

pub use container::{
    Container, Kernel, Node, Value, ZebinKernel, read_kernels, write_hex, write_zebin,
};
pub use dispatch::{Dispatch, Dispatches, ENTRY_ALIGNMENT, NoDispatch};
pub use error::{ContainerError, MetadataError};
pub use feedback::{Feedback, FeedbackBuffer, FeedbackCapture};
pub use fragment::{
    ATTRIBUTE_BYTES, Attribute, AttributeSource, Barycentric, COMPONENT_BYTES, ColourOutput,
    ColourType, ComputedDepth, FragmentMetadata, InputCoverage, MAX_ATTRIBUTES, MAX_COLOUR_TARGETS,
    kernel_start_slot,
};
pub use lines::{LineRow, LineTable, MAX_LINE_ROWS, NoPlace, SourcePlace};
pub use metadata::{
    CODE_LIMIT, ComputeMetadata, ConstantData, DenormalMode, FloatMode, Metadata, OLDEST_VERSION,
    Relocation, RelocationEncoding, RelocationValue, RoundingMode, StageMetadata, VERSION,
};
pub use payload::{
    Content, GRF_BYTES, GrfRange, ImageParameter, LocalIds, PayloadItem, ThreadPayload,
};
pub use program::{Document, Program};
pub use stages::{
    ControlData, Distances, Domain, GeometryDispatch, GeometryMetadata, GeometryOutput, SLOT_BYTES,
    Spacing, StageDispatch, TessControlMetadata, TessEvalMetadata, TessOutput, Varying,
    VertexInput, VertexMetadata,
};
pub use statistics::Statistics;
pub use surface::{BindingEntry, ImageAccess, ResourceRef, SamplerEntry, Surface};

/// Metadata of a compute shader, as JSON: the example of `docs/metadata.md`.
pub const EXAMPLE: &str = include_str!("../example/compute.json");
