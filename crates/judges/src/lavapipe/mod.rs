//! Mesa's CPU Vulkan driver, an independent implementation that shows what a shader computes.
//!
//! [`Lavapipe::open`] loads the Vulkan loader at run time (nothing is linked), opens the physical device whose type is
//! CPU, and enables all its features. A [`Job`] contains all inputs of a compute shader; [`Lavapipe::run`] runs it and
//! returns the contents of the buffers afterwards.
//!
//! If a shader uses a binding that the job does not have, the behaviour of the driver is undefined. So
//! [`Lavapipe::run`] first reads the module's decorations, and refuses such a job.
//!
//! All `unsafe` code of the workspace is in this module. Its rule: each Vulkan object is owned by a type of `objects`
//! that destroys it when dropped and that borrows the device, so no handle outlives the object it was made from.

mod capture;
mod copies;
mod doubles;
mod draw;
mod images;
mod interface;
mod multisample;
mod objects;
mod queries;
mod raster;
mod raster_state;
pub mod session;

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use ash::vk;
use crestline_device::Sampler;

use crate::Absent;
pub use capture::{Capture, Captured};
pub use copies::{Copied, Part, Transfer};
pub use draw::{Attribute, AttributeType, DrawJob, Drawn, Topology, VertexStage};
use images::BoundImage;
use objects::{CommandPool, DescriptorPool, MappedBuffer, Pipeline, PipelineParts};
pub use queries::Counts;
pub use raster::{Attachment, RasterInput, RasterJob, RasterVertex, Rasterized, VertexData};
pub use raster_state::{DepthAttachment, RasterState, StencilAttachment};

/// Time limit of one dispatch.
const FENCE_LIMIT: Duration = Duration::from_secs(120);

/// An open lavapipe device. It lives as long as the process: see [`Lavapipe::open`].
pub struct Lavapipe {
    // `entry` and `instance` own the loaded library; `device` is valid only as long as they exist.
    _entry: ash::Entry,
    _instance: ash::Instance,
    device: ash::Device,
    transform_feedback: ash::ext::transform_feedback::Device,
    queue: Mutex<vk::Queue>,
    queue_family: u32,
    physical: vk::PhysicalDevice,
    memory: vk::PhysicalDeviceMemoryProperties,
    description: String,
}

/// The descriptor type of a [`Buffer`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BufferKind {
    /// A storage buffer.
    Storage,
    /// A uniform buffer.
    Uniform,
    /// A storage image or a storage texel buffer, whose texels are the contents: x fastest, then y, then z or layers.
    Image(Image),
    /// An image or texel buffer that is read through a sampler.
    Texture(Texture),
    /// A sampler. Has no contents.
    Sampler(Sampler),
}

/// An image that is read through a sampler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Texture {
    /// Its shape.
    pub image: Image,
    /// Number of levels. The contents have the texels of one level after the other.
    pub levels: u32,
    /// The sampler of a combined image and sampler.
    pub sampler: Option<Sampler>,
    /// Whether it contains depths (`r32f` or `r16`), for comparisons.
    pub depth: bool,
    /// Number of samples of a texel: 1 or 4. With 4, it is an `rgba32f` or `rgba32ui` image of two dimensions and of one
    /// level; the contents have the samples of a texel one after the other.
    pub samples: u32,
    /// Whether a draw call reads it as an input attachment. The attachments are numbered in the order of the bindings.
    pub attachment: bool,
}

impl Texture {
    /// A texture with one level and one sample, without a sampler.
    pub const fn new(image: Image) -> Texture {
        Texture { image, levels: 1, sampler: None, depth: false, samples: 1, attachment: false }
    }
}

/// The shape of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Image {
    /// Dimension.
    pub dimension: Dimension,
    /// Width, height, and depth or number of layers (six per cube); 1 where there is no such dimension.
    pub size: [u32; 3],
    /// The format as GLSL spells it: `rgba8`.
    pub format: &'static str,
}

/// The dimensions of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are Vulkan's")]
pub enum Dimension {
    D1,
    D2,
    D3,
    Cube,
    D1Array,
    D2Array,
    CubeArray,
    Buffer,
}

/// The buffer, image or sampler of one descriptor.
#[derive(Debug, Clone)]
pub struct Buffer {
    /// Descriptor set.
    pub set: u32,
    /// Binding number within the set.
    pub binding: u32,
    /// Element of a descriptor array; 0 if the binding is not an array.
    pub element: u32,
    /// The descriptor type.
    pub kind: BufferKind,
    /// Initial contents; the length is the descriptor's range in bytes.
    pub contents: Vec<u8>,
}

