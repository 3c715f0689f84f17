//! The steps of the image lowerings, by name: a test leaves out one at a time and shows that it is missed.

/// A step that the lowering of image accesses takes for some formats, devices and kinds of images.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "testing"), expect(unreachable_pub, reason = "only tests name steps"))]
pub enum ImageStep {
    /// Texels outside of the image are not accessed at the addresses that they would have.
    Bounds,
    /// Accesses stay off what is not bound, or in another way than the code needs, where that hangs or strays.
    Bound,
    /// A fourth component read out of bounds becomes 0.
    Alpha,
    /// Bits beyond a narrow texel are not used.
    Narrow,
    /// Components that the format lacks are filled in.
    Pad,
    /// Channels are taken out of the word that they are a part of.
    Extract,
    /// Signed channels are extended to 32 bits.
    SignExtend,
    /// A channel is put together from several words.
    Join,
    /// Integers of normalized channels become numbers and back.
    Number,
    /// Normalized numbers are scaled.
    Scale,
    /// The least signed normalized number counts as -1.
    Floor,
    /// Half floats become floats and back.
    Half,
    /// Unsigned floats are the upper bits of a half float.
    Magnitude,
    /// Components to store are clamped to the format's range.
    Clamp,
    /// Unsigned floats have no sign.
    Sign,
    /// Normalized numbers are rounded.
    Round,
    /// Bits above a signed channel are cut off, which messages would clamp.
    Mask,
    /// Channels are moved to their positions in a word.
    Position,
    /// Words take their part of a channel that is longer.
    Cut,
    /// The level begins somewhere in the image's memory.
    Offset,
    /// Tiles hold texels in an order of their own.
    Tile,
    /// Slices and layers follow each other.
    Slice,
    /// Slices of smaller levels lie side by side.
    Across,
    /// Bit 6 of addresses is exchanged.
    Swizzle,
}

impl ImageStep {
    /// All of them.
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

/// The steps that are taken: all but perhaps one.
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
