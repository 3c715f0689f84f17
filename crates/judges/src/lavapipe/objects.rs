//! Types that own Vulkan objects: each contains handles and borrows the device that they were made from, and destroys
//! the objects when it is dropped.

use std::collections::BTreeMap;
use std::time::Duration;

use ash::vk;

use super::images::BoundImage;
use super::{Buffer, BufferKind, Dimension, Job, JobError, Texture, entry_name, vulkan};

impl BufferKind {
    fn descriptor(self) -> vk::DescriptorType {
        match self {
            BufferKind::Storage => vk::DescriptorType::STORAGE_BUFFER,
            BufferKind::Uniform => vk::DescriptorType::UNIFORM_BUFFER,
            BufferKind::Image(image) if image.dimension == Dimension::Buffer => {
                vk::DescriptorType::STORAGE_TEXEL_BUFFER
            }
            BufferKind::Image(_) => vk::DescriptorType::STORAGE_IMAGE,
            BufferKind::Texture(Texture { attachment: true, .. }) => {
                vk::DescriptorType::INPUT_ATTACHMENT
            }
            BufferKind::Texture(Texture { image, sampler, .. }) => match (image.dimension, sampler)
            {
                (Dimension::Buffer, _) => vk::DescriptorType::UNIFORM_TEXEL_BUFFER,
                (_, Some(_)) => vk::DescriptorType::COMBINED_IMAGE_SAMPLER,
                (_, None) => vk::DescriptorType::SAMPLED_IMAGE,
            },
            BufferKind::Sampler(_) => vk::DescriptorType::SAMPLER,
        }
    }

    /// The usage flags of the buffer that has the contents.
    pub(super) fn usage(self) -> vk::BufferUsageFlags {
        match self {
            BufferKind::Storage => vk::BufferUsageFlags::STORAGE_BUFFER,
            BufferKind::Uniform => vk::BufferUsageFlags::UNIFORM_BUFFER,
            BufferKind::Image(image) if image.dimension == Dimension::Buffer => {
                vk::BufferUsageFlags::STORAGE_TEXEL_BUFFER
            }
            BufferKind::Texture(texture) if texture.image.dimension == Dimension::Buffer => {
                vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER
            }
            BufferKind::Image(_) | BufferKind::Texture(_) | BufferKind::Sampler(_) => {
                vk::BufferUsageFlags::TRANSFER_SRC | vk::BufferUsageFlags::TRANSFER_DST
            }
        }
    }
}

/// A shader module.
pub(super) struct Module<'d> {
    device: &'d ash::Device,
    handle: vk::ShaderModule,
}

impl<'d> Module<'d> {
    pub(super) fn new(device: &'d ash::Device, spirv: &[u32]) -> Result<Self, JobError> {
        let info = vk::ShaderModuleCreateInfo::default().code(spirv);
        // SAFETY: the code slice lives through the call.
        let handle = unsafe { device.create_shader_module(&info, None) }
            .map_err(vulkan("vkCreateShaderModule"))?;
        Ok(Module { device, handle })
    }

    /// The module.
    pub(super) fn handle(&self) -> vk::ShaderModule {
        self.handle
    }
}

impl Drop for Module<'_> {
    fn drop(&mut self) {
        // SAFETY: made from this device; pipelines do not need it any more once they are made.
        unsafe { self.device.destroy_shader_module(self.handle, None) };
    }
}

/// The layouts of a pipeline's descriptor sets and push constants.
pub(super) struct Layouts<'d> {
    device: &'d ash::Device,
    /// One per descriptor set from 0 to the highest one in use; unused ones are empty.
    sets: Vec<vk::DescriptorSetLayout>,
    layout: vk::PipelineLayout,
    stages: vk::ShaderStageFlags,
    /// Padded to a multiple of four bytes, as Vulkan requires.
    push: Vec<u8>,
}

