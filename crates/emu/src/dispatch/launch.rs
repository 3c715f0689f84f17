//! The interface between the dispatcher and the kinds of dispatch (a grid, or one of the stages of a draw call).

use crate::pixels::Pixels;
use crate::thread::Thread;
use crate::urb::Urb;

/// A kind of dispatch. It defines the threads of each unit of work, their payload, and the results that are read after
/// they end. The threads of a unit run together and share memory, barriers and URB entries. Units are independent and
/// can run on any host thread.
pub(super) trait Launch: Sync {
    /// Number of threads of each unit.
    fn threads(&self) -> u32;

    /// Shared memory of a unit in bytes.
    fn shared_bytes(&self) -> u32 {
        0
    }

    /// The unit in diagnostics: the id of the workgroup, or the unit's number and zeros.
    fn name(&self, unit: u64) -> [u32; 3] {
        [unit as u32, 0, 0]
    }

    /// Allocates and fills the URB entries of a unit.
    fn open(&self, _unit: u64, _urb: &mut Urb) {}

    /// The number of the entry point at which the threads of a unit start.
    fn entry(&self, _unit: u64) -> usize {
        0
    }

    /// Whether units must run one after another, because they write memory that others write, too.
    fn in_order(&self) -> bool {
        false
    }

    /// The pixels of a unit's thread, for fragment shaders.
    fn pixels(&self, _unit: u64) -> Option<Pixels> {
        None
    }

    /// Takes the pixels of a unit after its thread has ended.
    fn take_pixels(&self, _unit: u64, _pixels: Pixels) {}

    /// The mask of a thread's channels.
    fn mask(&self, unit: u64, thread: u32) -> u32;

    /// Writes the payload of a thread. Its scratch base and thread id are already set.
    fn write(&self, t: &mut Thread, unit: u64, thread: u32, urb: &Urb);

    /// Reads the results from the URB after all threads of a unit have ended.
    fn close(&self, _unit: u64, _urb: &Urb) {}
}
