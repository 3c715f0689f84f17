//! Buffers, images and pipelines that stay in the device from one command to the next, in Vulkan's own terms ([`vk`]).
//!
//! A [`Session`] owns all objects and destroys them when it is dropped. Callers have indices of them. Each command is submitted
//! alone and waited for, so no object is in use between two calls. All images are in the layout `GENERAL` all the time.

mod draw;
mod pipeline;

use std::collections::BTreeMap;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

pub use ash::vk;
pub use draw::{Bound, Descriptor, DrawCall, Target, Vertices};
pub use pipeline::{Graphics, Module, Slot};

pub use super::images::sampler_modes;
pub use super::raster_state::{
    blend_factor, blend_op, compare_op, cull_mode, logic_op, polygon_mode, stencil_op, topology,
};

use super::objects::{CommandPool, MappedBuffer};
use super::{FENCE_LIMIT, JobError, Lavapipe, vulkan};
use pipeline::Made;

/// The shape of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// The format.
    pub format: vk::Format,
    /// The dimension.
    pub ty: vk::ImageType,
    /// Width, height and depth of level 0.
    pub size: [u32; 3],
    /// Levels.
    pub levels: u32,
    /// Samples.
    pub samples: u32,
}

impl Shape {
    /// The aspects of the format.
    pub fn aspects(&self) -> vk::ImageAspectFlags {
        match self.format {
            vk::Format::D16_UNORM | vk::Format::D32_SFLOAT | vk::Format::X8_D24_UNORM_PACK32 => {
                vk::ImageAspectFlags::DEPTH
            }
            vk::Format::S8_UINT => vk::ImageAspectFlags::STENCIL,
            vk::Format::D16_UNORM_S8_UINT
            | vk::Format::D24_UNORM_S8_UINT
            | vk::Format::D32_SFLOAT_S8_UINT => {
                vk::ImageAspectFlags::DEPTH | vk::ImageAspectFlags::STENCIL
            }
            _ => vk::ImageAspectFlags::COLOR,
        }
    }

    fn extent(&self, level: u32) -> vk::Extent3D {
        let [width, height, depth] =
            self.size.map(|side| side.checked_shr(level).unwrap_or(0).max(1));
        vk::Extent3D { width, height, depth }
    }

    /// Texels of a level.
    fn texels(&self, level: u32) -> u64 {
        let vk::Extent3D { width, height, depth } = self.extent(level);
        u64::from(width) * u64::from(height) * u64::from(depth)
    }
}

/// An image with its memory.
struct Stored {
    shape: Shape,
    handle: vk::Image,
    memory: vk::DeviceMemory,
}

/// A view: the image, the first level, the number of levels, and the aspects.
type ViewKey = (usize, u32, u32, u32);

/// The objects; see the module.
pub struct Session {
    lavapipe: &'static Lavapipe,
    buffers: Vec<MappedBuffer<'static>>,
    images: Vec<Stored>,
    views: BTreeMap<ViewKey, vk::ImageView>,
    samplers: Vec<vk::Sampler>,
    pipelines: Vec<Made>,
    /// The time that draw calls, dispatches and clears took from their submission to their end.
    pub busy: Duration,
}

impl Session {
    /// A session without objects.
    pub fn new(lavapipe: &'static Lavapipe) -> Session {
        Session {
            lavapipe,
            buffers: Vec::new(),
            images: Vec::new(),
            views: BTreeMap::new(),
            samplers: Vec::new(),
            pipelines: Vec::new(),
            busy: Duration::ZERO,
        }
    }