impl<'d> Layouts<'d> {
    pub(super) fn new(
        device: &'d ash::Device,
        buffers: &[Buffer],
        push: &[u8],
        stages: vk::ShaderStageFlags,
    ) -> Result<Self, JobError> {
        let mut push = push.to_vec();
        push.resize(push.len().next_multiple_of(4), 0);
        // Created first and filled step by step, so that an error drops the objects that exist.
        let mut layouts =
            Layouts { device, sets: Vec::new(), layout: vk::PipelineLayout::null(), stages, push };
        let count = buffers.iter().map(|buffer| buffer.set + 1).max().unwrap_or(0);
        for set in 0..count {
            let mut bindings: BTreeMap<u32, (BufferKind, u32)> = BTreeMap::new();
            for buffer in buffers.iter().filter(|buffer| buffer.set == set) {
                let (_, elements) = bindings.entry(buffer.binding).or_insert((buffer.kind, 0));
                *elements = (*elements).max(buffer.element + 1);
            }
            let bindings: Vec<_> = bindings
                .into_iter()
                .map(|(binding, (kind, elements))| {
                    vk::DescriptorSetLayoutBinding::default()
                        .binding(binding)
                        .descriptor_type(kind.descriptor())
                        .descriptor_count(elements)
                        .stage_flags(stages)
                })
                .collect();
            let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
            // SAFETY: `bindings` lives through the call.
            let layout = unsafe { device.create_descriptor_set_layout(&info, None) }
                .map_err(vulkan("vkCreateDescriptorSetLayout"))?;
            layouts.sets.push(layout);
        }

        let range =
            [vk::PushConstantRange::default().stage_flags(stages).size(layouts.push.len() as u32)];
        let ranges = if layouts.push.is_empty() { &[][..] } else { &range[..] };
        let info = vk::PipelineLayoutCreateInfo::default()
            .set_layouts(&layouts.sets)
            .push_constant_ranges(ranges);
        // SAFETY: the slices live through the call, the set layouts are live.
        layouts.layout = unsafe { device.create_pipeline_layout(&info, None) }
            .map_err(vulkan("vkCreatePipelineLayout"))?;
        Ok(layouts)
    }

    /// The pipeline layout.
    pub(super) fn layout(&self) -> vk::PipelineLayout {
        self.layout
    }

    /// Binds descriptors and sets push constants.
    ///
    /// # Safety
    ///
    /// The command buffer is being recorded, and all that the descriptors refer to outlives its
    /// execution.
    pub(super) unsafe fn record(
        &self,
        commands: vk::CommandBuffer,
        point: vk::PipelineBindPoint,
        descriptors: &DescriptorPool<'_>,
    ) {
        let (device, layout) = (self.device, self.layout);
        // SAFETY: the sets were made from this layout, and the caller promises the rest.
        unsafe {
            if !descriptors.sets.is_empty() {
                device.cmd_bind_descriptor_sets(commands, point, layout, 0, &descriptors.sets, &[]);
            }
            if !self.push.is_empty() {
                device.cmd_push_constants(commands, layout, self.stages, 0, &self.push);
            }
        }
    }
}

impl Drop for Layouts<'_> {
    fn drop(&mut self) {
        // SAFETY: the handles were made from this device, null handles are allowed, and the
        // pipelines made from them borrow `self` and so are gone.
        unsafe {
            self.device.destroy_pipeline_layout(self.layout, None);
            for &set in &self.sets {
                self.device.destroy_descriptor_set_layout(set, None);
            }
        }
    }
}

/// Everything a compute pipeline is made from: the shader module and the layouts.
pub(super) struct PipelineParts<'d> {
    module: Module<'d>,
    pub(super) layouts: Layouts<'d>,
}

impl<'d> PipelineParts<'d> {
    pub(super) fn new(
        device: &'d ash::Device,
        job: &Job<'_>,
        spirv: &[u32],
    ) -> Result<Self, JobError> {
        let module = Module::new(device, spirv)?;
        let stages = vk::ShaderStageFlags::COMPUTE;
        let layouts = Layouts::new(device, &job.buffers, &job.push, stages)?;
        Ok(PipelineParts { module, layouts })
    }
}

