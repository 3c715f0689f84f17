//! Metadata of transform feedback: what the fixed functions write to buffers for each vertex.

use crate::json::record;
use crate::stages::{Varying, field};
use crate::{MetadataError, SLOT_BYTES};
use serde::Serialize;

/// Number of transform feedback buffers of the hardware.
const BUFFERS: u32 = 4;

/// Largest Surface Pitch of 3DSTATE_SO_BUFFER in bytes.
const MAX_STRIDE: u32 = 2048;

/// What transform feedback captures of the output vertices of a stage, if it is the last one before
/// the rasterizer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Feedback {
    /// The buffers that are written.
    pub buffers: Vec<FeedbackBuffer>,
    /// The captured parts of slots: sorted by buffer and offset, without overlaps. Bytes between them
    /// are not written.
    pub captures: Vec<FeedbackCapture>,
}

/// A buffer for captured outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct FeedbackBuffer {
    /// Its number, 0 to 3.
    pub buffer: u32,
    /// Distance of the records of two vertices in bytes, a multiple of 4.
    pub stride: u32,
    /// The stream whose vertices it gets.
    pub stream: u32,
}

/// Captured dwords of one slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct FeedbackCapture {
    /// The number of the buffer.
    pub buffer: u32,
    /// Byte offset in the record of a vertex, a multiple of 4.
    pub offset: u32,
    /// The slot, by its content.
    pub varying: Varying,
    /// The first captured dword of the slot.
    pub first: u32,
    /// Number of captured dwords, 1 to 4.
    pub count: u32,
}

impl FeedbackCapture {
    /// The byte offset after the last captured dword.
    fn end(&self) -> u64 {
        u64::from(self.offset) + 4 * u64::from(self.count)
    }
}

impl Feedback {
    /// Checks that the fields are consistent with each other and with the layout of the output entry.
    /// `streams` is the number of streams that the stage has.
    pub(crate) fn check(&self, outputs: &[Varying], streams: u32) -> Result<(), MetadataError> {
        let mut strides = [None; BUFFERS as usize];
        for buffer in &self.buffers {
            let FeedbackBuffer { buffer: number, stride, stream } = *buffer;
            let known = strides.get_mut(number as usize).filter(|stride| stride.is_none());
            let Some(known) = known else {
                let reason = format!("buffer {number}: expected 0 to 3, each at most once");
                return Err(field("feedback.buffers", reason));
            };
            if !stride.is_multiple_of(4) || stride > MAX_STRIDE {
                let reason =
                    format!("stride {stride}: expected a multiple of 4, at most {MAX_STRIDE}");
                return Err(field("feedback.buffers", reason));
            }
            if stream >= streams {
                let reason = format!("stream {stream}: expected less than {streams}");
                return Err(field("feedback.buffers", reason));
            }
            *known = Some(stride);
        }
        let mut last = (0, 0);
        for capture in &self.captures {
            let fail = |reason: String| Err(field("feedback.captures", reason));
            let FeedbackCapture { buffer, offset, varying, first, count } = *capture;
            let Some(Some(stride)) = strides.get(buffer as usize) else {
                return fail(format!("buffer {buffer}: expected one of `buffers`"));
            };
            if !offset.is_multiple_of(4) || capture.end() > u64::from(*stride) {
                let reason = format!("offset {offset}: expected a multiple of 4 within the stride");
                return fail(reason);
            }
            if (buffer, u64::from(offset)) < last {
                return fail(format!(
                    "offset {offset}: expected captures in order, without overlaps"
                ));
            }
            let end = u64::from(first) + u64::from(count);
            if count == 0 || end > u64::from(SLOT_BYTES / 4) {
                return fail(format!(
                    "{count} dwords from {first} on: expected 1 to 4 of one slot"
                ));
            }
            if varying == Varying::Padding || !outputs.contains(&varying) {
                return fail(format!("{varying}: expected a varying of `outputs`"));
            }
            last = (buffer, capture.end());
        }
        Ok(())
    }
}

record! {
    Feedback { buffers, captures }
    FeedbackBuffer { buffer, stride, stream: default }
    FeedbackCapture { buffer, offset, varying, first: default, count }
}
