//! Transform feedback: the outputs of each vertex that the fixed functions write to buffers.

use std::collections::BTreeMap;

use super::{IoSlot, MAX_STREAMS, Shader, Stage};

/// Number of transform feedback buffers (Vulkan: `maxTransformFeedbackBuffers`; PRM, `3DSTATE_SO_BUFFER`).
pub const MAX_FEEDBACK_BUFFERS: u8 = 4;

/// Largest distance of the records of two vertices in a buffer, in bytes (PRM, `3DSTATE_SO_BUFFER`, Surface Pitch).
pub const MAX_FEEDBACK_STRIDE: u32 = 2048;

/// What transform feedback captures of the vertices of the last stage before the rasterizer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Feedback {
    /// The buffers by number, below [`MAX_FEEDBACK_BUFFERS`].
    pub buffers: BTreeMap<u8, FeedbackBuffer>,
    /// The captured parts of outputs, sorted.
    pub captures: Vec<Capture>,
}

/// A buffer for captured outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeedbackBuffer {
    /// Distance of the records of two vertices in bytes, a multiple of 4 and at most [`MAX_FEEDBACK_STRIDE`].
    pub stride: u32,
    /// The stream whose vertices the buffer gets.
    pub stream: u8,
}

/// Consecutive components of one slot that are captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Capture {
    /// The number of the buffer.
    pub buffer: u8,
    /// Byte offset in the record of a vertex, a multiple of 4.
    pub offset: u32,
    /// The slot.
    pub slot: IoSlot,
    /// The first component, in components of 32 bits.
    pub comp: u8,
    /// Number of components of 32 bits, 1 to 4.
    pub comps: u8,
}

impl Capture {
    /// The byte offset after the last component.
    pub fn end(&self) -> u32 {
        self.offset.saturating_add(4 * u32::from(self.comps))
    }
}

impl Feedback {
    /// Sorts the captures and joins neighbours in a slot.
    pub fn normalize(&mut self) {
        self.captures.sort_unstable();
        self.captures.dedup_by(|next, last| {
            let follows = (last.buffer, last.slot, last.end())
                == (next.buffer, next.slot, next.offset)
                && last.comp + last.comps == next.comp
                && next.comp + next.comps <= 4;
            if follows {
                last.comps += next.comps;
            }
            follows
        });
    }

    /// Checks that the captures are parts of outputs of `shader`, and have places of their own in records of buffers that exist.
    ///
    /// # Errors
    /// What is wrong, and the slot if it is about a capture.
    pub fn check(&self, shader: &Shader) -> Result<(), (Option<IoSlot>, &'static str)> {
        let stage = shader.stage.stage();
        let whole = |what| Err((None, what));
        if !self.buffers.is_empty()
            && !matches!(stage, Stage::Vertex | Stage::TessEval | Stage::Geometry)
        {
            return whole("only stages before the rasterizer have transform feedback");
        }
        let streams = if stage == Stage::Geometry { MAX_STREAMS } else { 1 };
        for (&buffer, &FeedbackBuffer { stride, stream }) in &self.buffers {
            if buffer >= MAX_FEEDBACK_BUFFERS {
                return whole("transform feedback buffers are 0 to 3");
            }
            if !stride.is_multiple_of(4) || stride > MAX_FEEDBACK_STRIDE {
                return whole(
                    "the stride of a transform feedback buffer is a multiple of 4, at most 2048",
                );
            }
            if stream >= streams {
                return whole("streams are 0 to 3, and 0 outside geometry shaders");
            }
        }
        let mut last: Option<&Capture> = None;
        for capture in &self.captures {
            let wrong = |what| Err((Some(capture.slot), what));
            let Some(buffer) = self.buffers.get(&capture.buffer) else {
                return wrong("a capture needs a buffer");
            };
            if !capture.offset.is_multiple_of(4) || capture.end() > buffer.stride {
                return wrong(
                    "the offset of a capture is a multiple of 4, and its end at most the stride",
                );
            }
            if last.is_some_and(|last| last.buffer == capture.buffer && last.end() > capture.offset)
            {
                return wrong("captures are sorted by offset and do not overlap");
            }
            let end = capture.comp.saturating_add(capture.comps);
            if capture.comps == 0 || end > 4 {
                return wrong("a capture has 1 to 4 components of one slot");
            }
            let outputs = shader.outputs.iter().filter(|var| var.stream == buffer.stream);
            let found = outputs.filter_map(|var| Some(var.components(var.index_of(capture.slot)?)));
            let wanted = ((1u32 << capture.comps) - 1) << capture.comp;
            if wanted & !found.fold(0, |all, components| all | components) != 0 {
                return wrong("a capture is a part of an output of the buffer's stream");
            }
            last = Some(capture);
        }
        Ok(())
    }
}