/// A compute pipeline.
pub(super) struct Pipeline<'p> {
    parts: &'p PipelineParts<'p>,
    handle: vk::Pipeline,
}

impl<'p> Pipeline<'p> {
    pub(super) fn new(parts: &'p PipelineParts<'p>, job: &Job<'_>) -> Result<Self, JobError> {
        let entry = entry_name(job.entry)?;
        let mut data = Vec::new();
        let map: Vec<_> = job
            .spec
            .iter()
            .map(|constant| {
                let offset = data.len() as u32;
                data.extend(&constant.value);
                vk::SpecializationMapEntry::default()
                    .constant_id(constant.id)
                    .offset(offset)
                    .size(constant.value.len())
            })
            .collect();
        let specialization = vk::SpecializationInfo::default().map_entries(&map).data(&data);
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(parts.module.handle)
            .name(&entry)
            .specialization_info(&specialization);
        let info =
            [vk::ComputePipelineCreateInfo::default().stage(stage).layout(parts.layouts.layout)];
        // SAFETY: all that `info` points to lives through the call.
        let made = unsafe {
            parts.layouts.device.create_compute_pipelines(vk::PipelineCache::null(), &info, None)
        };
        let handles = made.map_err(|(_, result)| vulkan("vkCreateComputePipelines")(result))?;
        Ok(Pipeline { parts, handle: handles[0] })
    }

    /// Records a dispatch.
    ///
    /// # Safety
    ///
    /// The command buffer is being recorded, the layout covers what the shader uses, and all that the descriptors refer
    /// to outlives its execution.
    pub(super) unsafe fn dispatch(
        &self,
        commands: vk::CommandBuffer,
        descriptors: &DescriptorPool<'_>,
        [x, y, z]: [u32; 3],
    ) {
        let (layouts, compute) = (&self.parts.layouts, vk::PipelineBindPoint::COMPUTE);
        // SAFETY: as the caller promises.
        unsafe {
            layouts.device.cmd_bind_pipeline(commands, compute, self.handle);
            layouts.record(commands, compute, descriptors);
            layouts.device.cmd_dispatch(commands, x, y, z);
        }
    }
}

impl Drop for Pipeline<'_> {
    fn drop(&mut self) {
        // SAFETY: made from this device; every submission that used it has been waited for.
        unsafe { self.parts.layouts.device.destroy_pipeline(self.handle, None) };
    }
}

/// A buffer in host-visible memory, mapped for its whole life.
pub(super) struct MappedBuffer<'d> {
    device: &'d ash::Device,
    handle: vk::Buffer,
    memory: vk::DeviceMemory,
    mapped: *mut u8,
    length: usize,
}

