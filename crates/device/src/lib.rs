//! Facts about Intel GPUs from gen4 to gen12.5: generations, platforms, capabilities, limits,
//! surface formats and sampler states.
//!
//! ```
//! use crestline_device::{Device, Pipeline, Platform};
//! let device = Device::new(Platform::Skl);
//! assert!(device.has_split_send() && device.mul_32x32());
//! assert_eq!(device.scratch_code(Pipeline::Compute, 5000), Some(3));
//! ```

mod device;
mod formats;
mod r#gen;
mod images;
mod platform;
mod sampler;

pub use device::{Device, Limits, Pipeline};
pub use formats::{
    Channel, ChannelKind, Codec, Compression, FormatInfo, Operation, SurfaceFormat, UnknownFormat,
};
pub use r#gen::{Gen, UnknownGen};
pub use images::TypedRead;
pub use platform::{Platform, UnknownPlatform};
pub use sampler::{AddressMode, BorderColor, CompareOp, Filter, Sampler, UnknownSampler};