/// A specialization constant: its `SpecId` and the value's bytes (4, or 8 for 64-bit types;
/// a boolean is 4 bytes, 0 or 1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpecConstant {
    /// The `SpecId` decoration.
    pub id: u32,
    /// The value, little endian, as long as the constant's type.
    pub value: Vec<u8>,
}

/// The address of a buffer that is placed in another buffer or in the push constants before a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlacedAddress {
    /// The buffer that contains the address, as an index in the job's list; `None` for the push constants.
    pub place: Option<usize>,
    /// The byte offset of the address there. It has eight bytes.
    pub offset: usize,
    /// The buffer whose address it is, as an index in the job's list.
    pub target: usize,
    /// Bytes to add to the address.
    pub plus: u64,
}

impl PlacedAddress {
    /// Writes the address to the contents of its place. Bytes beyond their end are left out.
    pub fn write(&self, contents: &mut [u8], address: u64) {
        let bytes = address.wrapping_add(self.plus).to_le_bytes();
        for (to, from) in contents.iter_mut().skip(self.offset).zip(bytes) {
            *to = from;
        }
    }

    /// Replaces the address by the bytes that it replaced, if the run did not change it. So results do not depend on
    /// where buffers are.
    pub fn restore(&self, contents: &mut [u8], address: u64, before: &[u8]) {
        let bytes = address.wrapping_add(self.plus).to_le_bytes();
        let range = self.offset..self.offset.saturating_add(bytes.len());
        if let (Some(found), Some(before)) = (contents.get_mut(range.clone()), before.get(range))
            && found == bytes
        {
            found.copy_from_slice(before);
        }
    }
}

/// The addresses of a job, each with its place.
type Placed = Vec<(PlacedAddress, u64)>;

/// One compute dispatch.
#[derive(Debug, Clone)]
pub struct Job<'a> {
    /// The SPIR-V module.
    pub spirv: &'a [u32],
    /// The entry point's name.
    pub entry: &'a str,
    /// Specialization constants.
    pub spec: Vec<SpecConstant>,
    /// Push constant bytes, from offset 0.
    pub push: Vec<u8>,
    /// The buffers.
    pub buffers: Vec<Buffer>,
    /// Addresses of storage buffers to place in the push constants and in buffers.
    pub addresses: Vec<PlacedAddress>,
    /// Workgroups in x, y and z.
    pub groups: [u32; 3],
}

/// Why an installed lavapipe gave no result.
#[derive(Debug, thiserror::Error)]
pub enum JobError {
    /// A Vulkan call failed.
    #[error("lavapipe: {call} failed: {result}")]
    Vulkan {
        /// The Vulkan function.
        call: &'static str,
        /// Its result code.
        result: vk::Result,
    },
    /// The job does not fit the module.
    #[error("lavapipe: {0}")]
    Interface(String),
    /// The dispatch did not end.
    #[error("lavapipe: the dispatch did not end within {} seconds", FENCE_LIMIT.as_secs())]
    Endless,
}

/// Converts a Vulkan result to a [`JobError`] that contains the name of the call.
pub(crate) fn vulkan(call: &'static str) -> impl Fn(vk::Result) -> JobError {
    move |result| JobError::Vulkan { call, result }
}