impl<'d> MappedBuffer<'d> {
    pub(super) fn new(
        device: &'d ash::Device,
        memory: &vk::PhysicalDeviceMemoryProperties,
        contents: &[u8],
        usage: vk::BufferUsageFlags,
    ) -> Result<Self, JobError> {
        let mut made = MappedBuffer {
            device,
            handle: vk::Buffer::null(),
            memory: vk::DeviceMemory::null(),
            mapped: std::ptr::null_mut(),
            length: contents.len(),
        };
        let info = vk::BufferCreateInfo::default()
            // A sampler has no contents, but a Vulkan buffer must not be empty.
            .size(made.length.max(1) as u64)
            .usage(usage)
            .sharing_mode(vk::SharingMode::EXCLUSIVE);
        // SAFETY: `info` lives through the call.
        made.handle =
            unsafe { device.create_buffer(&info, None) }.map_err(vulkan("vkCreateBuffer"))?;
        // SAFETY: the buffer is live.
        let needs = unsafe { device.get_buffer_memory_requirements(made.handle) };
        let wanted = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
        let index = (0..memory.memory_type_count)
            .find(|&index| {
                needs.memory_type_bits & (1 << index) != 0
                    && memory.memory_types[index as usize].property_flags.contains(wanted)
            })
            .ok_or_else(|| JobError::Interface("no host-visible memory type".into()))?;
        let mut flags = vk::MemoryAllocateFlagsInfo::default();
        let mut info =
            vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(index);
        if usage.contains(vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS) {
            flags.flags = vk::MemoryAllocateFlags::DEVICE_ADDRESS;
            info = info.push_next(&mut flags);
        }
        // SAFETY: `info` lives through the call.
        made.memory =
            unsafe { device.allocate_memory(&info, None) }.map_err(vulkan("vkAllocateMemory"))?;
        // SAFETY: the memory is as large and as aligned as the buffer asked for.
        unsafe { device.bind_buffer_memory(made.handle, made.memory, 0) }
            .map_err(vulkan("vkBindBufferMemory"))?;
        // SAFETY: the memory is host-visible and not mapped yet.
        let mapped = unsafe {
            device.map_memory(made.memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty())
        }
        .map_err(vulkan("vkMapMemory"))?;
        made.mapped = mapped.cast();
        // SAFETY: the mapping holds at least `length` bytes (the allocation is at least as large
        // as the buffer), nothing else refers to it, and the two ranges cannot overlap.
        unsafe {
            std::ptr::copy_nonoverlapping(contents.as_ptr(), made.mapped, made.length);
        }
        Ok(made)
    }

    /// The buffer.
    pub(super) fn handle(&self) -> vk::Buffer {
        self.handle
    }

    /// The buffer's address. Its usage must include that of buffers with addresses.
    pub(super) fn address(&self) -> u64 {
        let info = vk::BufferDeviceAddressInfo::default().buffer(self.handle);
        // SAFETY: the buffer is live, bound to memory that was allocated for addresses, and the feature is enabled.
        unsafe { self.device.get_buffer_device_address(&info) }
    }

    /// Replaces the buffer's contents, as far as they fit; called when no submission is in flight.
    pub(super) fn write(&mut self, contents: &[u8]) {
        let length = self.length.min(contents.len());
        // SAFETY: `mapped` holds `length` bytes as long as `self` lives, and the device does not access them while no
        // submission is in flight.
        unsafe { std::ptr::copy_nonoverlapping(contents.as_ptr(), self.mapped, length) };
    }

    /// The buffer's contents now; called when no submission is in flight.
    pub(super) fn read(&self) -> Vec<u8> {
        // SAFETY: `mapped` holds `length` initialised bytes as long as `self` lives, and the
        // device does not write while no submission is in flight.
        unsafe { std::slice::from_raw_parts(self.mapped, self.length) }.to_vec()
    }
}

impl Drop for MappedBuffer<'_> {
    fn drop(&mut self) {
        // SAFETY: made from this device, null handles are allowed, and every submission that
        // used the buffer has been waited for. Freeing memory unmaps it.
        unsafe {
            self.device.destroy_buffer(self.handle, None);
            self.device.free_memory(self.memory, None);
        }
    }
}

/// The descriptor sets of one job.
pub(super) struct DescriptorPool<'d> {
    device: &'d ash::Device,
    handle: vk::DescriptorPool,
    sets: Vec<vk::DescriptorSet>,
}

