//! Draw calls with a rasterizer: what a fragment shader writes to colour attachments and buffers.

use std::sync::PoisonError;

use ash::vk;

use super::images::BoundImage;
use super::interface;
use super::multisample::Fill;
use super::objects::{CommandPool, DescriptorPool, Layouts, MappedBuffer, Module};
use super::{
    Buffer, BufferKind, Dimension, FENCE_LIMIT, Image, JobError, Lavapipe, Texture, shown, vulkan,
};

/// The numbers of the execution models in SPIR-V.
const MODEL_VERTEX: u32 = 0;
const MODEL_FRAGMENT: u32 = 4;

/// The descriptor set through which attachments get their first contents. The shaders must not use it.
const ATTACHMENT_SET: u32 = 3;

/// A colour attachment, as large as the picture.
#[derive(Debug, Clone)]
pub struct Attachment {
    /// `rgba32f`, `rgba32i` or `rgba32ui`.
    pub format: &'static str,
    /// The contents before the draw call, row after row.
    pub contents: Vec<u8>,
    /// Whether the draw call writes it.
    pub written: bool,
}

/// A draw call of one triangle list without vertex attributes, without blending and tests. Textures that are input
/// attachments must be as large as the picture.
#[derive(Debug, Clone)]
pub struct RasterJob<'a> {
    /// The vertex shader, whose entry point is called `main`, as the other's.
    pub vertex: &'a [u32],
    /// The fragment shader.
    pub fragment: &'a [u32],
    /// Number of vertices.
    pub vertices: u32,
    /// Width and height of the picture.
    pub size: [u32; 2],
    /// Push constant bytes, from offset 0.
    pub push: Vec<u8>,
    /// The buffers.
    pub buffers: Vec<Buffer>,
    /// The attachments, by location.
    pub attachments: Vec<Attachment>,
    /// Number of samples of a pixel, 1 or 4. With 4 there must be no attachments.
    pub samples: u32,
}

/// The contents after a draw call.
#[derive(Debug, Clone)]
pub struct Rasterized {
    /// The buffers, in the job's order.
    pub buffers: Vec<Vec<u8>>,
    /// The attachments, in the job's order.
    pub attachments: Vec<Vec<u8>>,
}

impl Lavapipe {
    /// Runs a draw call with a fragment shader.
    ///
    /// # Errors
    ///
    /// [`JobError::Interface`] when the job does not give what the modules use, otherwise the Vulkan call that failed.
    pub fn rasterize(&self, job: &RasterJob<'_>) -> Result<Rasterized, JobError> {
        if let Some(buffer) = job.buffers.iter().find(|buffer| buffer.set == ATTACHMENT_SET) {
            let message = format!("binding {} is in the attachments' set", buffer.binding);
            return Err(JobError::Interface(message));
        }
        if job.samples > 1 && !job.attachments.is_empty() {
            let message = "attachments have one sample".to_owned();
            return Err(JobError::Interface(message));
        }
        let mut all = job.buffers.clone();
        for (binding, attachment) in (0..).zip(&job.attachments) {
            let size = [job.size[0], job.size[1], 1];
            let image = Image { dimension: Dimension::D2, size, format: attachment.format };
            all.push(Buffer {
                set: ATTACHMENT_SET,
                binding,
                element: 0,
                kind: BufferKind::Image(image),
                contents: attachment.contents.clone(),
            });
        }
        interface::check_module(job.vertex, MODEL_VERTEX, "main", &all)?;
        interface::check_module(job.fragment, MODEL_FRAGMENT, "main", &all)?;
        interface::check_buffers(&all)?;
        let vertex = Module::new(&self.device, job.vertex)?;
        let fragment = Module::new(&self.device, job.fragment)?;
        let flags = vk::ShaderStageFlags::VERTEX | vk::ShaderStageFlags::FRAGMENT;
        let layouts = Layouts::new(&self.device, &all, &job.push, flags)?;
        let pass = Pass::new(&self.device, job)?;
        let pipeline = RasterPipeline::new(&pass, &layouts, &vertex, &fragment, job)?;
        let fills = Fill::all(self, &all)?;
        let buffers = (all.iter())
            .map(|buffer| self.map(&buffer.contents, buffer.kind.usage()))
            .collect::<Result<Vec<_>, _>>()?;
        let images = (all.iter().zip(&buffers))
            .map(|(buffer, texels)| BoundImage::new(&self.device, &self.memory, buffer, texels))
            .collect::<Result<Vec<_>, _>>()?;
        let descriptors =
            DescriptorPool::new(&self.device, &layouts, &all, &buffers, &shown(&images))?;

        let commands = CommandPool::new(&self.device, self.queue_family)?;
        let (read, written) = images.split_at(job.buffers.len());
        let inputs = job.buffers.iter().zip(read).filter(|(buffer, _)| input(buffer).is_some());
        let views: Vec<_> = (written.iter().flatten())
            .chain(inputs.filter_map(|(_, image)| image.as_ref()))
            .map(|image| image.view)
            .collect();
        let target = Target::new(&pass, &views, job.size)?;
        let filling = (fills.iter())
            .map(|fill| Ok((fill.pipeline()?, fill.descriptors(&images)?, fill.groups)))
            .collect::<Result<Vec<_>, JobError>>()?;
        let recorded = commands.record_between(&buffers, &images, |commands| {
            let graphics = vk::PipelineBindPoint::GRAPHICS;
            let begin = vk::RenderPassBeginInfo::default()
                .render_pass(pass.handle)
                .framebuffer(target.handle)
                .render_area(area(job));
            // SAFETY: every handle is live and stays so until `submit_and_wait` has returned; the checks above made sure
            // that layouts cover what the shaders use, and the attachments are as large as the area.
            unsafe {
                for (pipeline, descriptors, groups) in &filling {
                    pipeline.dispatch(commands, descriptors, *groups);
                }
                self.device.cmd_bind_pipeline(commands, graphics, pipeline.handle);
                layouts.record(commands, graphics, &descriptors);
                self.barrier(commands);
                self.device.cmd_begin_render_pass(commands, &begin, vk::SubpassContents::INLINE);
                self.device.cmd_draw(commands, job.vertices, 1, 0, 0);
                self.device.cmd_end_render_pass(commands);
                self.barrier(commands);
            }
        })?;
        // A panic while holding the lock leaves the queue itself intact.
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        commands.submit_and_wait(*queue, recorded, FENCE_LIMIT)?;
        drop(queue);
        let mut contents: Vec<_> = buffers.iter().map(MappedBuffer::read).collect();
        let attachments = contents.split_off(job.buffers.len());
        Ok(Rasterized { buffers: contents, attachments })
    }