impl Lavapipe {
    /// Opens the device, once per process; later calls return the same one. A failure is not stored, so that a driver
    /// that is installed later is found.
    ///
    /// # Errors
    ///
    /// [`Absent`] when the Vulkan loader is not installed or shows no CPU device.
    pub fn open() -> Result<&'static Lavapipe, Absent> {
        static DEVICE: Mutex<Option<&'static Lavapipe>> = Mutex::new(None);
        let mut device = DEVICE.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(device) = *device {
            return Ok(device);
        }
        let opened = Lavapipe::create().map_err(|reason| Absent {
            judge: "lavapipe",
            reason,
            packages: Some("libvulkan1 mesa-vulkan-drivers"),
        })?;
        // The device is never closed: drivers do not guarantee that unloading works.
        Ok(*device.insert(Box::leak(Box::new(opened))))
    }

    /// The driver's name and version.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Runs one dispatch and returns the contents of all buffers afterwards, in the job's order.
    ///
    /// # Errors
    ///
    /// [`JobError::Interface`] when the job does not give what the module uses, or its doubles need a second copy of the driver
    /// that cannot be opened, otherwise the Vulkan call that failed.
    pub fn run(&self, job: &Job<'_>) -> Result<Vec<Vec<u8>>, JobError> {
        interface::check(job)?;
        self.copy_for([job.spirv])?.run_here(job)
    }

    /// Runs a checked job with this copy of the driver.
    fn run_here(&self, job: &Job<'_>) -> Result<Vec<Vec<u8>>, JobError> {
        let spirv = interface::without_unrolling(job.spirv);
        let mut push = job.push.clone();
        let (buffers, placed) = self.map_all(&job.buffers, &job.addresses, &mut push)?;
        let job = &Job { push, ..job.clone() };
        let parts = PipelineParts::new(&self.device, job, &spirv)?;
        let pipeline = Pipeline::new(&parts, job)?;
        let images = job
            .buffers
            .iter()
            .zip(&buffers)
            .map(|(buffer, texels)| BoundImage::new(&self.device, &self.memory, buffer, texels))
            .collect::<Result<Vec<_>, _>>()?;
        let descriptors = DescriptorPool::new(
            &self.device,
            &parts.layouts,
            &job.buffers,
            &buffers,
            &shown(&images),
        )?;
        let fills = multisample::Transfer::to_textures(self, &job.buffers)?;
        let filling =
            fills.iter().map(|fill| fill.ready(&images)).collect::<Result<Vec<_>, _>>()?;
        let commands = CommandPool::new(&self.device, self.queue_family)?;
        let recorded = commands.record_between(&buffers, &images, |commands| {
            // SAFETY: every handle is live and stays so until `submit_and_wait` has returned; `interface::check` made sure that
            // the layout covers what the shader uses.
            unsafe {
                for fill in &filling {
                    fill.record(commands);
                }
                if !filling.is_empty() {
                    self.barrier(commands);
                }
                pipeline.dispatch(commands, &descriptors, job.groups);
            }
        })?;
        // A panic while holding the lock leaves the queue itself intact.
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        commands.submit_and_wait(*queue, recorded, FENCE_LIMIT)?;
        drop(queue);
        Ok(after(&job.buffers, &buffers, &placed))
    }

    /// Makes the buffers of a job, and places addresses in them and in the push constants. Returns the addresses, with
    /// their places.
    fn map_all(
        &self,
        contents: &[Buffer],
        addresses: &[PlacedAddress],
        push: &mut [u8],
    ) -> Result<(Vec<MappedBuffer<'_>>, Placed), JobError> {
        let mut buffers = contents
            .iter()
            .enumerate()
            .map(|(index, buffer)| {
                let addressed = match addresses.iter().any(|placed| placed.target == index) {
                    true => vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS,
                    false => vk::BufferUsageFlags::empty(),
                };
                self.map(&buffer.contents, buffer.kind.usage() | addressed)
            })
            .collect::<Result<Vec<_>, _>>()?;
        let mut placed = Vec::new();
        for place in addresses {
            let missing = || JobError::Interface("an address is of no buffer of the job".into());
            let address = buffers.get(place.target).ok_or_else(missing)?.address();
            match place.place {
                None => place.write(push, address),
                Some(index) => {
                    let buffer = buffers.get_mut(index).ok_or_else(missing)?;
                    let mut contents = buffer.read();
                    place.write(&mut contents, address);
                    buffer.write(&contents);
                }
            }
            placed.push((*place, address));
        }
        Ok((buffers, placed))
    }

    fn map(
        &self,
        contents: &[u8],
        usage: vk::BufferUsageFlags,
    ) -> Result<MappedBuffer<'_>, JobError> {
        MappedBuffer::new(&self.device, &self.memory, contents, usage)
    }

    /// The time that `vkCreateComputePipelines` takes for the job's module, layouts excluded.
    ///
    /// # Errors
    ///
    /// As [`Lavapipe::run`].
    pub fn time_pipeline(&self, job: &Job<'_>) -> Result<Duration, JobError> {
        interface::check(job)?;
        let parts = PipelineParts::new(&self.device, job, job.spirv)?;
        let start = Instant::now();
        let pipeline = Pipeline::new(&parts, job)?;
        let time = start.elapsed();
        drop(pipeline);
        Ok(time)
    }

    /// Loads the Vulkan loader, creates an instance and opens the device.
    fn create() -> Result<Lavapipe, String> {
        // llvmpipe's own default filters textures in 8 bits, and takes one level of detail for each 2x2 block.
        // SAFETY: the driver is not loaded yet, and Rust's standard library synchronises its own accesses.
        unsafe { std::env::set_var("GALLIVM_PERF", "no_aos_sampling,no_quad_lod") };
        // SAFETY: loading the system's Vulkan loader runs its initialisers; there is nothing
        // for us to uphold beyond keeping `entry` alive, which the struct does.
        let entry =
            unsafe { ash::Entry::load() }.map_err(|error| format!("no Vulkan loader: {error}"))?;
        let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
        let info = vk::InstanceCreateInfo::default().application_info(&application);
        // SAFETY: `info` and what it points to live through the call.
        let instance = unsafe { entry.create_instance(&info, None) }
            .map_err(|result| format!("vkCreateInstance failed: {result}"))?;
        match open_device(&instance) {
            Ok((device, queue, queue_family, physical, memory, description)) => Ok(Lavapipe {
                transform_feedback: ash::ext::transform_feedback::Device::new(&instance, &device),
                _entry: entry,
                _instance: instance,
                device,
                queue: Mutex::new(queue),
                queue_family,
                physical,
                memory,
                description,
            }),
            Err(reason) => {
                // SAFETY: no object made from the instance is left.
                unsafe { instance.destroy_instance(None) };
                Err(reason)
            }
        }
    }
}

