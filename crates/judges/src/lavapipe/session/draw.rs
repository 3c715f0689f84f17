//! Draw calls, dispatches and clears of a session.

use std::time::Instant;

use ash::vk;

use super::super::{JobError, vulkan};
use super::Session;

/// What a descriptor refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// Bytes of a buffer.
    Buffer {
        /// The buffer.
        buffer: usize,
        /// The first byte.
        offset: u64,
        /// The number of bytes.
        range: u64,
    },
    /// A buffer as texels.
    Texels {
        /// The buffer.
        buffer: usize,
        /// The format.
        format: vk::Format,
    },
    /// Levels of an image.
    Image {
        /// The image.
        image: usize,
        /// The first level.
        level: u32,
        /// The number of levels.
        levels: u32,
        /// The aspect.
        aspect: vk::ImageAspectFlags,
        /// The sampler.
        sampler: Option<usize>,
    },
    /// A sampler.
    Sampler(usize),
}

/// A descriptor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Descriptor {
    /// The set.
    pub set: u32,
    /// The binding.
    pub binding: u32,
    /// The element.
    pub element: u32,
    /// What it refers to.
    pub bound: Bound,
}

/// The attachments of a draw call or clear: each is an image and its level.
#[derive(Debug, Clone, Default)]
pub struct Target {
    /// The colour attachments by location.
    pub colours: Vec<Option<(usize, u32)>>,
    /// The depth and stencil attachment.
    pub depth_stencil: Option<(usize, u32)>,
    /// Width and height in pixels of the area that changes.
    pub size: [u32; 2],
}

/// The vertices of a draw call.
#[derive(Debug, Clone, Default)]
pub struct Vertices {
    /// The vertex buffers, by binding: the buffer and its first byte.
    pub buffers: Vec<(usize, u64)>,
    /// The buffer with indices of 32 bits, if there is one.
    pub indices: Option<usize>,
    /// The first vertex or index.
    pub first: u32,
    /// The number of vertices or indices.
    pub count: u32,
    /// The first instance.
    pub first_instance: u32,
    /// The number of instances.
    pub instances: u32,
    /// A number added to each index.
    pub vertex_offset: i32,
}

/// A draw call.
#[derive(Debug, Clone)]
pub struct DrawCall<'a> {
    /// The pipeline.
    pub pipeline: usize,
    /// The descriptors.
    pub descriptors: &'a [Descriptor],
    /// Push constants.
    pub push: &'a [u8],
    /// The vertices.
    pub vertices: &'a Vertices,
}

/// The descriptor sets of a command, destroyed when dropped.
struct Sets {
    device: &'static ash::Device,
    pool: vk::DescriptorPool,
    sets: Vec<vk::DescriptorSet>,
    views: Vec<vk::BufferView>,
}

impl Drop for Sets {
    fn drop(&mut self) {
        // SAFETY: all were made from this device, null is allowed, and the command that used them has ended.
        unsafe {
            self.device.destroy_descriptor_pool(self.pool, None);
            for &view in &self.views {
                self.device.destroy_buffer_view(view, None);
            }
        }
    }
}

