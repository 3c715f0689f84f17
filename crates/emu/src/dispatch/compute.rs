//! Compute shaders: the units of work are the workgroups of a grid.

use super::launch::Group;
use super::payload::Payload;
use crate::Options;
use crate::thread::Thread;
use crate::urb::Urb;
use crestline_program::{ComputeMetadata, Dispatch};

/// The workgroups of a grid. Unit numbers count along x first, then y, then z.
pub(super) struct Compute<'a> {
    pub(super) entry: &'a Dispatch,
    pub(super) compute: ComputeMetadata,
    pub(super) payload: Payload,
    pub(super) grid: [u32; 3],
    /// Bytes of shared memory per workgroup.
    pub(super) shared_bytes: u32,
    pub(super) options: &'a Options,
}

impl Compute<'_> {
    /// Writes the local invocation ids of thread number `thread` to the registers that the metadata give, as words.
    fn write_local_ids(&self, t: &mut Thread, thread: u32) {
        let Some(ids) = self.entry.payload.local_ids else { return };
        let width = self.entry.simd_width;
        let [x, y, _] = self.compute.local_size;
        for dimension in 0..ids.dimensions {
            let registers = ids.registers_per_dimension;
            let start = (ids.first + dimension * registers) as usize * 32;
            let values: Vec<u8> = (0..width)
                .flat_map(|lane| {
                    let flat = thread * width + lane;
                    let id = match dimension {
                        0 => flat % x,
                        1 => flat / x % y,
                        _ => flat / x / y,
                    };
                    (id as u16).to_le_bytes()
                })
                .collect();
            t.registers.write(start, &values);
        }
    }
}

impl Group for Compute<'_> {
    fn threads(&self) -> u32 {
        self.compute.threads_per_group(self.entry.simd_width)
    }

    fn shared_bytes(&self) -> u32 {
        self.shared_bytes
    }

    fn name(&self, unit: u64) -> [u32; 3] {
        let [x, y, _] = self.grid.map(u64::from);
        let at = [unit % x, unit / x % y, unit / x / y];
        let base = self.options.base_group;
        std::array::from_fn(|i| base[i].wrapping_add(at[i] as u32))
    }

    /// The last thread of a workgroup has fewer channels if the workgroup does not fill it.
    fn mask(&self, _: u64, thread: u32) -> u32 {
        let width = self.entry.simd_width;
        if thread + 1 == self.threads() {
            self.compute.right_mask(width)
        } else {
            u32::MAX >> (32 - width)
        }
    }

    fn write(&self, t: &mut Thread, unit: u64, thread: u32, _: &Urb) {
        let [x, y, z] = self.name(unit);
        // The barrier id in r0.2 is 0, because only one workgroup runs at a time.
        let payload = &self.payload;
        payload.write(t, [0, x, 0, y, z], thread);
        self.write_local_ids(t, thread);
    }
}
