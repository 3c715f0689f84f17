//! The dispatcher does the work of a driver: it binds surfaces and samplers, writes thread payloads, and runs the
//! threads. It uses only the metadata of a program.

mod compute;
mod group;
mod launch;
mod payload;
mod stages;
mod worker;

pub(crate) use stages::{EntryPoints, PrimitiveSetup, ThreadRunner};

use crate::buffer::Buffer;
use crate::exec::run::Unobserved;
use crate::image::{ImageDimension, ImageShape};
use crate::kernel::{CONSTANT_DATA_ADDRESS, Kernel};
use crate::message::Bound;
use crate::message::typed::View;
use crate::resources::Image;
use crate::sampler::SamplerState;
use crate::trace::{Trace, Tracer};
use crate::{EmuError, Options, Report, Resources};
use compute::Compute;
use crestline_device::SurfaceFormat;
use crestline_program::{
    DenormalMode, FloatMode, ResourceRef, StageMetadata, Surface, ThreadPayload,
};
use group::Common;
use launch::Launch;
use payload::{Counts, Inputs, Payload};
use std::collections::BTreeMap;
use worker::{Diagnostics, Outcome, Queue, Worker, add};

/// Distance between the addresses of buffers. It is larger than any buffer, so an access beyond the end of a buffer
/// does not access the next one.
const ADDRESS_STEP: u64 = 1 << 36;

/// The remaining work, in instructions, from which on it is faster to start host threads.
const WORTH_HOST_THREADS: u64 = 100_000;

/// First address of private memory.
const PRIVATE_ADDRESS: u64 = 0x6f00_0000_0000;

/// Buffers that the dispatcher makes from the metadata.
struct Internal {
    constant_data: Buffer,
    num_workgroups: Buffer,
    literals: BTreeMap<u8, Buffer>,
}

impl Kernel {
    /// Runs a grid of workgroups.
    ///
    /// Results do not depend on the number of host threads: if a program's results depend on the order of its
    /// workgroups (atomics on global memory), the workgroups run one after the other.
    ///
    /// # Errors
    /// [`EmuError::MissingResource`] and similar errors before any thread runs; otherwise the error of the first
    /// workgroup that has one.
    pub fn dispatch(
        &self,
        grid: [u32; 3],
        resources: &mut Resources,
        options: &Options,
    ) -> Result<Report, EmuError> {
        self.run(grid, resources, options, None)
    }

    /// Like [`dispatch`](Self::dispatch), but on one host thread, and passes each executed instruction to `trace`.
    ///
    /// # Errors
    /// As for [`dispatch`](Self::dispatch).
    pub fn trace(
        &self,
        grid: [u32; 3],
        resources: &mut Resources,
        options: &Options,
        trace: &mut dyn Trace,
    ) -> Result<Report, EmuError> {
        self.run(grid, resources, options, Some(trace))
    }

    /// Runs a grid, with an optional trace.
    fn run(
        &self,
        grid: [u32; 3],
        resources: &Resources,
        options: &Options,
        trace: Option<&mut dyn Trace>,
    ) -> Result<Report, EmuError> {
        let total: u64 = grid
            .iter()
            .map(|&n| u64::from(n))
            .try_fold(1u64, u64::checked_mul)
            .filter(|&total| total < 1 << 32)
            .ok_or(EmuError::GridTooLarge(grid))?;
        let StageMetadata::Compute(compute) = self.metadata.stage else {
            return Err(EmuError::Stage { expected: "compute", found: self.metadata.stage.name() });
        };
        let shared_bytes = self.device.shared_memory_size(compute.shared_bytes).unwrap_or(0);
        let entry = self.entry();
        let counts = Counts { grid, local_size: compute.local_size, patch_vertices: 0 };
        let payload = self.payload(&entry.payload, counts, resources, options)?;
        let launch = Compute { entry, compute, payload, grid, shared_bytes, options };
        let mut report = self.run_units(&launch, total, grid, resources, options, trace)?;
        let size: u64 = compute.local_size.iter().map(|side| u64::from(*side)).product();
        report.counters.compute_invocations = total.saturating_mul(size);
        Ok(report)
    }