impl Session {
    /// Makes the descriptor sets of a pipeline.
    fn sets(&mut self, pipeline: usize, descriptors: &[Descriptor]) -> Result<Sets, JobError> {
        let device = self.device();
        let mut made =
            Sets { device, pool: vk::DescriptorPool::null(), sets: Vec::new(), views: Vec::new() };
        let (layouts, slots) =
            (self.pipelines[pipeline].sets.clone(), self.pipelines[pipeline].slots.clone());
        if layouts.is_empty() {
            return Ok(made);
        }
        let sizes: Vec<_> = (slots.iter())
            .map(|slot| vk::DescriptorPoolSize { ty: slot.ty, descriptor_count: slot.count })
            .collect();
        let info = vk::DescriptorPoolCreateInfo::default()
            .max_sets(layouts.len() as u32)
            .pool_sizes(&sizes);
        // SAFETY: `info` lives through the call.
        made.pool = unsafe { device.create_descriptor_pool(&info, None) }
            .map_err(vulkan("vkCreateDescriptorPool"))?;
        let info = vk::DescriptorSetAllocateInfo::default()
            .descriptor_pool(made.pool)
            .set_layouts(&layouts);
        // SAFETY: pool and layouts are live.
        made.sets = unsafe { device.allocate_descriptor_sets(&info) }
            .map_err(vulkan("vkAllocateDescriptorSets"))?;
        for descriptor in descriptors {
            let Descriptor { set, binding, element, bound } = *descriptor;
            let slot = slots.iter().find(|slot| (slot.set, slot.binding) == (set, binding));
            let slot = slot.filter(|slot| element < slot.count).ok_or_else(|| {
                JobError::Interface(format!("the pipeline has no descriptor {set}.{binding}"))
            })?;
            let (mut buffer, mut image) =
                (vk::DescriptorBufferInfo::default(), vk::DescriptorImageInfo::default());
            let mut texels = vk::BufferView::null();
            image.image_layout = vk::ImageLayout::GENERAL;
            match bound {
                Bound::Buffer { buffer: number, offset, range } => {
                    buffer =
                        buffer.buffer(self.buffers[number].handle()).offset(offset).range(range);
                }
                Bound::Texels { buffer: number, format } => {
                    let info = vk::BufferViewCreateInfo::default()
                        .buffer(self.buffers[number].handle())
                        .format(format)
                        .range(vk::WHOLE_SIZE);
                    // SAFETY: the buffer is live, and was made for texel views.
                    texels = unsafe { device.create_buffer_view(&info, None) }
                        .map_err(vulkan("vkCreateBufferView"))?;
                    made.views.push(texels);
                }
                Bound::Image { image: number, level, levels, aspect, sampler } => {
                    image.image_view = self.view(number, level, levels, aspect)?;
                    if let Some(sampler) = sampler {
                        image.sampler = self.samplers[sampler];
                    }
                }
                Bound::Sampler(sampler) => image.sampler = self.samplers[sampler],
            }
            let (buffer, image, texels) = ([buffer], [image], [texels]);
            let write = vk::WriteDescriptorSet::default()
                .dst_set(made.sets[set as usize])
                .dst_binding(binding)
                .dst_array_element(element)
                .descriptor_type(slot.ty);
            let write = match bound {
                Bound::Buffer { .. } => write.buffer_info(&buffer),
                Bound::Texels { .. } => write.texel_buffer_view(&texels),
                Bound::Image { .. } | Bound::Sampler(_) => write.image_info(&image),
            };
            // SAFETY: the set's layout has this binding, type and element; the objects are live.
            unsafe { device.update_descriptor_sets(&[write], &[]) };
        }
        Ok(made)
    }

    /// Records pipeline, descriptors and push constants.
    ///
    /// # Safety
    /// The command buffer is being recorded.
    unsafe fn bind(&self, commands: vk::CommandBuffer, pipeline: usize, sets: &Sets, push: &[u8]) {
        let (device, made) = (self.device(), &self.pipelines[pipeline]);
        // SAFETY: the objects are live until the commands have run; the layout is that of the sets.
        unsafe {
            device.cmd_bind_pipeline(commands, made.point, made.handle);
            if !sets.sets.is_empty() {
                let (point, layout) = (made.point, made.layout);
                device.cmd_bind_descriptor_sets(commands, point, layout, 0, &sets.sets, &[]);
            }
            if made.push != 0 {
                device.cmd_push_constants(commands, made.layout, made.stages, 0, push);
            }
        }
    }

    /// The push constants with the size of the pipeline's layout.
    fn pushed(&self, pipeline: usize, push: &[u8]) -> Vec<u8> {
        let mut push = push.to_vec();
        push.resize(self.pipelines[pipeline].push as usize, 0);
        push
    }

    /// Runs workgroups of a compute pipeline.
    ///
    /// # Errors
    /// The Vulkan call that failed.
    pub fn dispatch(
        &mut self,
        pipeline: usize,
        descriptors: &[Descriptor],
        push: &[u8],
        [x, y, z]: [u32; 3],
    ) -> Result<(), JobError> {
        let sets = self.sets(pipeline, descriptors)?;
        let push = self.pushed(pipeline, push);
        let start = Instant::now();
        self.submit(|commands| {
            // SAFETY: the commands are being recorded.
            unsafe {
                self.bind(commands, pipeline, &sets, &push);
                self.device().cmd_dispatch(commands, x, y, z);
            }
        })?;
        self.busy += start.elapsed();
        Ok(())
    }

