//! The memory of a surface or an address, and its bounds.

use super::{Bound, Call, World};
use crate::memory::{Memory, recorded};
use crate::recorder::Part;
use crate::thread::{Fault, Thread};
use crate::weak::Path;
use crate::{Problem, SurfaceName};
use crestline_isa::message::Bti;

/// The memory that a message accesses.
pub(super) struct Surface<'a, 'm> {
    pub(super) memory: &'a mut Memory<'m>,
    /// The name in reports.
    pub(super) name: SurfaceName,
    /// The address of the memory's first byte.
    pub(super) base: u64,
}

/// Runs `access` on the memory of a binding table index.
pub(super) fn with_surface<R>(
    t: &mut Thread,
    world: &mut World<'_>,
    bti: Bti,
    access: impl FnOnce(&mut Thread, &mut Surface<'_, '_>) -> R,
) -> R {
    let name = SurfaceName::Index(bti.0);
    if bti == Bti::SLM {
        let memory = &mut world.shared_memory(t);
        return access(t, &mut Surface { memory, name: SurfaceName::Shared, base: 0 });
    }
    if bti.is_stateless() {
        return with_scratch(t, access);
    }
    let mut memory = match world.surfaces.get(usize::from(bti.0)) {
        Some(&Bound::Buffer(buffer)) => world.memory(t, Path::Data, buffer),
        Some(Bound::Null | Bound::Image(_)) if world.untyped_needs_raw => {
            t.report(Problem::NotRaw { index: bti.0 }, None);
            Memory::Null
        }
        Some(Bound::Null) => Memory::Null,
        Some(Bound::Image(_)) => {
            t.fail(Fault::Message("an untyped access to an image".into()));
            Memory::Null
        }
        Some(Bound::RenderTarget(_)) => {
            t.fail(Fault::Message("a data port access to a render target".into()));
            Memory::Null
        }
        Some(Bound::Other(what)) => {
            t.fail(Fault::Message(format!("a data port access to {what}")));
            Memory::Null
        }
        Some(Bound::Unbound) | None => {
            t.report(Problem::Unbound { index: bti.0 }, None);
            Memory::Null
        }
    };
    access(t, &mut Surface { memory: &mut memory, name, base: 0 })
}

/// Runs `access` for each enabled channel of a message of `lanes` channels, on the memory of a binding table index and at
/// the channel's byte address. Without a header, the binding table index of stateless memory is for memory at addresses
/// of 32 bits.
pub(super) fn each_channel(
    call: &Call<'_>,
    t: &mut Thread,
    world: &mut World<'_>,
    (bti, lanes): (Bti, usize),
    address: impl Fn(&mut Thread, usize) -> u64,
    mut access: impl FnMut(&mut Thread, &mut Surface<'_, '_>, u64, usize),
) {
    if bti.is_stateless() && !call.descriptor.header_present {
        for lane in call.channels(lanes) {
            let at = address(t, lane);
            with_stateless(t, world, at, |t, surface| access(t, surface, at, lane));
        }
        return;
    }
    with_surface(t, world, bti, |t, surface| {
        for lane in call.channels(lanes) {
            let at = address(t, lane);
            access(t, surface, at, lane);
        }
    });
}

/// Runs `access` on the memory that contains an address of 32 bits: the thread's scratch memory, whose base the code has
/// added, or a buffer.
pub(super) fn with_stateless<R>(
    t: &mut Thread,
    world: &mut World<'_>,
    address: u64,
    access: impl FnOnce(&mut Thread, &mut Surface<'_, '_>) -> R,
) -> R {
    let offset = address.wrapping_sub(t.scratch_base.into());
    match offset < t.scratch.len() as u64 {
        true => with_scratch(t, access),
        false => with_address(t, world, address, access),
    }
}

/// Runs `access` on the thread's scratch memory. Addresses count from the base of stateless memory.
pub(super) fn with_scratch<R>(
    t: &mut Thread,
    access: impl FnOnce(&mut Thread, &mut Surface<'_, '_>) -> R,
) -> R {
    let mut scratch = std::mem::take(&mut t.scratch);
    let memory = Memory::Local(&mut scratch);
    let memory = &mut recorded(memory, Part::Scratch, t.recorder.as_ref());
    let (base, name) = (t.scratch_base.into(), SurfaceName::Scratch);
    let result = access(t, &mut Surface { memory, name, base });
    t.scratch = scratch;
    result
}

/// Runs `access` on the memory that contains an address.
pub(super) fn with_address<R>(
    t: &mut Thread,
    world: &mut World<'_>,
    address: u64,
    access: impl FnOnce(&mut Thread, &mut Surface<'_, '_>) -> R,
) -> R {
    let name = SurfaceName::Address;
    // Each thread id has its own part of the private area, which only this thread can access.
    let window = t.private.len() as u64;
    let base = world.private_base + u64::from(t.thread_id) * window;
    if window > 0 && address >= base && address - base < window {
        let mut bytes = std::mem::take(&mut t.private);
        let memory = Memory::Local(&mut bytes);
        let memory = &mut recorded(memory, Part::Private, t.recorder.as_ref());
        let result = access(t, &mut Surface { memory, name, base });
        t.private = bytes;
        return result;
    }
    let index = world.allocations.partition_point(|(base, _)| *base <= address);
    let found = index.checked_sub(1).and_then(|index| world.allocations.get(index));
    let (mut memory, base) = match found {
        Some(&(base, buffer)) => (world.memory(t, Path::Data, buffer), base),
        None => (Memory::Local(&mut []), 0),
    };
    access(t, &mut Surface { memory: &mut memory, name, base })
}

impl Surface<'_, '_> {
    /// Loads `size` bytes (1 to 4). Outside of the memory, reports the access and returns 0.
    #[inline]
    pub(super) fn load(
        &mut self,
        t: &mut Thread,
        address: u64,
        size: u32,
        lane: Option<usize>,
    ) -> u32 {
        self.locate(t, address, size, lane, false)
            .map_or(0, |offset| self.memory.load(offset, size as usize))
    }

    /// Stores `size` bytes (1 to 4). Outside of the memory, only reports the access.
    #[inline]
    pub(super) fn store(
        &mut self,
        t: &mut Thread,
        address: u64,
        size: u32,
        value: u32,
        lane: Option<usize>,
    ) {
        if let Some(offset) = self.locate(t, address, size, lane, true) {
            self.memory.store(offset, size as usize, value);
        }
    }

    /// The offset in the memory of `size` bytes at an address. Outside of the memory, reports the access and returns
    /// `None`.
    #[inline]
    pub(super) fn locate(
        &self,
        t: &mut Thread,
        address: u64,
        size: u32,
        lane: Option<usize>,
        write: bool,
    ) -> Option<u64> {
        let offset = match self.name {
            // Pointers to shared memory may carry a tag in their high bits.
            SurfaceName::Shared => address & 0xffff,
            _ => address.wrapping_sub(self.base),
        };
        if self.memory.contains(offset, size.into()) {
            return Some(offset);
        }
        let limit = self.memory.len();
        // The surface of a buffer is rounded up to whole dwords. An access that starts beyond the buffer's end is out
        // of bounds nevertheless.
        let end = offset.saturating_add(size.into());
        let indexed = matches!(self.name, SurfaceName::Index(_));
        if indexed && offset < limit && end <= limit.saturating_add(3) & !3 {
            return Some(offset);
        }
        let problem = Problem::OutOfBounds { surface: self.name, address, size, limit, write };
        t.report(problem, lane.map(|lane| lane as u8));
        None
    }
}