    /// Whether units must run one after another, in order, because the results depend on it.
    fn is_ordered(&self) -> bool {
        let fragments = matches!(self.metadata.stage, StageMetadata::Fragment(_));
        self.program.order_matters || fragments && self.program.writes_memory
    }

    /// Runs the units of a dispatch, on several host threads if that is faster.
    fn run_units(
        &self,
        launch: &dyn Launch,
        total: u64,
        grid: [u32; 3],
        resources: &Resources,
        options: &Options,
        trace: Option<&mut dyn Trace>,
    ) -> Result<Report, EmuError> {
        let internal = self.internal_buffers(grid);
        let common = self.common(launch, resources, options, &internal)?;
        let queue = Queue::new(&common, options, total);
        let mut worker = Worker::new(&queue);
        if let Some(trace) = trace {
            worker.run(&mut Tracer::new(self, trace), total);
            return self.merge(vec![worker.finish()]);
        }
        // Run one unit at a time, until the instructions of the finished units show that host threads are worthwhile
        // for the rest. The number of host threads is determined once, because the standard library reads system files
        // to count the cores.
        let (mut hosts, mut done) = (1, 0);
        while done < total && worker.run(&mut Unobserved, 1) {
            done += 1;
            let rest = total - done;
            let work = worker.work().saturating_mul(rest) / done;
            if work >= WORTH_HOST_THREADS {
                hosts = self.host_threads(options, rest);
                break;
            }
        }
        let outcomes = std::thread::scope(|scope| {
            let help = || {
                let mut worker = Worker::new(&queue);
                worker.run(&mut Unobserved, total);
                worker.finish()
            };
            // If the system cannot start so many threads, fewer threads do the work.
            let handles: Vec<_> = (1..hosts)
                .map_while(|_| std::thread::Builder::new().spawn_scoped(scope, help).ok())
                .collect();
            worker.run(&mut Unobserved, total);
            let mut outcomes = vec![worker.finish()];
            for handle in handles {
                let outcome = handle.join();
                outcomes.push(outcome.unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            }
            outcomes
        });
        self.merge(outcomes)
    }

    /// Number of host threads for `units` remaining units.
    fn host_threads(&self, options: &Options, units: u64) -> usize {
        if self.is_ordered() {
            return 1;
        }
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let wanted = if options.host_threads == 0 { cores() } else { options.host_threads };
        wanted.min(usize::try_from(units).unwrap_or(usize::MAX)).max(1)
    }

    /// Makes the buffers that come from the metadata.
    fn internal_buffers(&self, grid: [u32; 3]) -> Internal {
        let data = self.metadata.constant_data.as_ref();
        let grid: Vec<u8> = grid.iter().flat_map(|n| n.to_le_bytes()).collect();
        let literals =
            self.metadata.binding_table.iter().filter_map(|entry| match &entry.surface {
                Surface::Literal { bytes } => Some((entry.index, Buffer::new(bytes))),
                _ => None,
            });
        Internal {
            constant_data: Buffer::new(data.map_or(&[], |data| &data.bytes)),
            num_workgroups: Buffer::new(&grid),
            literals: literals.collect(),
        }
    }

    /// The part of the thread payload that the metadata describe byte by byte. `layout` is that of an entry point.
    fn payload(
        &self,
        layout: &ThreadPayload,
        counts: Counts,
        resources: &Resources,
        options: &Options,
    ) -> Result<Payload, EmuError> {
        let addresses: BTreeMap<ResourceRef, u64> = addresses(resources).collect();
        let inputs = Inputs {
            counts,
            options,
            resources,
            addresses: &addresses,
            private_base: PRIVATE_ADDRESS,
        };
        let scratch_code = self
            .device
            .scratch_code(self.metadata.stage.pipeline(), self.metadata.scratch_bytes)
            .unwrap_or(0);
        Payload::new(layout, scratch_code, &inputs)
    }

    /// Collects the data that all units share.
    fn common<'a>(
        &'a self,
        launch: &'a dyn Launch,
        resources: &'a Resources,
        options: &Options,
        internal: &'a Internal,
    ) -> Result<Common<'a>, EmuError> {
        let metadata = &self.metadata;
        let mut allocations: Vec<(u64, &Buffer)> = addresses(resources)
            .filter_map(|(resource, address)| Some((address, resources.get(resource)?)))
            .collect();
        allocations.push((CONSTANT_DATA_ADDRESS, &internal.constant_data));
        allocations.sort_by_key(|(address, _)| *address);
        let surfaces = self.bind(resources, internal)?;
        let buffers = distinct(&surfaces, &allocations);
        Ok(Common {
            kernel: self,
            launch,
            surfaces,
            samplers: self.samplers(resources)?,
            allocations,
            addresses: addresses(resources).map(|(resource, at)| (at, resource)).collect(),
            buffers,
            private_base: PRIVATE_ADDRESS,
            scratch_size: self
                .device
                .scratch_size(metadata.stage.pipeline(), metadata.scratch_bytes)
                .unwrap_or(0),
            private_size: (metadata.private_bytes_per_channel * self.widest()) as usize,
            budget: options.budget,
            alpha_one: options.alpha_one,
            wrap_integers: options.wrap_integers,
            cr0: cr0(&metadata.float_mode),
        })
    }

    /// The binding table.
    fn bind<'a>(
        &self,
        resources: &'a Resources,
        internal: &'a Internal,
    ) -> Result<Vec<Bound<'a>>, EmuError> {
        let mut surfaces = vec![Bound::Unbound; 256];
        for entry in &self.metadata.binding_table {
            let buffer = |resource: &ResourceRef| {
                resources.get(*resource).map(Bound::Buffer).ok_or_else(|| {
                    EmuError::MissingResource {
                        resource: *resource,
                        needed_for: format!("binding table index {}", entry.index),
                    }
                })
            };
            surfaces[usize::from(entry.index)] = match &entry.surface {
                Surface::Null => Bound::Null,
                Surface::RenderTarget { target } => Bound::RenderTarget(*target),
                Surface::StorageBuffer { resource }
                | Surface::UniformBuffer { resource }
                | Surface::AtomicCounters { resource } => buffer(resource)?,
                Surface::ConstantData => Bound::Buffer(&internal.constant_data),
                Surface::NumWorkgroups => Bound::Buffer(&internal.num_workgroups),
                Surface::Literal { .. } => {
                    internal.literals.get(&entry.index).map_or(Bound::Null, Bound::Buffer)
                }
                Surface::TexelBuffer { format, .. } if format.info().compression.is_some() => {
                    Bound::Other("a texel buffer in a compressed format")
                }
                Surface::TexelBuffer { resource, format } => match buffer(resource)? {
                    Bound::Buffer(memory) => {
                        Bound::Image(texel_buffer(memory, *format, &self.device))
                    }
                    other => other,
                },
                Surface::StorageImage { resource, .. } | Surface::SampledImage { resource, .. }
                    if resources.is_unbound(*resource) =>
                {
                    Bound::Null
                }
                Surface::StorageImage { resource, format, .. }
                | Surface::SampledImage { resource, format } => {
                    let image = resources.get_image(*resource).ok_or_else(|| {
                        EmuError::MissingResource {
                            resource: *resource,
                            needed_for: format!("image at binding table index {}", entry.index),
                        }
                    })?;
                    let samples = image.shape.samples;
                    if !self.device.has_samples(samples) {
                        return Err(EmuError::Samples { samples });
                    }
                    let is_sampled = matches!(entry.surface, Surface::SampledImage { .. });
                    let compressed = image.shape.format.info().compression.is_some();
                    if compressed && !(is_sampled && self.device.can_sample(image.shape.format)) {
                        return Err(EmuError::ImageFormat {
                            resource: *resource,
                            format: image.shape.format,
                            platform: self.device.platform(),
                            generation: self.device.generation(),
                            access: if is_sampled { "sampled" } else { "storage" },
                        });
                    }
                    let own = self.device.image_surface_format(image.shape.format);
                    match format.unwrap_or(image.shape.format) {
                        SurfaceFormat::RAW if own == SurfaceFormat::RAW => {
                            Bound::Buffer(&image.memory)
                        }
                        // The driver binds the image in its own format, because it does not expect a raw access.
                        SurfaceFormat::RAW => Bound::Image(self.view(image, own)),
                        format if format.bytes() != image.shape.format.bytes() => {
                            Bound::Other("an image in a format of another size")
                        }
                        format if format.block() != image.shape.format.block() => {
                            Bound::Other("an image in a format with other blocks")
                        }
                        format => Bound::Image(self.view(image, format)),
                    }
                }
                _ => Bound::Other("an unknown surface"),
            };
        }
        Ok(surfaces)
    }

    /// The view of an image in a format, for typed messages and the sampler.
    fn view<'a>(&self, image: &'a Image, format: SurfaceFormat) -> View<'a> {
        let (shape, memory) = (image.shape, &image.memory);
        let placement = image.placement.as_ref();
        View { shape, memory, placement, format, read: self.device.typed_read(format) }
    }

    /// The sampler state table.
    fn samplers(&self, resources: &Resources) -> Result<Vec<Option<SamplerState>>, EmuError> {
        let mut samplers = vec![None; 256];
        for entry in &self.metadata.samplers {
            let sampler =
                resources.get_sampler(entry.resource).ok_or_else(|| EmuError::MissingResource {
                    resource: entry.resource,
                    needed_for: format!("sampler {}", entry.index),
                })?;
            samplers[usize::from(entry.index)] = Some(sampler);
        }
        Ok(samplers)
    }

    /// Merges the results of all host threads.
    fn merge(&self, outcomes: Vec<Outcome>) -> Result<Report, EmuError> {
        let mut report = Report::default();
        let mut diagnostics = Diagnostics::new();
        let mut first_error: Option<(u64, EmuError)> = None;
        for outcome in outcomes {
            report.instructions += outcome.report.instructions;
            report.simd8_instructions += outcome.report.simd8_instructions;
            report.sends += outcome.report.sends;
            report.threads += outcome.report.threads;
            if let Some((group, error)) = outcome.error
                && first_error.as_ref().is_none_or(|(first, _)| group < *first)
            {
                first_error = Some((group, error));
            }
            for (key, diagnostic) in outcome.diagnostics {
                add(&mut diagnostics, key, diagnostic);
            }
        }
        if let Some((_, error)) = first_error {
            return Err(error);
        }
        report.diagnostics = diagnostics
            .into_values()
            .map(|mut diagnostic| {
                let location = &mut diagnostic.location;
                location.offset = self.program.offset(location.instruction);
                diagnostic
            })
            .collect();
        Ok(report)
    }
}