type Opened =
    (ash::Device, vk::Queue, u32, vk::PhysicalDevice, vk::PhysicalDeviceMemoryProperties, String);

/// Opens the llvmpipe device with all its features, and a queue for compute and graphics.
fn open_device(instance: &ash::Instance) -> Result<Opened, String> {
    let failed = |call: &'static str| move |result: vk::Result| format!("{call} failed: {result}");
    // SAFETY: the instance is live.
    let devices = unsafe { instance.enumerate_physical_devices() }
        .map_err(failed("vkEnumeratePhysicalDevices"))?;
    let mut seen = Vec::new();
    let mut chosen = None;
    for device in devices {
        // SAFETY: the handle was just enumerated from this instance.
        let properties = unsafe { instance.get_physical_device_properties(device) };
        let name = properties
            .device_name_as_c_str()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        if properties.device_type == vk::PhysicalDeviceType::CPU && name.starts_with("llvmpipe") {
            chosen = Some((device, name));
            break;
        }
        seen.push(name);
    }
    let Some((physical, description)) = chosen else {
        return Err(format!("the Vulkan loader shows no llvmpipe device (it shows {seen:?})"));
    };

    let mut features11 = vk::PhysicalDeviceVulkan11Features::default();
    let mut features12 = vk::PhysicalDeviceVulkan12Features::default();
    let mut features13 = vk::PhysicalDeviceVulkan13Features::default();
    let mut feedback = vk::PhysicalDeviceTransformFeedbackFeaturesEXT::default();
    let mut features = vk::PhysicalDeviceFeatures2::default()
        .push_next(&mut feedback)
        .push_next(&mut features11)
        .push_next(&mut features12)
        .push_next(&mut features13);
    // SAFETY: the chain holds structures of the types that Vulkan 1.3 defines for it.
    unsafe { instance.get_physical_device_features2(physical, &mut features) };

    // SAFETY: `physical` belongs to the live instance.
    let families = unsafe { instance.get_physical_device_queue_family_properties(physical) };
    let queue_family = families
        .iter()
        .position(|family| {
            family.queue_flags.contains(vk::QueueFlags::COMPUTE | vk::QueueFlags::GRAPHICS)
        })
        .and_then(|index| u32::try_from(index).ok())
        .ok_or("the device has no queue for compute and graphics")?;
    let priorities = [1.0];
    let queues = [vk::DeviceQueueCreateInfo::default()
        .queue_family_index(queue_family)
        .queue_priorities(&priorities)];
    // Only features that the driver reported are enabled, so the call cannot fail because of one.
    let extensions = [ash::ext::transform_feedback::NAME.as_ptr()];
    let info = vk::DeviceCreateInfo::default()
        .queue_create_infos(&queues)
        .enabled_extension_names(&extensions)
        .push_next(&mut features);
    // SAFETY: `info` and its chain live through the call.
    let device = unsafe { instance.create_device(physical, &info, None) }
        .map_err(failed("vkCreateDevice"))?;
    // SAFETY: the family has at least one queue, and one was asked for.
    let queue = unsafe { device.get_device_queue(queue_family, 0) };
    // SAFETY: `physical` belongs to the live instance.
    let memory = unsafe { instance.get_physical_device_memory_properties(physical) };
    Ok((device, queue, queue_family, physical, memory, description))
}

