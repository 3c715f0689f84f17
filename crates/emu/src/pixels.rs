//! The pixels of a fragment shader's thread. [`Pixels`] holds the inputs that the fixed functions before the thread
//! supply for its messages (positions, coverage, interpolation), and collects the outputs that its messages write, for
//! the fixed functions after the thread.

use crate::interpolate::Interpolation;
use crate::samples;
use crestline_program::{ComputedDepth, FragmentMetadata, MAX_COLOUR_TARGETS};

/// The largest number of channels of a thread.
pub(crate) const CHANNELS: usize = 32;

/// Which optional parts the payload of a render target write has. The message's descriptor does not say this; the
/// driver sets it in the state (3DSTATE_PS and similar packets).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OutputLayout {
    pub(crate) sample_mask: bool,
    pub(crate) depth: bool,
    pub(crate) stencil: bool,
    /// For each attachment, the mask of the components that the shader writes.
    pub(crate) components: [u8; MAX_COLOUR_TARGETS as usize],
}

impl OutputLayout {
    /// The layout that the state for a shader with these metadata defines.
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

/// The colours that one message of a thread wrote to an attachment.
#[derive(Clone, Debug)]
pub(crate) struct Colours {
    /// The number of the attachment.
    pub(crate) target: u8,
    /// The number of the blend state that the message selects.
    pub(crate) blend_state: u8,
    /// The channels whose colours the message wrote; the arrays contain 0 for the others.
    pub(crate) mask: u32,
    /// The colour of each channel.
    pub(crate) values: Box<[[u32; 4]; CHANNELS]>,
    /// The alpha of attachment 0 of each channel, if the message has it in addition to the colours.
    pub(crate) alpha: Option<Box<[u32; CHANNELS]>>,
    /// The second colours for blending.
    pub(crate) second: Option<Box<[[u32; 4]; CHANNELS]>>,
}

/// The outputs of a thread: the contents of its render target writes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outputs {
    /// The channels that were enabled in a render target write. The others were discarded: nothing is written for them.
    pub(crate) alive: u32,
    /// The colours, in the order of the messages.
    pub(crate) colours: Vec<Colours>,
    pub(crate) depth: Option<[u32; CHANNELS]>,
    pub(crate) stencil: Option<[u8; CHANNELS]>,
    pub(crate) sample_mask: Option<[u16; CHANNELS]>,
    /// Whether the thread has sent the write that is marked as the last one.
    pub(crate) last: bool,
    /// Earlier colours, whose memory is used again.
    spare: Vec<Colours>,
}

impl Outputs {
    /// Removes all outputs, but keeps memory for later ones.
    pub(crate) fn clear(&mut self) {
        let (mut colours, mut spare) =
            (std::mem::take(&mut self.colours), std::mem::take(&mut self.spare));
        spare.append(&mut colours);
        *self = Outputs { colours, spare, ..Outputs::default() };
    }

    /// Memory for the colour of each channel, filled with 0.
    pub(crate) fn values(&mut self) -> Box<[[u32; 4]; CHANNELS]> {
        match self.spare.pop() {
            Some(Colours { mut values, .. }) => {
                *values = [[0; 4]; CHANNELS];
                values
            }
            None => Box::new([[0; 4]; CHANNELS]),
        }
    }
}

/// A 2x2 block of pixels (subspan) of a thread. Pixels have the order upper left, upper right, lower left, lower right. Bit `i`
/// of a mask is sample `i`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    /// The upper left pixel.
    pub(crate) place: [u16; 2],
    /// The samples of each pixel that the primitive covers and that the sample mask of the state contains.
    pub(crate) covered: [u16; 4],
    /// Of these, the samples that passed the tests before the shader.
    pub(crate) live: [u16; 4],
    /// The pixels that the primitive covers wholly: bit `i` is pixel `i`.
    pub(crate) whole: u8,
    /// The sample that the block's channels compute; `None` if they compute whole pixels.
    pub(crate) sample: Option<u8>,
}

impl Block {
    /// The position of pixel number `pixel` of the block.
    pub(crate) fn pixel(&self, pixel: usize) -> [u32; 2] {
        let [x, y] = self.place.map(u32::from);
        [x + (pixel % 2) as u32, y + (pixel / 2 % 2) as u32]
    }

    /// The samples of a pixel that its channel computes: the live ones, or of these the block's sample. The outputs of
    /// the channel are merged into these samples only.
    pub(crate) fn shaded(&self, pixel: usize) -> u16 {
        self.live[pixel] & self.sample.map_or(u16::MAX, |sample| 1 << sample)
    }

    /// The mask of the pixels whose channels are dispatched: those that compute at least one sample.
    pub(crate) fn mask(&self) -> u32 {
        (0..4).map(|pixel| u32::from(self.shaded(pixel) != 0) << pixel).sum()
    }

    /// The centroid of a pixel with `samples` samples, from its upper left corner, in pixels: the centre if all or none of
    /// its samples are live, else the position of the first live one. Vulkan lets the device choose any covered place; Mesa's
    /// software renderer chooses this one.
    pub(crate) fn centroid(&self, pixel: usize, samples: u32) -> [f64; 2] {
        match self.live[pixel] {
            0 => [0.5; 2],
            live if live == samples::all(samples) => [0.5; 2],
            live => samples::position(samples, live.trailing_zeros() as u8),
        }
    }
}

/// The mask of the channels of a thread that are dispatched, given the thread's blocks.
pub(crate) fn dispatched(blocks: &[Block]) -> u32 {
    blocks.iter().take(CHANNELS / 4).zip(0..).map(|(block, n)| block.mask() << (4 * n)).sum()
}

/// The pixels of a thread. Channel `4 * n + i` is pixel `i` of block number `n`.
#[derive(Clone, Debug)]
pub(crate) struct Pixels {
    /// The channels that are dispatched.
    pub(crate) covered: u32,
    pub(crate) blocks: Vec<Block>,
    /// The number of samples of a pixel.
    pub(crate) samples: u32,
    /// The interpolation of the primitive.
    pub(crate) interpolation: Interpolation,
    pub(crate) layout: OutputLayout,
    pub(crate) outputs: Outputs,
}

impl Pixels {
    /// The block of a channel, and the number of its pixel in the block; `None` for channels without a block.
    pub(crate) fn of_channel(&self, channel: usize) -> Option<(&Block, usize)> {
        Some((self.blocks.get(channel / 4)?, channel % 4))
    }
}
