//! The pixels of a fragment shader's thread: what the fixed functions before the thread supply to its messages, and what
//! its messages supply to the fixed functions after it.

use crate::interpolate::Interpolation;
use crestline_program::{ComputedDepth, FragmentMetadata, MAX_COLOUR_TARGETS};

/// The most channels of a thread.
pub(crate) const CHANNELS: usize = 32;

/// The optional parts of the payload of a render target write: 3DSTATE_PS and similar packets define them, not the message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OutputLayout {
    pub(crate) sample_mask: bool,
    pub(crate) depth: bool,
    pub(crate) stencil: bool,
    /// The components that the shader writes to each attachment.
    pub(crate) components: [u8; MAX_COLOUR_TARGETS as usize],
}

impl OutputLayout {
    pub(crate) fn new(metadata: &FragmentMetadata) -> OutputLayout {
        let mut components = [0; MAX_COLOUR_TARGETS as usize];
        for output in &metadata.colour_outputs {
            components[usize::from(output.target)] |= output.components;
        }
        OutputLayout {
            sample_mask: metadata.output_sample_mask,
            depth: metadata.computed_depth != ComputedDepth::Off,
            stencil: metadata.computed_stencil,
            components,
        }
    }
}

/// What a thread wrote to one attachment.
#[derive(Clone, Debug)]
pub(crate) struct Colours {
    /// The attachment.
    pub(crate) target: u8,
    /// The number of the blend state that the message selects.
    pub(crate) blend_state: u8,
    /// The channels that were written.
    pub(crate) mask: u32,
    pub(crate) values: Box<[[u32; 4]; CHANNELS]>,
    /// The second colours for blending.
    pub(crate) second: Option<Box<[[u32; 4]; CHANNELS]>>,
}

/// What a thread wrote.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outputs {
    /// The channels that a render target write contained: those that were not discarded.
    pub(crate) alive: u32,
    /// The colours, in the order of the messages.
    pub(crate) colours: Vec<Colours>,
    pub(crate) depth: Option<[u32; CHANNELS]>,
    pub(crate) stencil: Option<[u8; CHANNELS]>,
    pub(crate) sample_mask: Option<[u16; CHANNELS]>,
    /// Whether the write to the last render target is done.
    pub(crate) last: bool,
}

/// The pixels of a thread. Channel `4 * n + i` is pixel `i` of the 2x2 block (subspan) number `n`.
#[derive(Clone, Debug)]
pub(crate) struct Pixels {
    /// The channels whose pixels the primitive covers.
    pub(crate) covered: u32,
    /// The upper left pixel of each block.
    pub(crate) blocks: Vec<[u16; 2]>,
    /// The interpolation of the primitive.
    pub(crate) interpolation: Interpolation,
    pub(crate) layout: OutputLayout,
    pub(crate) outputs: Outputs,
}

impl Pixels {
    /// The pixel of a channel; `None` for channels without a block.
    pub(crate) fn pixel(&self, channel: usize) -> Option<[u32; 2]> {
        let [x, y] = *self.blocks.get(channel / 4)?;
        Some([u32::from(x) + (channel % 2) as u32, u32::from(y) + (channel / 2 % 2) as u32])
    }
}