/// The contents of the buffers after a job, with the bytes that placed addresses replaced.
fn after(before: &[Buffer], buffers: &[MappedBuffer<'_>], placed: &Placed) -> Vec<Vec<u8>> {
    let mut after: Vec<Vec<u8>> = buffers.iter().map(MappedBuffer::read).collect();
    for (place, address) in placed {
        if let Some(index) = place.place {
            place.restore(&mut after[index], *address, &before[index].contents);
        }
    }
    after
}

/// References to the images.
fn shown<'a, 'd>(images: &'a [Option<BoundImage<'d>>]) -> Vec<Option<&'a BoundImage<'d>>> {
    images.iter().map(Option::as_ref).collect()
}

/// `entry` as a C string.
pub(crate) fn entry_name(entry: &str) -> Result<std::ffi::CString, JobError> {
    std::ffi::CString::new(entry)
        .map_err(|_| JobError::Interface(format!("the entry name {entry:?} contains a zero byte")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::glslang::Glslang;

    fn compile(source: &str) -> Option<Vec<u32>> {
        let tool = crate::ask(Glslang::find())?;
        Some(tool.compile("comp", source).expect("the test's own shader"))
    }

    fn words(bytes: &[u8]) -> Vec<u32> {
        bytes.as_chunks::<4>().0.iter().map(|&word| u32::from_le_bytes(word)).collect()
    }

    fn bytes(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    const SHADER: &str = "#version 450
        layout(local_size_x = 4) in;
        layout(constant_id = 3) const uint SCALE = 1;
        layout(push_constant) uniform Push { uint bias; };
        layout(set = 0, binding = 1) uniform U { uvec4 table; };
        layout(set = 2, binding = 0) buffer B { uint data[]; } arr[2];
        void main() {
            uint i = gl_GlobalInvocationID.x;
            arr[0].data[i] += table[i % 4] * SCALE + bias;
            arr[1].data[i] = uint(arr[0].data.length());
        }";

    fn job(spirv: &[u32]) -> Job<'_> {
        let buffer = |set, binding, element, kind, contents: &[u32]| Buffer {
            set,
            binding,
            element,
            kind,
            contents: bytes(contents),
        };
        Job {
            spirv,
            entry: "main",
            spec: vec![SpecConstant { id: 3, value: 10u32.to_le_bytes().to_vec() }],
            push: bytes(&[1000]),
            buffers: vec![
                buffer(0, 1, 0, BufferKind::Uniform, &[1, 2, 3, 4]),
                buffer(2, 0, 0, BufferKind::Storage, &[5, 6, 7, 8, 9, 10, 11, 12]),
                buffer(2, 0, 1, BufferKind::Storage, &[0; 8]),
            ],
            addresses: Vec::new(),
            groups: [2, 1, 1],
        }
    }

    #[test]
    fn a_dispatch_sees_every_kind_of_input() {
        let Some(vulkan) = crate::ask(Lavapipe::open()) else { return };
        let Some(spirv) = compile(SHADER) else { return };
        let after = vulkan.run(&job(&spirv)).unwrap();
        assert_eq!(words(&after[1]), [1015, 1026, 1037, 1048, 1019, 1030, 1041, 1052]);
        assert_eq!(words(&after[2]), [8; 8]);
        assert!(vulkan.time_pipeline(&job(&spirv)).unwrap() > Duration::ZERO);
    }

    #[test]
    fn a_missing_binding_is_refused_before_the_driver_sees_it() {
        let Some(vulkan) = crate::ask(Lavapipe::open()) else { return };
        let Some(spirv) = compile(SHADER) else { return };
        let mut job = job(&spirv);
        job.buffers.remove(0);
        let error = vulkan.run(&job).unwrap_err();
        assert!(error.to_string().contains("set 0 binding 1"), "{error}");
    }

    #[test]
    fn an_unknown_entry_point_is_refused() {
        let Some(vulkan) = crate::ask(Lavapipe::open()) else { return };
        let Some(spirv) = compile(SHADER) else { return };
        let mut job = job(&spirv);
        job.entry = "other";
        let error = vulkan.run(&job).unwrap_err();
        assert!(error.to_string().contains("no entry point \"other\""), "{error}");
    }
}
