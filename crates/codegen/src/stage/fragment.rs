//! The interface of a fragment shader: positions in the thread payload, and surfaces of the colour attachments.

use std::collections::BTreeMap;

use crestline_program::Barycentric;
use crestline_ssa::ir::{InterpMode, InterpPlace, Interpolation, IoSlot};

/// Byte offsets in the payload of a part that exists once for channels 0 to 15 and, in SIMD32, once more for channels
/// 16 to 31.
pub type PerHalf = [u32; 2];

/// A fragment shader's inputs and outputs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FragmentIo {
    /// The barycentric coordinates in the payload. For each eight channels, a register with the weights of vertex 1 is
    /// followed by a register with those of vertex 2.
    pub barycentrics: BTreeMap<Barycentric, PerHalf>,
    /// The depth of the primitive: a float per channel.
    pub source_depth: Option<PerHalf>,
    /// The clip coordinate w of the primitive: a float per channel.
    pub source_w: Option<PerHalf>,
    /// The position of the sample in the pixel: a word per channel, with x in the low and y in the high byte, in
    /// sixteenths of a pixel.
    pub position_offsets: Option<PerHalf>,
    /// The input sample mask: a dword per channel.
    pub input_coverage: Option<PerHalf>,
    /// Byte offset of the setup data of component 0 of each input slot; the other components follow, 16 bytes each.
    /// The key states whether the input is flat.
    pub attributes: BTreeMap<(IoSlot, bool), u32>,
    /// Byte offset of the setup data of `gl_PointCoord`.
    pub point_coord: Option<u32>,
    /// Binding table index of each colour attachment that the shader writes.
    pub targets: BTreeMap<u32, u8>,
    /// Binding table index of a null surface, if the shader writes no colour attachment.
    pub null_target: Option<u8>,
    /// Whether threads also run helper invocations, because results of their neighbours in the quad depend on them.
    pub helpers: bool,
    /// Whether the shader runs once for each sample.
    pub per_sample: bool,
    /// Whether the framebuffer has one sample.
    pub one_sample: bool,
    /// Whether the messages for attachments other than 0 have the alpha of attachment 0.
    pub source0_alpha: bool,
}

/// Declares [`FragmentStep`] and the list of all steps.
macro_rules! steps {
    ($($(#[$doc:meta])+ $step:ident,)*) => {
        /// A step of the compilation of fragment shaders. Tests leave one out and check that a result becomes wrong,
        /// which shows that the step is needed. The documentation of a step states what holds if the step is done.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum FragmentStep {
            $($(#[$doc])+ $step,)*
        }

        impl FragmentStep {
            /// All steps.
            pub const ALL: &[FragmentStep] = &[$(FragmentStep::$step,)*];
        }
    };
}

steps! {
    /// Writes to memory are predicated by the pixels that are live.
    LiveWrites,
    /// Render-target writes are predicated, or masked in the header, by the pixels that are live.
    LiveTargets,
    /// Only pixels that the primitive covers are live at the start.
    CoveredPixels,
    /// A discard sets the pixel's bit in the helper flag.
    Discard,
    /// The second half of a SIMD32 thread has its own part of the payload.
    UpperHalf,
    /// Flat inputs are the value of a vertex.
    FlatValue,
    /// An input is interpolated with the weights of its own kind of interpolation, not with others in the payload.
    Weights,
    /// `gl_FragCoord` is the position of the pixel's centre, not of its corner.
    PixelCentre,
    /// Each 2x2 block of pixels has its own position.
    BlockPosition,
    /// A fine derivative may differ between the rows or columns of a 2x2 block.
    FineDerivative,
    /// The header of a render-target write has the number of the attachment.
    TargetNumber,
    /// Only the last render-target write of the thread has the "last render target" bit.
    LastTarget,
    /// The payload of a render-target write has the depth.
    Depth,
    /// The payload of a render-target write has the sample mask.
    SampleMask,
    /// The depth of the primitive comes from the payload.
    SourceDepth,
    /// The fourth component of `gl_FragCoord` is the reciprocal of w.
    ReciprocalW,
    /// Bit 15 of r0.0 is set for back faces, not for front faces.
    FrontFacing,
    /// The payload of a render-target write has the second colour of dual source blending.
    SecondColour,
    /// The payload of a render-target write has the stencil value.
    Stencil,
    /// The helpers in a quad leave a loop when all invocations of the quad that still execute it are killed.
    AllKilled,
    /// Each channel has the number of its own sample.
    SampleNumber,
    /// In a shader that runs once for each sample, the position is that of the invocation's sample.
    SamplePosition,
    /// In a shader that runs once for each sample, the input sample mask has only the bit of the invocation's sample.
    SampleBit,
    /// The request to the pixel interpolator has the offset or sample at which the shader wants weights.
    OtherPlace,
    /// The metadata request that threads also run helper invocations, whose pixels are not covered.
    HelperDispatch,
    /// The metadata state that the shader discards pixels.
    KillState,
    /// The metadata state that the shader writes the depth.
    DepthState,
    /// The metadata state that the shader writes the sample mask.
    MaskState,
    /// The metadata request depth and stencil tests before the shader runs.
    EarlyTests,
    /// The payload of a render-target write has the alpha of attachment 0 for alpha to coverage.
    Source0Alpha,
    /// A read of one sample of a multisampled image passes the control data of the texel (MCS) to the sampler.
    ControlData,
}

/// The kind of barycentric coordinates that an interpolation needs; `None` for inputs that are not interpolated.
pub fn barycentric(interpolation: Interpolation) -> Option<Barycentric> {
    Some(match (interpolation.mode, interpolation.place) {
        (InterpMode::Flat | InterpMode::PerVertex, _) => return None,
        (InterpMode::Smooth, InterpPlace::Centre) => Barycentric::PerspectivePixel,
        (InterpMode::Smooth, InterpPlace::Centroid) => Barycentric::PerspectiveCentroid,
        (InterpMode::Smooth, InterpPlace::Sample) => Barycentric::PerspectiveSample,
        (InterpMode::NoPerspective, InterpPlace::Centre) => Barycentric::LinearPixel,
        (InterpMode::NoPerspective, InterpPlace::Centroid) => Barycentric::LinearCentroid,
        (InterpMode::NoPerspective, InterpPlace::Sample) => Barycentric::LinearSample,
    })
}