impl<'d> DescriptorPool<'d> {
    pub(super) fn new(
        device: &'d ash::Device,
        layouts: &Layouts<'_>,
        bound: &[Buffer],
        buffers: &[MappedBuffer<'_>],
        images: &[Option<&BoundImage<'_>>],
    ) -> Result<Self, JobError> {
        let mut pool =
            DescriptorPool { device, handle: vk::DescriptorPool::null(), sets: Vec::new() };
        if layouts.sets.is_empty() {
            return Ok(pool);
        }
        // A descriptor array may have gaps, so the pool has room for all elements of each binding.
        let count = bound.iter().map(|buffer| buffer.element + 1).sum::<u32>().max(1);
        let sizes = [
            vk::DescriptorType::STORAGE_BUFFER,
            vk::DescriptorType::UNIFORM_BUFFER,
            vk::DescriptorType::STORAGE_IMAGE,
            vk::DescriptorType::STORAGE_TEXEL_BUFFER,
            vk::DescriptorType::UNIFORM_TEXEL_BUFFER,
            vk::DescriptorType::COMBINED_IMAGE_SAMPLER,
            vk::DescriptorType::SAMPLED_IMAGE,
            vk::DescriptorType::SAMPLER,
            vk::DescriptorType::INPUT_ATTACHMENT,
        ]
        .map(|ty| vk::DescriptorPoolSize::default().ty(ty).descriptor_count(count));
        let info = vk::DescriptorPoolCreateInfo::default()
            .max_sets(layouts.sets.len() as u32)
            .pool_sizes(&sizes);
        // SAFETY: `info` lives through the call.
        pool.handle = unsafe { device.create_descriptor_pool(&info, None) }
            .map_err(vulkan("vkCreateDescriptorPool"))?;
        let info = vk::DescriptorSetAllocateInfo::default()
            .descriptor_pool(pool.handle)
            .set_layouts(&layouts.sets);
        // SAFETY: pool and layouts are live.
        pool.sets = unsafe { device.allocate_descriptor_sets(&info) }
            .map_err(vulkan("vkAllocateDescriptorSets"))?;
        for ((buffer, mapped), image) in bound.iter().zip(buffers).zip(images) {
            let range = [vk::DescriptorBufferInfo::default()
                .buffer(mapped.handle)
                .range(mapped.length.max(1) as u64)];
            let write = vk::WriteDescriptorSet::default()
                .dst_set(pool.sets[buffer.set as usize])
                .dst_binding(buffer.binding)
                .dst_array_element(buffer.element)
                .descriptor_type(buffer.kind.descriptor());
            let general = vk::ImageLayout::GENERAL;
            let shown = image.as_ref().map_or_else(vk::ImageView::null, |image| image.view);
            let sampler = image.as_ref().map_or_else(vk::Sampler::null, |image| image.sampler);
            let view = [vk::DescriptorImageInfo::default()
                .image_view(shown)
                .image_layout(general)
                .sampler(sampler)];
            let texels = [image.as_ref().map_or_else(vk::BufferView::null, |i| i.buffer_view)];
            let mut write = match buffer.kind.descriptor() {
                vk::DescriptorType::STORAGE_IMAGE
                | vk::DescriptorType::COMBINED_IMAGE_SAMPLER
                | vk::DescriptorType::SAMPLED_IMAGE
                | vk::DescriptorType::INPUT_ATTACHMENT
                | vk::DescriptorType::SAMPLER => write.image_info(&view),
                vk::DescriptorType::STORAGE_TEXEL_BUFFER
                | vk::DescriptorType::UNIFORM_TEXEL_BUFFER => write.texel_buffer_view(&texels),
                _ => write.buffer_info(&range),
            };
            write.descriptor_count = 1;
            // SAFETY: the set's layout has this binding, type and element, because both were
            // made from the same list of buffers.
            unsafe { device.update_descriptor_sets(&[write], &[]) };
        }
        Ok(pool)
    }
}

impl Drop for DescriptorPool<'_> {
    fn drop(&mut self) {
        // SAFETY: made from this device, null is allowed; frees the sets with it, which no
        // submission in flight uses.
        unsafe { self.device.destroy_descriptor_pool(self.handle, None) };
    }
}

/// A command pool and the commands of one job.
pub(super) struct CommandPool<'d> {
    device: &'d ash::Device,
    handle: vk::CommandPool,
}