    fn device(&self) -> &'static ash::Device {
        &self.lavapipe.device
    }

    /// What images and buffers of a format can be used for.
    pub fn features(&self, format: vk::Format) -> vk::FormatProperties {
        let Lavapipe { _instance: instance, physical, .. } = self.lavapipe;
        // SAFETY: the physical device belongs to the instance, which is never destroyed.
        unsafe { instance.get_physical_device_format_properties(*physical, format) }
    }

    /// Makes a buffer with these contents.
    ///
    /// # Errors
    /// The Vulkan call that failed.
    pub fn buffer(&mut self, contents: &[u8]) -> Result<usize, JobError> {
        let usage = vk::BufferUsageFlags::STORAGE_BUFFER
            | vk::BufferUsageFlags::UNIFORM_BUFFER
            | vk::BufferUsageFlags::STORAGE_TEXEL_BUFFER
            | vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER
            | vk::BufferUsageFlags::VERTEX_BUFFER
            | vk::BufferUsageFlags::INDEX_BUFFER;
        self.buffers.push(self.lavapipe.map(contents, usage)?);
        Ok(self.buffers.len() - 1)
    }

    /// The contents of a buffer.
    pub fn read_buffer(&self, buffer: usize) -> Vec<u8> {
        self.buffers[buffer].read()
    }

    /// Replaces the contents of a buffer, as far as it is long enough.
    pub fn write_buffer(&mut self, buffer: usize, contents: &[u8]) {
        self.buffers[buffer].write(contents);
    }

    /// Makes an image, whose texels are zeros.
    ///
    /// # Errors
    /// If the device has no images of that shape, otherwise the Vulkan call that failed.
    pub fn image(&mut self, shape: &Shape) -> Result<usize, JobError> {
        let device = self.device();
        let has = self.features(shape.format).optimal_tiling_features;
        let uses = [
            (vk::FormatFeatureFlags::SAMPLED_IMAGE, vk::ImageUsageFlags::SAMPLED),
            (vk::FormatFeatureFlags::STORAGE_IMAGE, vk::ImageUsageFlags::STORAGE),
            (vk::FormatFeatureFlags::COLOR_ATTACHMENT, vk::ImageUsageFlags::COLOR_ATTACHMENT),
            (
                vk::FormatFeatureFlags::DEPTH_STENCIL_ATTACHMENT,
                vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT,
            ),
        ];
        let uses = uses.iter().filter(|(feature, _)| has.contains(*feature));
        let copied = vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST;
        let usage = uses.fold(copied, |all, (_, usage)| all | *usage);
        if has.is_empty() {
            let message = format!("the device has no images of the format {:?}", shape.format);
            return Err(JobError::Interface(message));
        }
        let info = vk::ImageCreateInfo::default()
            .image_type(shape.ty)
            .format(shape.format)
            .extent(shape.extent(0))
            .mip_levels(shape.levels)
            .array_layers(1)
            .samples(vk::SampleCountFlags::from_raw(shape.samples))
            .tiling(vk::ImageTiling::OPTIMAL)
            .usage(usage);
        // SAFETY: the physical device belongs to the instance, which is never destroyed.
        let limits = unsafe {
            self.lavapipe._instance.get_physical_device_image_format_properties(
                self.lavapipe.physical,
                shape.format,
                shape.ty,
                vk::ImageTiling::OPTIMAL,
                usage,
                vk::ImageCreateFlags::empty(),
            )
        }
        .map_err(vulkan("vkGetPhysicalDeviceImageFormatProperties"))?;
        let vk::Extent3D { width, height, depth } = limits.max_extent;
        let fits = shape.size[0] <= width && shape.size[1] <= height && shape.size[2] <= depth;
        if !limits.sample_counts.contains(info.samples)
            || !fits
            || shape.levels > limits.max_mip_levels
        {
            return Err(JobError::Interface(format!("the device has no images of {shape:?}")));
        }
        // SAFETY: `info` lives through the call, and the device supports the image.
        let handle =
            unsafe { device.create_image(&info, None) }.map_err(vulkan("vkCreateImage"))?;
        let image = self.images.len();
        self.images.push(Stored { shape: *shape, handle, memory: vk::DeviceMemory::null() });
        // SAFETY: the image is live.
        let needs = unsafe { device.get_image_memory_requirements(handle) };
        let index = (0..self.lavapipe.memory.memory_type_count)
            .find(|index| needs.memory_type_bits & (1 << index) != 0)
            .ok_or_else(|| JobError::Interface("no memory type for images".into()))?;
        let info =
            vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(index);
        // SAFETY: `info` lives through the call.
        let memory =
            unsafe { device.allocate_memory(&info, None) }.map_err(vulkan("vkAllocateMemory"))?;
        self.images[image].memory = memory;
        // SAFETY: the memory is as large and as aligned as the image requires.
        unsafe { device.bind_image_memory(handle, memory, 0) }
            .map_err(vulkan("vkBindImageMemory"))?;
        self.start(image)?;
        Ok(image)
    }

    /// Brings a new image into its layout, and makes all its texels zeros.
    fn start(&mut self, image: usize) -> Result<(), JobError> {
        let Stored { shape, handle, .. } = self.images[image];
        let aspects = shape.aspects();
        let range = [vk::ImageSubresourceRange::default()
            .aspect_mask(aspects)
            .level_count(shape.levels)
            .layer_count(1)];
        let first = [vk::ImageMemoryBarrier::default()
            .image(handle)
            .subresource_range(range[0])
            .old_layout(vk::ImageLayout::UNDEFINED)
            .new_layout(vk::ImageLayout::GENERAL)
            .dst_access_mask(vk::AccessFlags::MEMORY_WRITE)];
        let is_colour = aspects.contains(vk::ImageAspectFlags::COLOR);
        let device = self.device();
        self.submit(|commands| {
            let (all, general) = (vk::PipelineStageFlags::ALL_COMMANDS, vk::ImageLayout::GENERAL);
            let none = vk::DependencyFlags::empty();
            // SAFETY: the commands are being recorded, and the image is live.
            unsafe {
                device.cmd_pipeline_barrier(commands, all, all, none, &[], &[], &first);
                if is_colour {
                    let zero = vk::ClearColorValue::default();
                    device.cmd_clear_color_image(commands, handle, general, &zero, &range);
                } else {
                    let zero = vk::ClearDepthStencilValue::default();
                    device.cmd_clear_depth_stencil_image(commands, handle, general, &zero, &range);
                }
            }
        })
    }

    /// The shape of an image.
    pub fn shape(&self, image: usize) -> Shape {
        self.images[image].shape
    }

    /// One copy for each level, and the bytes of all levels; a texel has `bytes` bytes.
    fn copies(
        &self,
        image: usize,
        aspect: vk::ImageAspectFlags,
        bytes: u32,
    ) -> (Vec<vk::BufferImageCopy>, usize) {
        let shape = &self.images[image].shape;
        let mut offset = 0;
        let mut copies = Vec::new();
        for level in 0..shape.levels {
            let layers = vk::ImageSubresourceLayers::default()
                .aspect_mask(aspect)
                .mip_level(level)
                .layer_count(1);
            copies.push(
                vk::BufferImageCopy::default()
                    .buffer_offset(offset)
                    .image_subresource(layers)
                    .image_extent(shape.extent(level)),
            );
            offset += shape.texels(level) * u64::from(bytes);
        }
        (copies, offset as usize)
    }

    /// Checks that the samples of an image can be copied.
    fn check_copy(&self, image: usize) -> Result<(), JobError> {
        match self.images[image].shape.samples {
            1 => Ok(()),
            _ => Err(JobError::Interface("a copy of an image with several samples".to_owned())),
        }
    }

    /// Replaces the texels of an aspect of an image, level after level; a texel has `bytes` bytes.
    ///
    /// # Errors
    /// If the contents have another size or the image has several samples, otherwise the Vulkan call that failed.
    pub fn write_image(
        &mut self,
        image: usize,
        aspect: vk::ImageAspectFlags,
        bytes: u32,
        contents: &[u8],
    ) -> Result<(), JobError> {
        self.check_copy(image)?;
        let (copies, size) = self.copies(image, aspect, bytes);
        if contents.len() != size {
            let given = contents.len();
            let message = format!("{given} bytes for an image of {size} bytes");
            return Err(JobError::Interface(message));
        }
        let device = self.device();
        let staging = self.lavapipe.map(contents, vk::BufferUsageFlags::TRANSFER_SRC)?;
        let (from, to) = (staging.handle(), self.images[image].handle);
        self.submit(|commands| {
            let general = vk::ImageLayout::GENERAL;
            // SAFETY: the commands are being recorded, the objects are live, and the buffer has the bytes of all levels.
            unsafe { device.cmd_copy_buffer_to_image(commands, from, to, general, &copies) };
        })
    }

    /// The texels of an aspect of an image, level after level; a texel has `bytes` bytes.
    ///
    /// # Errors
    /// If the image has several samples, otherwise the Vulkan call that failed.
    pub fn read_image(
        &self,
        image: usize,
        aspect: vk::ImageAspectFlags,
        bytes: u32,
    ) -> Result<Vec<u8>, JobError> {
        self.check_copy(image)?;
        let (copies, size) = self.copies(image, aspect, bytes);
        let device = self.device();
        let staging = self.lavapipe.map(&vec![0; size], vk::BufferUsageFlags::TRANSFER_DST)?;
        let (from, to) = (self.images[image].handle, staging.handle());
        self.submit(|commands| {
            let general = vk::ImageLayout::GENERAL;
            // SAFETY: the commands are being recorded, the objects are live, and the buffer has room for all levels.
            unsafe { device.cmd_copy_image_to_buffer(commands, from, general, to, &copies) };
        })?;
        Ok(staging.read())
    }

    /// Resolves level 0 of the samples of an image to a level of another of the same format.
    ///
    /// # Errors
    /// The Vulkan call that failed.
    pub fn resolve(
        &mut self,
        from: usize,
        (to, level): (usize, u32),
        [width, height]: [u32; 2],
    ) -> Result<(), JobError> {
        let layers = vk::ImageSubresourceLayers::default()
            .aspect_mask(vk::ImageAspectFlags::COLOR)
            .layer_count(1);
        let area = [vk::ImageResolve::default()
            .src_subresource(layers)
            .dst_subresource(layers.mip_level(level))
            .extent(vk::Extent3D { width, height, depth: 1 })];
        let (device, general) = (self.device(), vk::ImageLayout::GENERAL);
        let [from, to] = [from, to].map(|image| self.images[image].handle);
        let start = Instant::now();
        self.submit(|commands| {
            // SAFETY: the commands are being recorded, and the images are live.
            unsafe { device.cmd_resolve_image(commands, from, general, to, general, &area) };
        })?;
        self.busy += start.elapsed();
        Ok(())
    }

    /// Makes a sampler.
    ///
    /// # Errors
    /// The Vulkan call that failed.
    pub fn sampler(&mut self, info: &vk::SamplerCreateInfo<'_>) -> Result<usize, JobError> {
        // SAFETY: `info` lives through the call.
        let sampler = unsafe { self.device().create_sampler(info, None) }
            .map_err(vulkan("vkCreateSampler"))?;
        self.samplers.push(sampler);
        Ok(self.samplers.len() - 1)
    }

    /// A view of levels of an image.
    fn view(
        &mut self,
        image: usize,
        level: u32,
        levels: u32,
        aspects: vk::ImageAspectFlags,
    ) -> Result<vk::ImageView, JobError> {
        let key = (image, level, levels, aspects.as_raw());
        if let Some(view) = self.views.get(&key) {
            return Ok(*view);
        }
        let Stored { shape, handle, .. } = self.images[image];
        let info = vk::ImageViewCreateInfo::default()
            .image(handle)
            .view_type(match shape.ty {
                vk::ImageType::TYPE_1D => vk::ImageViewType::TYPE_1D,
                vk::ImageType::TYPE_3D => vk::ImageViewType::TYPE_3D,
                _ => vk::ImageViewType::TYPE_2D,
            })
            .format(shape.format)
            .subresource_range(
                vk::ImageSubresourceRange::default()
                    .aspect_mask(aspects)
                    .base_mip_level(level)
                    .level_count(levels)
                    .layer_count(1),
            );
        // SAFETY: `info` lives through the call, and the image is bound to memory.
        let view = unsafe { self.device().create_image_view(&info, None) }
            .map_err(vulkan("vkCreateImageView"))?;
        self.views.insert(key, view);
        Ok(view)
    }

    /// Records commands between barriers, submits them and waits for their end.
    fn submit(&self, work: impl FnOnce(vk::CommandBuffer)) -> Result<(), JobError> {
        let commands = CommandPool::new(self.device(), self.lavapipe.queue_family)?;
        let recorded = commands.record_between(&[], &[], |recorded| {
            // SAFETY: the commands are being recorded.
            unsafe { self.lavapipe.barrier(recorded) };
            work(recorded);
            // SAFETY: as above.
            unsafe { self.lavapipe.barrier(recorded) };
        })?;
        // A panic while holding the lock leaves the queue itself intact.
        let queue = self.lavapipe.queue.lock().unwrap_or_else(PoisonError::into_inner);
        commands.submit_and_wait(*queue, recorded, FENCE_LIMIT)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let device = self.device();
        // SAFETY: all were made from this device, and every submission that used them has been waited for.
        unsafe {
            for made in &self.pipelines {
                made.destroy(device);
            }
            for &sampler in &self.samplers {
                device.destroy_sampler(sampler, None);
            }
            for &view in self.views.values() {
                device.destroy_image_view(view, None);
            }
            for image in &self.images {
                device.destroy_image(image.handle, None);
                device.free_memory(image.memory, None);
            }
        }
    }
}
