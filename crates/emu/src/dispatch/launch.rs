//! What differs between dispatching a grid and drawing: the units of work.

use crate::thread::Thread;
use crate::urb::Urb;

/// A kind of dispatch: the threads that its units of work have, what they start with, and what
/// they leave. A unit's threads run together and share memory, barriers and URB entries; units
/// are independent and run on any host thread.
pub(super) trait Launch: Sync {
    /// Threads of each unit.
    fn threads(&self) -> u32;

    /// Shared memory of a unit in bytes.
    fn shared_bytes(&self) -> u32 {
        0
    }

    /// What diagnostics call the unit: its workgroup, or its number and zeros.
    fn name(&self, unit: u64) -> [u32; 3] {
        [unit as u32, 0, 0]
    }

    /// Allocates and fills the URB entries of a unit.
    fn open(&self, _unit: u64, _urb: &mut Urb) {}

    /// The channels of a thread.
    fn mask(&self, unit: u64, thread: u32) -> u32;

    /// Writes the payload of a thread; its scratch base and id are set.
    fn write(&self, t: &mut Thread, unit: u64, thread: u32, urb: &Urb);

    /// Takes what the threads of a unit left in the URB.
    fn close(&self, _unit: u64, _urb: &Urb) {}
}