    /// Records a barrier: all earlier commands finish, and their writes are visible, before a later command begins.
    ///
    /// # Safety
    ///
    /// The command buffer is being recorded.
    unsafe fn barrier(&self, commands: vk::CommandBuffer) {
        let all = vk::PipelineStageFlags::ALL_COMMANDS;
        let memory = [vk::MemoryBarrier::default()
            .src_access_mask(vk::AccessFlags::MEMORY_WRITE)
            .dst_access_mask(vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE)];
        let none = vk::DependencyFlags::empty();
        // SAFETY: as the caller promises.
        unsafe { self.device.cmd_pipeline_barrier(commands, all, all, none, &memory, &[], &[]) };
    }
}

/// The whole picture.
fn area(job: &RasterJob<'_>) -> vk::Rect2D {
    vk::Rect2D::default().extent(vk::Extent2D { width: job.size[0], height: job.size[1] })
}

/// The texture of an input attachment; `None` for other buffers.
fn input(buffer: &Buffer) -> Option<Texture> {
    match buffer.kind {
        BufferKind::Texture(texture) if texture.attachment => Some(texture),
        _ => None,
    }
}

/// A render pass of one subpass: the colour attachments, then the input attachments.
struct Pass<'d> {
    device: &'d ash::Device,
    handle: vk::RenderPass,
}

impl<'d> Pass<'d> {
    fn new(device: &'d ash::Device, job: &RasterJob<'_>) -> Result<Self, JobError> {
        let general = vk::ImageLayout::GENERAL;
        let format = |name| match name {
            "rgba32f" => Ok(vk::Format::R32G32B32A32_SFLOAT),
            "rgba32i" => Ok(vk::Format::R32G32B32A32_SINT),
            "rgba32ui" => Ok(vk::Format::R32G32B32A32_UINT),
            other => Err(JobError::Interface(format!("{other} is no format of attachments"))),
        };
        let colours = job.attachments.iter().map(|attachment| (attachment.format, 1));
        let inputs = job.buffers.iter().filter_map(input);
        let attached = colours
            .chain(inputs.map(|texture| (texture.image.format, texture.samples)))
            .map(|(name, samples)| {
                Ok(vk::AttachmentDescription::default()
                    .format(format(name)?)
                    .samples(vk::SampleCountFlags::from_raw(samples))
                    .load_op(vk::AttachmentLoadOp::LOAD)
                    .store_op(vk::AttachmentStoreOp::STORE)
                    .initial_layout(general)
                    .final_layout(general))
            })
            .collect::<Result<Vec<_>, JobError>>()?;
        let refer = |at: usize| vk::AttachmentReference { attachment: at as u32, layout: general };
        let (first, end) = (job.attachments.len(), attached.len());
        let colours: Vec<_> = (0..first).map(refer).collect();
        let inputs: Vec<_> = (first..end).map(refer).collect();
        let subpass = [vk::SubpassDescription::default()
            .pipeline_bind_point(vk::PipelineBindPoint::GRAPHICS)
            .color_attachments(&colours)
            .input_attachments(&inputs)];
        let info = vk::RenderPassCreateInfo::default().attachments(&attached).subpasses(&subpass);
        // SAFETY: all that `info` points to lives through the call.
        let handle = unsafe { device.create_render_pass(&info, None) }
            .map_err(vulkan("vkCreateRenderPass"))?;
        Ok(Pass { device, handle })
    }
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        // SAFETY: made from this device; every submission that used it has been waited for.
        unsafe { self.device.destroy_render_pass(self.handle, None) };
    }
}

