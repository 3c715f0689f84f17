//! The interface between the dispatcher and the kinds of dispatch (a grid, or one of the stages of a draw call).

use crate::EmuError;
use crate::pixels::Pixels;
use crate::thread::Thread;
use crate::urb::Urb;

/// Threads that run together and share memory, barriers and URB entries. It defines their payload, and the results that
/// are read after they end. The methods' argument `number` is the number of the group.
pub(super) trait Group {
    /// Number of threads.
    fn threads(&self) -> u32;

    /// Shared memory of the threads in bytes.
    fn shared_bytes(&self) -> u32 {
        0
    }

    /// The group in diagnostics: the id of the workgroup, or the group's number and zeros.
    fn name(&self, number: u64) -> [u32; 3] {
        [number as u32, 0, 0]
    }

    /// Allocates and fills the URB entries.
    fn open(&self, _number: u64, _urb: &mut Urb) {}

    /// The number of the entry point at which the threads start.
    fn entry(&self, _number: u64) -> usize {
        0
    }

    /// The pixels of the group's thread, for fragment shaders.
    fn pixels(&self, _number: u64) -> Option<Box<Pixels>> {
        None
    }

    /// Takes the pixels after the thread has ended.
    fn take_pixels(&self, _number: u64, _pixels: Box<Pixels>) {}

    /// The mask of a thread's channels.
    fn mask(&self, number: u64, thread: u32) -> u32;

    /// Writes the payload of a thread. Its scratch base and thread id are already set.
    fn write(&self, t: &mut Thread, number: u64, thread: u32, urb: &Urb);

    /// Reads the results from the URB after all threads have ended.
    fn close(&self, _number: u64, _urb: &Urb) {}
}

/// Runs a group of threads, given with its number, until all have ended.
pub(super) type RunGroup<'a> = dyn FnMut(&dyn Group, u64) -> Result<(), EmuError> + 'a;

/// A kind of dispatch, as units of work. Units are independent and can run on any host thread.
pub(super) trait Launch: Sync {
    /// Number of threads of each group.
    fn threads(&self) -> u32;

    /// Shared memory of a group in bytes.
    fn shared_bytes(&self) -> u32;

    /// Performs a unit of work: runs its groups of threads, one after another.
    ///
    /// # Errors
    /// The first error of a group.
    fn run(&self, unit: u64, run: &mut RunGroup<'_>) -> Result<(), EmuError>;
}

/// A dispatch of groups without anything between them: each unit is a group.
impl<G: Group + Sync> Launch for G {
    fn threads(&self) -> u32 {
        Group::threads(self)
    }

    fn shared_bytes(&self) -> u32 {
        Group::shared_bytes(self)
    }

    fn run(&self, unit: u64, run: &mut RunGroup<'_>) -> Result<(), EmuError> {
        run(self, unit)
    }
}