    /// Performs a draw call, after clears of the attachments if `clear` has the values: of each colour attachment, and of
    /// depth and stencil.
    ///
    /// # Errors
    /// The Vulkan call that failed.
    pub fn render(
        &mut self,
        target: &Target,
        clear: Option<(&[vk::ClearColorValue], vk::ClearDepthStencilValue)>,
        call: Option<&DrawCall<'_>>,
    ) -> Result<(), JobError> {
        let load = match clear {
            Some(_) => vk::AttachmentLoadOp::CLEAR,
            None => vk::AttachmentLoadOp::LOAD,
        };
        let attached = |view| {
            vk::RenderingAttachmentInfo::default()
                .image_view(view)
                .image_layout(vk::ImageLayout::GENERAL)
                .load_op(load)
                .store_op(vk::AttachmentStoreOp::STORE)
        };
        let mut colours = Vec::new();
        for (number, colour) in target.colours.iter().enumerate() {
            let view = match colour {
                Some((image, level)) => {
                    self.view(*image, *level, 1, vk::ImageAspectFlags::COLOR)?
                }
                None => vk::ImageView::null(),
            };
            let values = clear.and_then(|(colours, _)| colours.get(number));
            let color = values.copied().unwrap_or_default();
            colours.push(attached(view).clear_value(vk::ClearValue { color }));
        }
        let mut tested = vk::RenderingAttachmentInfo::default();
        let mut aspects = vk::ImageAspectFlags::empty();
        if let Some((image, level)) = target.depth_stencil {
            aspects = self.shape(image).aspects();
            let view = self.view(image, level, 1, aspects)?;
            let depth_stencil = clear.map_or(vk::ClearDepthStencilValue::default(), |(_, v)| v);
            tested = attached(view).clear_value(vk::ClearValue { depth_stencil });
        }
        let [width, height] = target.size;
        let mut info = vk::RenderingInfo::default()
            .render_area(vk::Rect2D::default().extent(vk::Extent2D { width, height }))
            .layer_count(1)
            .color_attachments(&colours);
        if aspects.contains(vk::ImageAspectFlags::DEPTH) {
            info = info.depth_attachment(&tested);
        }
        if aspects.contains(vk::ImageAspectFlags::STENCIL) {
            info = info.stencil_attachment(&tested);
        }
        let bound = match call {
            Some(call) => {
                let sets = self.sets(call.pipeline, call.descriptors)?;
                Some((call, sets, self.pushed(call.pipeline, call.push)))
            }
            None => None,
        };
        let device = self.device();
        let start = Instant::now();
        self.submit(|commands| {
            // SAFETY: the commands are being recorded, and all objects are live until they have run.
            unsafe {
                device.cmd_begin_rendering(commands, &info);
                if let Some((call, sets, push)) = &bound {
                    self.bind(commands, call.pipeline, sets, push);
                    self.record_vertices(commands, call.vertices);
                }
                device.cmd_end_rendering(commands);
            }
        })?;
        self.busy += start.elapsed();
        Ok(())
    }

    /// Records vertex buffers and the draw call.
    ///
    /// # Safety
    /// The command buffer is being recorded inside of a render pass, and a pipeline is bound.
    unsafe fn record_vertices(&self, commands: vk::CommandBuffer, vertices: &Vertices) {
        let device = self.device();
        let handles: Vec<_> =
            vertices.buffers.iter().map(|(buffer, _)| self.buffers[*buffer].handle()).collect();
        let offsets: Vec<_> = vertices.buffers.iter().map(|(_, offset)| *offset).collect();
        let Vertices { first, count, first_instance, instances, vertex_offset, .. } = *vertices;
        // SAFETY: as the caller promises; the buffers are live.
        unsafe {
            if !handles.is_empty() {
                device.cmd_bind_vertex_buffers(commands, 0, &handles, &offsets);
            }
            match vertices.indices {
                Some(indices) => {
                    let handle = self.buffers[indices].handle();
                    device.cmd_bind_index_buffer(commands, handle, 0, vk::IndexType::UINT32);
                    device.cmd_draw_indexed(
                        commands,
                        count,
                        instances,
                        first,
                        vertex_offset,
                        first_instance,
                    );
                }
                None => device.cmd_draw(commands, count, instances, first, first_instance),
            }
        }
    }
}
