//! The steps of the image lowerings, by name. A test leaves out one at a time and shows that some result is then wrong.

/// A step of the lowering of image accesses. Each one is needed for some formats, devices or kinds of images.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "testing"), expect(unreachable_pub, reason = "only tests name steps"))]
pub enum ImageStep {
    /// Texels outside the image are not accessed.
    Bounds,
    /// No access goes to an image that is not bound or not of the expected kind, if the access would hang the device
    /// or go to wrong addresses.
    Bound,
    /// The fourth component of a read out of bounds is set to 0.
    Alpha,
    /// Bits of the following texels are removed from the result of a read of a narrow texel.
    Narrow,
    /// Components that the format does not have are set to 0 or 1.
    Pad,
    /// A channel is extracted from the word that contains it.
    Extract,
    /// Signed channels are sign extended to 32 bits.
    SignExtend,
    /// A channel is assembled from several words.
    Join,
    /// Normalized channels are converted between integers and floats.
    Number,
    /// Normalized channels are scaled.
    Scale,
    /// The least integer of a signed normalized channel is read as -1.
    Floor,
    /// Half floats are converted to and from 32-bit floats.
    Half,
    /// Unsigned floats are shifted to and from the upper bits of a half float.
    Magnitude,
    /// Components to store are clamped to the format's range.
    Clamp,
    /// The sign is removed before a component is stored as an unsigned float.
    Sign,
    /// Normalized channels are rounded to integers.
    Round,
    /// Bits above a signed channel are set to 0, since a message would otherwise clamp the value.
    Mask,
    /// Channels are shifted to their positions in a word.
    Position,
    /// A channel longer than a word is cut into words.
    Cut,
    /// The position of the mip level in the image's memory is added.
    Offset,
    /// The order of texels inside tiles is applied.
    Tile,
    /// The position of the slice or layer is added.
    Slice,
    /// The position of a slice among those side by side (smaller mip levels of 3D images) is added.
    Across,
    /// Bit 6 of addresses is swizzled.
    Swizzle,
}

impl ImageStep {
    /// All steps.
    #[cfg(feature = "testing")]
    pub const ALL: [ImageStep; 24] = {
        use ImageStep::*;
        [
            Bounds, Bound, Alpha, Narrow, Pad, Extract, SignExtend, Join, Number, Scale, Floor,
            Half, Magnitude, Clamp, Sign, Round, Mask, Position, Cut, Offset, Tile, Slice, Across,
            Swizzle,
        ]
    };
}

/// The steps that a lowering takes: all except at most one.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Steps {
    pub(crate) without: Option<ImageStep>,
}

impl Steps {
    /// Whether the step is taken.
    pub(crate) fn take(self, step: ImageStep) -> bool {
        self.without != Some(step)
    }
}
