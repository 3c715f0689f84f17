//! Transform feedback: the fixed function that writes the output vertices of the last stage before rasterization to
//! buffers.
//!
//! The metadata of the stage say which parts of a vertex go to which buffer ([`Feedback`]). Strips are divided into
//! separate primitives. A primitive is written if each buffer of its stream has room for all its vertices; after a
//! primitive without room, none of the stream is written any more (Vulkan, "Transform Feedback").

use crate::fixed::Topology;
use crate::stage::{Emitted, SlotValues, strips_of_stream};
use crestline_program::{Feedback, GeometryOutput, StageMetadata};

/// The number of buffers of the hardware.
const BUFFERS: usize = 4;

/// A buffer for captured vertices.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FeedbackTarget {
    /// The contents. Their length is the size of the buffer.
    pub bytes: Vec<u8>,
    /// The bytes that are written, the counter of the buffer. The next vertex follows them. A program can store the
    /// counter and set it again to resume.
    pub written: usize,
}

/// The counts of a stream (Vulkan, `VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FeedbackCount {
    /// The primitives that were written.
    pub written: u64,
    /// The primitives that would have been written to buffers without an end.
    pub needed: u64,
}

/// The state of transform feedback, which goes on from draw call to draw call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TransformFeedback {
    /// The buffers; `None` for those that are not bound, to which nothing is written.
    pub buffers: [Option<FeedbackTarget>; BUFFERS],
    /// Whether vertices are not captured.
    pub paused: bool,
    /// The counts of each stream.
    pub counts: [FeedbackCount; BUFFERS],
}

impl TransformFeedback {
    /// What a stage captures; `None` for other stages than vertex, tessellation evaluation and geometry shaders, and if
    /// it captures nothing.
    pub fn of(stage: &StageMetadata) -> Option<&Feedback> {
        match stage {
            StageMetadata::Vertex(stage) => stage.feedback.as_ref(),
            StageMetadata::TessEval(stage) => stage.feedback.as_ref(),
            StageMetadata::Geometry(stage) => stage.feedback.as_ref(),
            _ => None,
        }
    }

    /// Captures the vertices of lists: those of each instance of a draw call, or the primitives of a tessellator. They
    /// belong to stream 0. Adjacent vertices are left out.
    pub fn capture(&mut self, feedback: &Feedback, topology: Topology, lists: &[Vec<SlotValues>]) {
        self.capture_stream(feedback, 0, topology, lists);
    }

    /// Captures the vertices of all streams that invocations of a geometry shader emitted.
    pub fn capture_emitted(
        &mut self,
        feedback: &Feedback,
        output: GeometryOutput,
        invocations: &[Vec<Emitted>],
    ) {
        let topology = Topology::of_output(output);
        for stream in 0..BUFFERS as u8 {
            for emitted in invocations {
                let strips = strips_of_stream(emitted.clone(), stream);
                self.capture_stream(feedback, stream, topology, &strips);
            }
        }
    }

    /// Captures the primitives of a stream.
    fn capture_stream(
        &mut self,
        feedback: &Feedback,
        stream: u8,
        topology: Topology,
        lists: &[Vec<SlotValues>],
    ) {
        if self.paused {
            return;
        }
        for list in lists {
            for indices in topology.drawn(list.len()) {
                let vertices = indices[..topology.size()].iter().map(|index| &list[*index]);
                self.primitive(feedback, stream, &vertices.collect::<Vec<_>>());
            }
        }
    }

