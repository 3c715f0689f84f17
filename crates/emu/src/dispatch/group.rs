//! Runs a group of threads, such as a workgroup: they take turns until all have ended.

use super::launch::{Group, Launch};
use super::{ADDRESS_STEP, PRIVATE_ADDRESS};
use crate::buffer::Buffer;
use crate::exec::run::{Observer, run};
use crate::kernel::{CONSTANT_DATA_ADDRESS, Kernel};
use crate::message::{Bound, World};
use crate::resources::ADDRESS_GAP;
use crate::sampler::SamplerState;
use crate::thread::{Fault, Status, Thread, clear};
use crate::urb::Urb;
use crate::weak::{Backing, Ports, Weak};
use crate::{EmuError, Location, MemoryModel, Problem, SurfaceName};
use crestline_program::ResourceRef;

/// The data that all units of a dispatch share.
pub(super) struct Common<'a> {
    pub(super) kernel: &'a Kernel,
    pub(super) launch: &'a dyn Launch,
    pub(super) surfaces: Vec<Bound<'a>>,
    pub(super) samplers: Vec<Option<SamplerState>>,
    pub(super) allocations: Vec<(u64, &'a Buffer)>,
    /// The buffers with an address, ascending.
    pub(super) addresses: Vec<(u64, ResourceRef)>,
    /// All buffers and images, each once.
    pub(super) buffers: Vec<&'a Buffer>,
    pub(super) private_base: u64,
    /// Scratch bytes per thread.
    pub(super) scratch_size: u32,
    pub(super) private_size: usize,
    pub(super) budget: u64,
    pub(super) alpha_one: bool,
    pub(super) wrap_integers: bool,
    pub(super) cr0: u32,
}

impl Common<'_> {
    /// The resource that a problem concerns, if it concerns one.
    pub(super) fn resource(&self, problem: &Problem) -> Option<ResourceRef> {
        if let Some(index) = problem.index() {
            let table = &self.kernel.metadata.binding_table;
            return table.iter().find(|entry| entry.index == index)?.surface.resource();
        }
        match *problem {
            Problem::OutOfBounds { surface: SurfaceName::Address, address, .. } => {
                let after = self.addresses.partition_point(|(base, _)| *base <= address);
                // Private memory, and constant data at higher addresses, are not resources.
                const { assert!(PRIVATE_ADDRESS < CONSTANT_DATA_ADDRESS) }
                let known = address < PRIVATE_ADDRESS;
                let (start, resource) = self.addresses.get(after.checked_sub(1)?)?;
                let found = self.allocations.iter().find(|(base, _)| base == start)?;
                let end = start.saturating_add(found.1.len() as u64);
                // An address far from the assigned ones belongs to no buffer.
                let near = *start >= ADDRESS_STEP || address < end.saturating_add(ADDRESS_GAP);
                (known && near).then_some(*resource)
            }
            _ => None,
        }
    }

    /// The state of the weak memory model; `None` for the strong model.
    pub(super) fn weak(&self, model: MemoryModel) -> Option<Weak> {
        let MemoryModel::Weak { seed } = model else { return None };
        let device = &self.kernel.device;
        let ports = Ports {
            typed_apart: device.has_separate_typed_fence(),
            shared_apart: device.has_shared_memory_fence(),
            in_order: device.uncommitted_fences_order_all_threads(),
        };
        Some(Weak::new(seed, ports, self.launch.threads() as usize))
    }
}

/// Offset of scratch memory from the base of stateless memory. It is not 0, so that code which does not add the base
/// is found.
const SCRATCH_START: u32 = 1 << 20;

/// The memory that the threads of a group share. It is used again for each group.
#[derive(Default)]
pub(super) struct Shared {
    pub(super) memory: Vec<u8>,
    pub(super) urb: Urb,
    /// The writes that have not reached memory yet, under the weak memory model.
    pub(super) weak: Option<Weak>,
}