impl<'d> CommandPool<'d> {
    pub(super) fn new(device: &'d ash::Device, family: u32) -> Result<Self, JobError> {
        let info = vk::CommandPoolCreateInfo::default().queue_family_index(family);
        // SAFETY: `info` lives through the call.
        let handle = unsafe { device.create_command_pool(&info, None) }
            .map_err(vulkan("vkCreateCommandPool"))?;
        Ok(CommandPool { device, handle })
    }

    /// Records the upload of images, then the commands that `work` records, then the download of images.
    pub(super) fn record_between(
        &self,
        buffers: &[MappedBuffer<'_>],
        images: &[Option<BoundImage<'_>>],
        work: impl FnOnce(vk::CommandBuffer),
    ) -> Result<vk::CommandBuffer, JobError> {
        let device = self.device;
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(self.handle)
            .level(vk::CommandBufferLevel::PRIMARY)
            .command_buffer_count(1);
        // SAFETY: the pool is live; exactly one buffer is asked for.
        let commands = unsafe { device.allocate_command_buffers(&info) }
            .map_err(vulkan("vkAllocateCommandBuffers"))?[0];
        let begin = vk::CommandBufferBeginInfo::default()
            .flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        // SAFETY: every handle is live and stays so until `submit_and_wait` has returned,
        // because the caller holds the values they come from.
        unsafe {
            device
                .begin_command_buffer(commands, &begin)
                .map_err(vulkan("vkBeginCommandBuffer"))?;
            for (image, texels) in images.iter().zip(buffers) {
                if let Some(image) = image {
                    image.record_upload(commands, texels);
                }
            }
            work(commands);
            for (image, texels) in images.iter().zip(buffers) {
                if let Some(image) = image {
                    image.record_download(commands, texels);
                }
            }
            let barrier = [vk::MemoryBarrier::default()
                .src_access_mask(vk::AccessFlags::MEMORY_WRITE)
                .dst_access_mask(vk::AccessFlags::HOST_READ)];
            device.cmd_pipeline_barrier(
                commands,
                vk::PipelineStageFlags::ALL_COMMANDS,
                vk::PipelineStageFlags::HOST,
                vk::DependencyFlags::empty(),
                &barrier,
                &[],
                &[],
            );
            device.end_command_buffer(commands).map_err(vulkan("vkEndCommandBuffer"))?;
        }
        Ok(commands)
    }

    /// Submits the commands and waits for them. If they do not end in time, ends the process: the dispatch cannot be
    /// cancelled, and it is not safe to destroy objects that are in use.
    pub(super) fn submit_and_wait(
        &self,
        queue: vk::Queue,
        commands: vk::CommandBuffer,
        limit: Duration,
    ) -> Result<(), JobError> {
        let device = self.device;
        // SAFETY: default creation info, live device.
        let fence = unsafe { device.create_fence(&vk::FenceCreateInfo::default(), None) }
            .map_err(vulkan("vkCreateFence"))?;
        let buffers = [commands];
        let submit = [vk::SubmitInfo::default().command_buffers(&buffers)];
        // SAFETY: the caller holds the queue's lock and all objects the commands use.
        let waited = unsafe {
            device
                .queue_submit(queue, &submit, fence)
                .and_then(|()| device.wait_for_fences(&[fence], true, limit.as_nanos() as u64))
        };
        if waited == Err(vk::Result::TIMEOUT) {
            // Dropping the objects would destroy them while they are in use, which is undefined behaviour.
            eprintln!("{}", JobError::Endless);
            std::process::abort();
        }
        // SAFETY: signalled or never submitted.
        unsafe { device.destroy_fence(fence, None) };
        waited.map_err(vulkan("vkQueueSubmit or vkWaitForFences"))
    }
}

impl Drop for CommandPool<'_> {
    fn drop(&mut self) {
        // SAFETY: made from this device, its commands are not in flight; frees them with it.
        unsafe { self.device.destroy_command_pool(self.handle, None) };
    }
}