    /// Writes the vertices of a primitive, if all buffers of its stream have room for them.
    fn primitive(&mut self, feedback: &Feedback, stream: u8, vertices: &[&SlotValues]) {
        let Some(count) = self.counts.get_mut(usize::from(stream)) else { return };
        count.needed += 1;
        let own = || feedback.buffers.iter().filter(|buffer| buffer.stream == u32::from(stream));
        let has_room = own().all(|buffer| {
            let target = self.buffers.get(buffer.buffer as usize).and_then(Option::as_ref);
            let size = vertices.len() * buffer.stride as usize;
            target.is_none_or(|target| {
                target.written.checked_add(size).is_some_and(|end| end <= target.bytes.len())
            })
        });
        // All primitives before were written, unless one had no room.
        if !has_room || count.written + 1 != count.needed {
            return;
        }
        count.written += 1;
        for buffer in own() {
            let target = self.buffers.get_mut(buffer.buffer as usize).and_then(Option::as_mut);
            let Some(target) = target else { continue };
            let captures = || feedback.captures.iter().filter(|one| one.buffer == buffer.buffer);
            for vertex in vertices {
                for capture in captures() {
                    let dwords = vertex.get(capture.varying);
                    let first = capture.first as usize;
                    let place = target.written + capture.offset as usize;
                    for (i, dword) in
                        dwords.iter().skip(first).take(capture.count as usize).enumerate()
                    {
                        let at = place + 4 * i;
                        if let Some(bytes) = target.bytes.get_mut(at..at + 4) {
                            bytes.copy_from_slice(&dword.unwrap_or(0).to_le_bytes());
                        }
                    }
                }
                target.written += buffer.stride as usize;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crestline_program::{FeedbackBuffer, FeedbackCapture, Varying};

    fn feedback() -> Feedback {
        let buffer = |buffer, stride| FeedbackBuffer { buffer, stride, stream: 0 };
        let capture = |buffer, offset, first, count| FeedbackCapture {
            buffer,
            offset,
            varying: Varying::Position,
            first,
            count,
        };
        Feedback {
            buffers: vec![buffer(0, 8), buffer(2, 4)],
            captures: vec![capture(0, 4, 1, 1), capture(2, 0, 3, 1)],
        }
    }

    fn list(count: u32) -> Vec<SlotValues> {
        let vertex = |i| SlotValues::new().with(Varying::Position, [i, 100 + i, 200 + i, 300 + i]);
        (0..count).map(vertex).collect()
    }

    fn state(sizes: [usize; 2]) -> TransformFeedback {
        let [first, third] =
            sizes.map(|size| Some(FeedbackTarget { bytes: vec![0; size], written: 0 }));
        TransformFeedback { buffers: [first, None, third, None], ..TransformFeedback::default() }
    }

    fn dwords(state: &TransformFeedback, buffer: usize) -> Vec<u32> {
        let bytes = &state.buffers[buffer].as_ref().unwrap().bytes;
        bytes.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect()
    }

    #[test]
    fn strips_become_separate_primitives() {
        let mut state = state([32, 16]);
        state.capture(&feedback(), Topology::LineStrip, &[list(3)]);
        assert_eq!(dwords(&state, 0), [0, 100, 0, 101, 0, 101, 0, 102]);
        assert_eq!(dwords(&state, 2), [300, 301, 301, 302]);
        assert_eq!(state.counts[0], FeedbackCount { written: 2, needed: 2 });
    }

    #[test]
    fn nothing_is_written_after_a_buffer_without_room_or_in_a_pause() {
        // The third buffer has room for one triangle only.
        let mut state = state([100, 20]);
        state.paused = true;
        state.capture(&feedback(), Topology::Triangles, &[list(3)]);
        assert_eq!(state.counts[0], FeedbackCount::default());
        state.paused = false;
        state.capture(&feedback(), Topology::Triangles, &[list(3), list(6)]);
        assert_eq!(state.counts[0], FeedbackCount { written: 1, needed: 3 });
        assert_eq!(dwords(&state, 2), [300, 301, 302, 0, 0]);
        let written = |buffer: usize| state.buffers[buffer].as_ref().unwrap().written;
        assert_eq!((written(0), written(2)), (24, 12));
        // A smaller primitive does not fit either: the stream has ended.
        state.capture(&feedback(), Topology::Points, &[list(1)]);
        assert_eq!(dwords(&state, 2)[3..], [0, 0]);
    }
}