/// Runs group number `number` of a unit. `threads` has one entry per thread of a group; they are reset and used again for
/// each group.
pub(super) fn run_group<O: Observer>(
    common: &Common<'_>,
    group: &dyn Group,
    number: u64,
    threads: &mut [Thread],
    shared: &mut Shared,
    observer: &mut O,
) -> Result<(), EmuError> {
    clear(&mut shared.memory);
    shared.urb.reset();
    group.open(number, &mut shared.urb);
    let mut pixels = group.pixels(number);
    if let Some(weak) = &mut shared.weak {
        weak.begin(number);
    }
    let start = common.kernel.starts[group.entry(number)];
    for (index, t) in threads.iter_mut().enumerate() {
        let index = index as u32;
        t.reset(start, group.mask(number, index), common.cr0);
        t.log.group = group.name(number);
        t.log.thread = index;
        t.recorder = O::RECORDS.then(Default::default);
        t.thread_id = index;
        t.scratch_base = SCRATCH_START + index * common.scratch_size.next_multiple_of(1024);
        group.write(t, number, index, &shared.urb);
    }
    let mut arrivals = 0;
    loop {
        let can_run = |t: &Thread| matches!(t.status, Status::Running | Status::Paused);
        let mut progress = threads.iter().any(can_run);
        for index in 0..threads.len() {
            let index = shared.weak.as_mut().map_or(index, Weak::turn);
            let t = &mut threads[index];
            if !can_run(t) {
                continue;
            }
            t.status = Status::Running;
            let mut world = World {
                surfaces: &common.surfaces,
                samplers: &common.samplers,
                alpha_one: common.alpha_one,
                wrap_integers: common.wrap_integers,
                untyped_needs_raw: common.kernel.device.untyped_access_needs_raw_surface(),
                null_atomics_stray: common.kernel.device.typed_atomics_ignore_null_surfaces(),
                allocations: &common.allocations,
                buffers: &common.buffers,
                weak: shared.weak.as_mut(),
                private_base: common.private_base,
                shared: &mut shared.memory,
                urb: &mut shared.urb,
                barrier_arrivals: &mut arrivals,
                blocks: common.kernel.has_blocks(),
                pixels: pixels.as_deref_mut(),
                headerless_writes_all_pixels: common
                    .kernel
                    .device
                    .headerless_pixel_writes_ignore_channels(),
            };
            run(&common.kernel.program, t, &mut world, common.budget, observer);
            if let Some(fault) = &t.fault {
                return Err(error(common, t, fault));
            }
            if let Some(weak) = &mut shared.weak {
                weak.pass(index, &mut backing(common, &mut shared.memory));
            }
        }
        let all = threads.len() as u32;
        if arrivals >= all {
            arrivals -= all;
            for t in threads.iter_mut() {
                t.barriers_sent = t.barriers_sent.saturating_sub(1);
                // The addition saturates, because the program may have written any count to n0.
                t.set_notifications(t.notifications().saturating_add(1));
                if t.status == Status::Waiting {
                    t.status = Status::Running;
                }
            }
            progress = true;
        }
        if threads.iter().all(|t| t.status == Status::Ended) {
            if let Some(weak) = &mut shared.weak {
                weak.end(&mut backing(common, &mut shared.memory));
            }
            group.close(number, &shared.urb);
            if let Some(pixels) = pixels {
                group.take_pixels(number, pixels);
            }
            return Ok(());
        }
        if !progress {
            return Err(stuck(common, threads));
        }
    }
}

/// The memory that the threads of a group share.
fn backing<'a>(common: &'a Common<'_>, shared: &'a mut [u8]) -> Backing<'a> {
    Backing { buffers: &common.buffers, shared }
}

/// The location of a thread's current instruction.
fn location(common: &Common<'_>, t: &Thread) -> Location {
    let instruction = t.current.min(common.kernel.program.len().saturating_sub(1));
    Location {
        group: t.log.group,
        thread: t.log.thread,
        instruction,
        offset: common.kernel.program.offset(instruction),
        channel: None,
    }
}

/// Converts a thread's fault to an error with its location.
fn error(common: &Common<'_>, t: &Thread, fault: &Fault) -> EmuError {
    let location = location(common, t);
    match fault {
        Fault::Budget => EmuError::Budget(location, common.budget),
        Fault::PastTheEnd => EmuError::PastTheEnd(location),
        Fault::JumpTarget(to) => EmuError::JumpTarget(location, *to),
        Fault::Message(what) => EmuError::Message(location, what.clone()),
        Fault::Stopped => EmuError::Stopped(location),
        Fault::Logged => match t.log.error {
            Some(mut diagnostic) => {
                diagnostic.location.offset = location.offset;
                diagnostic.resource = common.resource(&diagnostic.problem);
                EmuError::Diagnostic(diagnostic)
            }
            None => EmuError::Message(location, "an unnamed fault".into()),
        },
    }
}

/// The error if no thread can continue: each has ended or waits.
fn stuck(common: &Common<'_>, threads: &[Thread]) -> EmuError {
    let ended = threads.iter().filter(|t| t.status == Status::Ended).count() as u32;
    let waiting = threads.iter().find(|t| t.status == Status::Waiting).unwrap_or(&threads[0]);
    let location = location(common, waiting);
    if waiting.barriers_sent > 0 {
        EmuError::MissedBarrier(location, ended)
    } else {
        EmuError::EndlessWait(location)
    }
}