/// All buffers that are in the binding table or have an address, each once.
fn distinct<'a>(surfaces: &[Bound<'a>], allocations: &[(u64, &'a Buffer)]) -> Vec<&'a Buffer> {
    let bound = surfaces.iter().filter_map(|surface| match surface {
        Bound::Buffer(buffer) => Some(*buffer),
        Bound::Image(view) => Some(view.memory),
        Bound::Unbound | Bound::Null | Bound::RenderTarget(_) | Bound::Other(_) => None,
    });
    let mut buffers: Vec<&Buffer> = Vec::new();
    for buffer in bound.chain(allocations.iter().map(|(_, buffer)| *buffer)) {
        if !buffers.iter().any(|&known| std::ptr::eq(known, buffer)) {
            buffers.push(buffer);
        }
    }
    buffers
}

/// The buffers that are bound, with their addresses: those that were assigned, or else any.
fn addresses(resources: &Resources) -> impl Iterator<Item = (ResourceRef, u64)> {
    resources
        .buffers()
        .zip((1..).map(|i| i * ADDRESS_STEP))
        .map(|(resource, address)| (resource, resources.address(resource).unwrap_or(address)))
}

/// The view of a buffer as a one-dimensional image.
fn texel_buffer<'a>(
    memory: &'a Buffer,
    format: SurfaceFormat,
    device: &crestline_device::Device,
) -> View<'a> {
    let shape = ImageShape {
        dimension: ImageDimension::D1,
        format,
        width: u32::try_from(memory.len() / format.bytes() as usize).unwrap_or(u32::MAX),
        height: 1,
        depth: 1,
        levels: 1,
        samples: 1,
    };
    View { shape, memory, placement: None, format, read: device.typed_read(format) }
}

/// The value of cr0 at thread start.
fn cr0(mode: &FloatMode) -> u32 {
    let keep = |mode: DenormalMode, bit: u32| u32::from(mode == DenormalMode::Preserve) << bit;
    (mode.rounding as u32) << 4 | keep(mode.double, 6) | keep(mode.single, 7) | keep(mode.half, 10)
}
