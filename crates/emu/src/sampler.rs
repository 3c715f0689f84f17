//! The state of a sampler.

use crestline_device::{AddressMode, BorderColor, CompareOp, Filter, Sampler};

/// The state of a sampler, with all that a driver can set separately.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SamplerState {
    /// Filter between texels where the image is magnified: the level of detail is at most 0.
    pub magnify: Filter,
    /// Filter between texels where the image is minified.
    pub minify: Filter,
    /// Filter between levels.
    pub mip: Filter,
    /// Handling of coordinates outside the image, for each coordinate.
    pub address: [AddressMode; 3],
    /// Coordinates are 0 to 1 rather than texels.
    pub normalized: bool,
    /// Comparison with the reference, for messages that compare.
    pub compare: Option<CompareOp>,
    /// The colour for [`AddressMode::Border`].
    pub border: BorderColor,
    /// The smallest and the largest level of detail.
    pub lod: [f32; 2],
    /// The most samples along the longer gradient (maximum anisotropy), 1 to 16. Values up to 1 switch the anisotropic
    /// filter off.
    pub anisotropy: f32,
}

impl SamplerState {
    /// A level of detail between the limits.
    pub(crate) fn limited(&self, lod: f32) -> f32 {
        let [least, most] = self.lod;
        lod.min(most).max(least)
    }
}

impl From<Sampler> for SamplerState {
    fn from(sampler: Sampler) -> SamplerState {
        let Sampler { filter, mip, address, normalized, compare, border } = sampler;
        SamplerState {
            magnify: filter,
            minify: filter,
            mip,
            address: [address; 3],
            normalized,
            compare,
            border,
            lod: [f32::NEG_INFINITY, f32::INFINITY],
            anisotropy: 1.0,
        }
    }
}
