//! What runs the work of a script.

use super::memory::Memory;
use super::{Failure, RunStatistics};
use crate::error::Place;
use crate::script::Work;
use crate::types::Slot;

/// The clear values of a pipeline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClearValues {
    /// The colour; 1.0 is the largest value of a normalized component.
    pub colour: [f32; 4],
    /// The colour of attachments with integers.
    pub integers: [u32; 4],
    /// The depth.
    pub depth: f32,
    /// The stencil value.
    pub stencil: u8,
}

impl Default for ClearValues {
    fn default() -> ClearValues {
        ClearValues { colour: [0.0; 4], integers: [0; 4], depth: 1.0, stencil: 0 }
    }
}

/// Runs dispatches, draw calls and clears of a script, and stores the contents of its buffers and images. Pipelines and
/// buffers are indices into the lists of the script; `place` is that of the command, for failures.
pub trait Engine {
    /// Runs workgroups of a compute pipeline.
    ///
    /// # Errors
    /// Why the pipeline does not run.
    fn dispatch(
        &mut self,
        place: Place,
        pipeline: usize,
        grid: [u32; 3],
    ) -> Result<RunStatistics, Failure>;

    /// Performs a draw call of a graphics pipeline.
    ///
    /// # Errors
    /// Why the pipeline does not run.
    fn draw(
        &mut self,
        place: Place,
        pipeline: usize,
        work: &Work,
    ) -> Result<RunStatistics, Failure>;

    /// Clears the attachments of a pipeline.
    ///
    /// # Errors
    /// Why they cannot be cleared.
    fn clear(&mut self, place: Place, pipeline: usize, values: &ClearValues)
    -> Result<(), Failure>;

    /// Copies a buffer or image to another. An image without a size gets that of the source.
    ///
    /// # Errors
    /// If they have different sizes or formats.
    fn copy(&mut self, place: Place, from: usize, to: usize) -> Result<(), Failure>;

    /// Replaces values of a buffer: slots and their bits. Values beyond the buffer are left out.
    ///
    /// # Errors
    /// Why the buffer cannot be written.
    fn write(&mut self, place: Place, buffer: usize, values: &[(Slot, u64)])
    -> Result<(), Failure>;

    /// The memory of the script, in which at least these buffers have their present contents.
    ///
    /// # Errors
    /// Why a buffer cannot be read.
    fn memory(&mut self, place: Place, buffers: &[usize]) -> Result<&Memory, Failure>;
}