/// The views of a pass's attachments.
struct Target<'p> {
    device: &'p ash::Device,
    handle: vk::Framebuffer,
}

impl<'p> Target<'p> {
    fn new(pass: &'p Pass<'_>, views: &[vk::ImageView], size: [u32; 2]) -> Result<Self, JobError> {
        let device = pass.device;
        let info = vk::FramebufferCreateInfo::default()
            .render_pass(pass.handle)
            .attachments(views)
            .width(size[0])
            .height(size[1])
            .layers(1);
        // SAFETY: all that `info` points to lives through the call.
        let handle = unsafe { device.create_framebuffer(&info, None) }
            .map_err(vulkan("vkCreateFramebuffer"))?;
        Ok(Target { device, handle })
    }
}

impl Drop for Target<'_> {
    fn drop(&mut self) {
        // SAFETY: made from this device; every submission that used it has been waited for.
        unsafe { self.device.destroy_framebuffer(self.handle, None) };
    }
}

/// A graphics pipeline of a vertex and a fragment shader.
struct RasterPipeline<'d> {
    device: &'d ash::Device,
    handle: vk::Pipeline,
}

impl<'d> RasterPipeline<'d> {
    fn new(
        pass: &Pass<'d>,
        layouts: &Layouts<'_>,
        vertex: &Module<'_>,
        fragment: &Module<'_>,
        job: &RasterJob<'_>,
    ) -> Result<Self, JobError> {
        let device = pass.device;
        let stage = |flag, module: &Module<'_>| {
            vk::PipelineShaderStageCreateInfo::default()
                .stage(flag)
                .module(module.handle())
                .name(c"main")
        };
        let stages = [
            stage(vk::ShaderStageFlags::VERTEX, vertex),
            stage(vk::ShaderStageFlags::FRAGMENT, fragment),
        ];
        let blend: Vec<_> = (job.attachments.iter())
            .map(|attachment| {
                vk::PipelineColorBlendAttachmentState::default().color_write_mask(match attachment
                    .written
                {
                    true => vk::ColorComponentFlags::RGBA,
                    false => vk::ColorComponentFlags::empty(),
                })
            })
            .collect();
        let [width, height] = job.size.map(|size| size as f32);
        let viewports = [vk::Viewport::default().width(width).height(height).max_depth(1.0)];
        let scissors = [area(job)];
        let viewport = vk::PipelineViewportStateCreateInfo::default()
            .viewports(&viewports)
            .scissors(&scissors);
        let input = vk::PipelineVertexInputStateCreateInfo::default();
        let assembly = vk::PipelineInputAssemblyStateCreateInfo::default()
            .topology(vk::PrimitiveTopology::TRIANGLE_LIST);
        let raster = vk::PipelineRasterizationStateCreateInfo::default().line_width(1.0);
        let samples = vk::PipelineMultisampleStateCreateInfo::default()
            .rasterization_samples(vk::SampleCountFlags::from_raw(job.samples));
        let blending = vk::PipelineColorBlendStateCreateInfo::default().attachments(&blend);
        let info = vk::GraphicsPipelineCreateInfo::default()
            .stages(&stages)
            .vertex_input_state(&input)
            .input_assembly_state(&assembly)
            .viewport_state(&viewport)
            .rasterization_state(&raster)
            .multisample_state(&samples)
            .color_blend_state(&blending)
            .layout(layouts.layout())
            .render_pass(pass.handle);
        // SAFETY: all that `info` points to lives through the call.
        let made =
            unsafe { device.create_graphics_pipelines(vk::PipelineCache::null(), &[info], None) };
        let handles = made.map_err(|(_, result)| vulkan("vkCreateGraphicsPipelines")(result))?;
        Ok(RasterPipeline { device, handle: handles[0] })
    }
}

impl Drop for RasterPipeline<'_> {
    fn drop(&mut self) {
        // SAFETY: made from this device; every submission that used it has been waited for.
        unsafe { self.device.destroy_pipeline(self.handle, None) };
    }
}
