//! Draw calls with a rasterizer: what a fragment shader writes to colour attachments and buffers.

use std::sync::PoisonError;

use ash::vk;

use super::draw::{Attribute, check_attribute, vertex_input};
use super::images::BoundImage;
use super::interface;
use super::multisample::Transfer;
use super::objects::{CommandPool, DescriptorPool, Layouts, MappedBuffer, Module};
use super::queries::{Counts, Queries};
use super::raster_state::{RasterState, cull_mode, logic_op, polygon_mode, topology};
use super::{
    Buffer, BufferKind, Dimension, FENCE_LIMIT, Image, JobError, Lavapipe, Texture, shown, vulkan,
};

/// The numbers of the execution models in SPIR-V.
const MODEL_VERTEX: u32 = 0;
const MODEL_TESS_CONTROL: u32 = 1;
const MODEL_TESS_EVAL: u32 = 2;
const MODEL_GEOMETRY: u32 = 3;
const MODEL_FRAGMENT: u32 = 4;

/// The descriptor set of [`VertexData`].
const VERTEX_SET: u32 = 2;

/// A colour attachment, as large as the picture.
#[derive(Debug, Clone)]
pub struct Attachment {
    /// A name such as `rgba32f`, `rgba8` or `b5g6r5`.
    pub format: &'static str,
    /// The contents before the draw call, layer after layer, row after row; the samples of a pixel follow one another.
    pub contents: Vec<u8>,
    /// Whether the draw call writes it.
    pub written: bool,
}

/// A draw call without vertex attributes. Textures that are input attachments must be as large as the picture.
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
    /// The views that the draw call draws: bit `i` is view `i`, which is layer `i` of each attachment. 0 without views: then
    /// attachments have one layer. Pixels then have one sample.
    pub views: u32,
    /// Number of samples of a pixel, 1 or 4. With 4, attachments have the formats `rgba32f`, `rgba32ui`, `d32` or `s8`.
    pub samples: u32,
}

/// The stages between those of a [`RasterJob`], and the vertices that its vertex shader gets.
#[derive(Debug, Clone)]
pub struct RasterInput<'a> {
    /// The tessellation control and evaluation shaders, and the number of control points of a patch.
    pub tessellation: Option<([&'a [u32]; 2], u32)>,
    /// The geometry shader.
    pub geometry: Option<&'a [u32]>,
    /// The vertex attributes.
    pub attributes: Vec<Attribute>,
    /// Instances.
    pub instances: u32,
    /// The first vertex.
    pub first_vertex: u32,
    /// The first instance.
    pub first_instance: u32,
}

impl Default for RasterInput<'_> {
    /// One instance without attributes, and no stages.
    fn default() -> Self {
        RasterInput {
            tessellation: None,
            geometry: None,
            attributes: Vec::new(),
            instances: 1,
            first_vertex: 0,
            first_instance: 0,
        }
    }
}

/// The contents after a draw call.
#[derive(Debug, Clone)]
pub struct Rasterized {
    /// The buffers, in the job's order.
    pub buffers: Vec<Vec<u8>>,
    /// The attachments, in the job's order.
    pub attachments: Vec<Vec<u8>>,
    /// The depth or stencil attachment.
    pub tested: Option<Vec<u8>>,
    /// The counters; 0 if the state does not switch them on.
    pub counts: Counts,
}

/// A vertex after the stages before the rasterizer.
#[derive(Debug, Clone)]
pub struct RasterVertex {
    /// The position in clip coordinates.
    pub position: [f32; 4],
    /// The size of a point in pixels.
    pub point_size: f32,
    /// The value of each varying.
    pub values: Vec<[u32; 4]>,
}

/// Positions and varyings of vertices, and a vertex shader that outputs them.
#[derive(Debug, Clone)]
pub struct VertexData {
    /// The shader in GLSL.
    pub shader: String,
    /// The buffer that it reads.
    pub buffer: Buffer,
    /// The number of vertices.
    pub count: u32,
}

impl VertexData {
    /// Vertices with the values of varyings. Each varying has a location and a
    /// declaration in GLSL such as `flat uvec4` or `noperspective vec2`.
    pub fn new(varyings: &[(u32, &str)], vertices: &[RasterVertex]) -> VertexData {
        let mut shader = String::from("#version 450\n");
        let size = 2 + varyings.len();
        shader += &format!(
            "layout(set = {VERTEX_SET}, binding = 0, std430) readonly buffer V {{ uvec4 data[]; }};\n"
        );
        let mut body = format!(
            "    uint at = uint(gl_VertexIndex) * {size}u;\n    \
             gl_Position = uintBitsToFloat(data[at]);\n    \
             gl_PointSize = uintBitsToFloat(data[at + 1u].x);\n"
        );
        for (number, (location, declaration)) in varyings.iter().enumerate() {
            shader += &format!("layout(location = {location}) out {declaration} v{location};\n");
            let ty = declaration.split(' ').next_back().unwrap_or_default();
            let digits = ty.trim_start_matches(|c: char| !c.is_ascii_digit());
            let components = &"xyzw"[..digits.parse().unwrap_or(1usize).clamp(1, 4)];
            let dwords = format!("data[at + {}u].{components}", number + 2);
            let value = match ty.chars().next() {
                Some('u') => dwords,
                Some('i') => format!("{ty}({dwords})"),
                _ => format!("uintBitsToFloat({dwords})"),
            };
            body += &format!("    v{location} = {value};\n");
        }
        shader += &format!("void main() {{\n{body}}}\n");
        let mut contents = Vec::new();
        for RasterVertex { position, point_size, values } in vertices {
            let first = [position.map(f32::to_bits), [point_size.to_bits(), 0, 0, 0]];
            let all = first.iter().chain(values).flatten();
            contents.extend(all.flat_map(|dword| dword.to_le_bytes()));
        }
        let kind = BufferKind::Storage;
        let buffer = Buffer { set: VERTEX_SET, binding: 0, element: 0, kind, contents };
        VertexData { shader, buffer, count: vertices.len() as u32 }
    }

    /// Like [`new`](Self::new). Each vertex has a layer and the number of a viewport, too.
    pub fn with_targets(
        varyings: &[(u32, &str)],
        vertices: &[(RasterVertex, [u32; 2])],
    ) -> VertexData {
        let all: Vec<RasterVertex> = vertices.iter().map(|(vertex, _)| vertex.clone()).collect();
        let mut data = VertexData::new(varyings, &all);
        data.shader = data.shader.replacen(
            "#version 450\n",
            "#version 450\n#extension GL_ARB_shader_viewport_layer_array : require\n",
            1,
        );
        let point = "    gl_PointSize";
        let targets = "    gl_Layer = int(data[at + 1u].y);\n    \
             gl_ViewportIndex = int(data[at + 1u].z);\n";
        data.shader = data.shader.replacen(point, &format!("{targets}{point}"), 1);
        let size = 16 * (2 + varyings.len());
        for (vertex, (_, targets)) in data.buffer.contents.chunks_exact_mut(size).zip(vertices) {
            for (dword, target) in vertex[20..28].chunks_exact_mut(4).zip(targets) {
                dword.copy_from_slice(&target.to_le_bytes());
            }
        }
        data
    }
}

impl Lavapipe {
    /// Runs a draw call with a fragment shader.
    ///
    /// # Errors
    ///
    /// [`JobError::Interface`] when the job does not give what the modules use, otherwise the Vulkan call that failed.
    pub fn rasterize(&self, job: &RasterJob<'_>) -> Result<Rasterized, JobError> {
        self.rasterize_with(job, &RasterState::default())
    }

    /// Like [`rasterize`](Self::rasterize), with a state of the fixed functions.
    ///
    /// # Errors
    ///
    /// As of [`rasterize`](Self::rasterize).
    pub fn rasterize_with(
        &self,
        job: &RasterJob<'_>,
        state: &RasterState,
    ) -> Result<Rasterized, JobError> {
        self.rasterize_through(job, &RasterInput::default(), state)
    }

    /// Like [`rasterize_with`](Self::rasterize_with), with stages between the job's shaders.
    ///
    /// # Errors
    ///
    /// As of [`rasterize`](Self::rasterize).
    pub fn rasterize_through(
        &self,
        job: &RasterJob<'_>,
        input: &RasterInput<'_>,
        state: &RasterState,
    ) -> Result<Rasterized, JobError> {
        let tessellation = input.tessellation.iter().flat_map(|(stages, _)| stages.iter().copied());
        let shaders = [job.vertex, job.fragment].into_iter().chain(tessellation);
        self.copy_for(shaders.chain(input.geometry))?.rasterize_here(job, input, state)
    }

    /// Runs a draw call with this copy of the driver.
    fn rasterize_here(
        &self,
        job: &RasterJob<'_>,
        input: &RasterInput<'_>,
        state: &RasterState,
    ) -> Result<Rasterized, JobError> {
        let all = &job.buffers;
        interface::check_buffers(all)?;
        if (job.views != 0 || state.layers != 0) && job.samples > 1 {
            return Err(JobError::Interface("several layers with several samples".to_owned()));
        }
        if job.views != 0 && state.layers != 0 {
            return Err(JobError::Interface("layers in a draw call with views".to_owned()));
        }
        for attribute in &input.attributes {
            let vertices = [input.first_vertex, job.vertices];
            check_attribute(attribute, vertices, [input.first_instance, input.instances])?;
        }
        let [control, evaluation] = match input.tessellation {
            Some((stages, _)) => stages.map(Some),
            None => [None; 2],
        };
        let shaders = [
            (vk::ShaderStageFlags::VERTEX, MODEL_VERTEX, Some(job.vertex)),
            (vk::ShaderStageFlags::TESSELLATION_CONTROL, MODEL_TESS_CONTROL, control),
            (vk::ShaderStageFlags::TESSELLATION_EVALUATION, MODEL_TESS_EVAL, evaluation),
            (vk::ShaderStageFlags::GEOMETRY, MODEL_GEOMETRY, input.geometry),
            (vk::ShaderStageFlags::FRAGMENT, MODEL_FRAGMENT, Some(job.fragment)),
        ];
        let mut modules = Vec::new();
        for (flag, model, words) in shaders {
            let Some(words) = words else { continue };
            interface::check_module(words, model, "main", all)?;
            modules.push((flag, Module::new(&self.device, words)?));
        }
        let flags =
            modules.iter().fold(vk::ShaderStageFlags::empty(), |all, (flag, _)| all | *flag);
        let layouts = Layouts::new(&self.device, all, &job.push, flags)?;
        let pass = Pass::new(&self.device, job, state)?;
        let pipeline = RasterPipeline::new(&pass, &layouts, &modules, (job, input), state)?;
        let attributes = (input.attributes.iter())
            .map(|attribute| self.map(&attribute.contents, vk::BufferUsageFlags::VERTEX_BUFFER))
            .collect::<Result<Vec<_>, _>>()?;
        let mut fills = Transfer::to_textures(self, all)?;
        let mut reads = Vec::new();
        let mut buffers = (all.iter())
            .map(|buffer| self.map(&buffer.contents, buffer.kind.usage()))
            .collect::<Result<Vec<_>, _>>()?;
        let mut images = (all.iter().zip(&buffers))
            .map(|(buffer, texels)| BoundImage::new(&self.device, &self.memory, buffer, texels))
            .collect::<Result<Vec<_>, _>>()?;
        let descriptors =
            DescriptorPool::new(&self.device, &layouts, all, &buffers, &shown(&images))?;
        let attachments = (job.attachments.iter())
            .map(|attachment| (attachment.format, &attachment.contents))
            .chain(state.depth.iter().map(|depth| (depth.format, &depth.contents)))
            .chain(state.stencil.iter().map(|stencil| ("s8", &stencil.contents)));
        for (number, (format, contents)) in attachments.enumerate() {
            let shape = shape(job, state, format);
            let image = self.attachment(shape, contents, job.samples)?;
            if job.samples > 1 {
                if number < job.attachments.len() {
                    let place = images.len();
                    fills.push(Transfer::store(self, shape, job.samples, contents, place)?);
                }
                reads.push(Transfer::read(self, shape, job.samples, images.len())?);
            }
            images.push(Some(image));
            let copied = vk::BufferUsageFlags::TRANSFER_SRC | vk::BufferUsageFlags::TRANSFER_DST;
            buffers.push(self.map(contents, copied)?);
        }

        let commands = CommandPool::new(&self.device, self.queue_family)?;
        let (read, written) = images.split_at(job.buffers.len());
        let inputs =
            job.buffers.iter().zip(read).filter(|(buffer, _)| attached_input(buffer).is_some());
        let views: Vec<_> = (written.iter().flatten())
            .chain(inputs.filter_map(|(_, image)| image.as_ref()))
            .map(|image| image.view)
            .collect();
        let target = Target::new(&pass, &views, job.size, state.layers.max(1))?;
        let queries = state.counts.then(|| Queries::new(&self.device)).transpose()?;
        let filling =
            fills.iter().map(|fill| fill.ready(&images)).collect::<Result<Vec<_>, _>>()?;
        let reading =
            reads.iter().map(|read| read.ready(&images)).collect::<Result<Vec<_>, _>>()?;
        // A shader cannot store depths and stencil values, so all samples have the same.
        let tested = written.get(job.attachments.len()).filter(|_| job.samples > 1);
        let cleared = tested.and_then(Option::as_ref).zip(cleared(state));
        let recorded = commands.record_between(&buffers, &images, |commands| {
            let graphics = vk::PipelineBindPoint::GRAPHICS;
            let begin = vk::RenderPassBeginInfo::default()
                .render_pass(pass.handle)
                .framebuffer(target.handle)
                .render_area(area(job));
            // SAFETY: every handle is live and stays so until `submit_and_wait` has returned; the checks above made sure
            // that layouts cover what the shaders use, and the attachments are as large as the area.
            unsafe {
                for fill in &filling {
                    fill.record(commands);
                }
                if let Some((image, value)) = cleared {
                    image.record_clear(commands, value);
                }
                self.device.cmd_bind_pipeline(commands, graphics, pipeline.handle);
                layouts.record(commands, graphics, &descriptors);
                self.barrier(commands);
                if let Some(queries) = &queries {
                    queries.begin(commands);
                }
                self.device.cmd_begin_render_pass(commands, &begin, vk::SubpassContents::INLINE);
                if !attributes.is_empty() {
                    let handles: Vec<_> = attributes.iter().map(MappedBuffer::handle).collect();
                    let offsets = vec![0; handles.len()];
                    self.device.cmd_bind_vertex_buffers(commands, 0, &handles, &offsets);
                }
                self.device.cmd_draw(
                    commands,
                    job.vertices,
                    input.instances,
                    input.first_vertex,
                    input.first_instance,
                );
                self.device.cmd_end_render_pass(commands);
                if let Some(queries) = &queries {
                    queries.end(commands);
                }
                self.barrier(commands);
                for read in &reading {
                    read.record(commands);
                }
            }
        })?;
        // A panic while holding the lock leaves the queue itself intact.
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        commands.submit_and_wait(*queue, recorded, FENCE_LIMIT)?;
        drop(queue);
        let mut contents: Vec<_> = buffers.iter().map(MappedBuffer::read).collect();
        let mut attachments = contents.split_off(job.buffers.len());
        for (attachment, read) in attachments.iter_mut().zip(&reads) {
            *attachment = read.texels();
        }
        let tested = attachments.split_off(job.attachments.len()).pop();
        let counts = queries.map_or(Ok(Counts::default()), |queries| queries.counts())?;
        Ok(Rasterized { buffers: contents, attachments, tested, counts })
    }

    /// Makes an attachment after a check of the size of its contents.
    fn attachment(
        &self,
        shape: Image,
        contents: &[u8],
        samples: u32,
    ) -> Result<BoundImage<'_>, JobError> {
        let expected = shape.bytes(1).and_then(|bytes| bytes.checked_mul(samples as usize));
        if expected != Some(contents.len()) {
            let given = contents.len();
            let message = format!("{given} bytes are no attachment {shape:?}");
            return Err(JobError::Interface(message));
        }
        BoundImage::attachment(&self.device, &self.memory, shape, samples)
    }

    /// Records a barrier: all earlier commands finish, and their writes are visible, before a later command begins.
    ///
    /// # Safety
    ///
    /// The command buffer is being recorded.
    pub(super) unsafe fn barrier(&self, commands: vk::CommandBuffer) {
        let all = vk::PipelineStageFlags::ALL_COMMANDS;
        let memory = [vk::MemoryBarrier::default()
            .src_access_mask(vk::AccessFlags::MEMORY_WRITE)
            .dst_access_mask(vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE)];
        let none = vk::DependencyFlags::empty();
        // SAFETY: as the caller promises.
        unsafe { self.device.cmd_pipeline_barrier(commands, all, all, none, &memory, &[], &[]) };
    }
}

/// The shape of an attachment with a format.
fn shape(job: &RasterJob<'_>, state: &RasterState, format: &'static str) -> Image {
    let layers = (u32::BITS - job.views.leading_zeros()).max(state.layers).max(1);
    let has_layers = job.views != 0 || state.layers != 0;
    let dimension = if has_layers { Dimension::D2Array } else { Dimension::D2 };
    Image { dimension, size: [job.size[0], job.size[1], layers], format }
}

/// The depth or stencil value of all samples before the draw call, which is that of the first one.
fn cleared(state: &RasterState) -> Option<vk::ClearDepthStencilValue> {
    let depth = state.depth.as_ref().and_then(|depth| depth.contents.first_chunk().copied());
    let stencil = state.stencil.as_ref().and_then(|stencil| stencil.contents.first().copied());
    let value = vk::ClearDepthStencilValue {
        depth: depth.map_or(0.0, f32::from_le_bytes),
        stencil: stencil.unwrap_or(0).into(),
    };
    (depth.is_some() || stencil.is_some()).then_some(value)
}

/// The format of attachments with a name.
fn vulkan_format(format: &'static str) -> Result<vk::Format, JobError> {
    Image { dimension: Dimension::D2, size: [1; 3], format }.vulkan_format()
}

/// The whole picture.
fn area(job: &RasterJob<'_>) -> vk::Rect2D {
    vk::Rect2D::default().extent(vk::Extent2D { width: job.size[0], height: job.size[1] })
}

/// The texture of an input attachment; `None` for other buffers.
fn attached_input(buffer: &Buffer) -> Option<Texture> {
    match buffer.kind {
        BufferKind::Texture(texture) if texture.attachment => Some(texture),
        _ => None,
    }
}

/// A render pass of one subpass: the colour attachments, the attachment of a test, then the input attachments.
struct Pass<'d> {
    device: &'d ash::Device,
    handle: vk::RenderPass,
}

impl<'d> Pass<'d> {
    fn new(
        device: &'d ash::Device,
        job: &RasterJob<'_>,
        state: &RasterState,
    ) -> Result<Self, JobError> {
        if state.depth.is_some() && state.stencil.is_some() {
            let message = "a depth test and a stencil test at the same time".to_owned();
            return Err(JobError::Interface(message));
        }
        let general = vk::ImageLayout::GENERAL;
        let colours = job.attachments.iter().map(|attachment| (attachment.format, job.samples));
        let depth = state.depth.iter().map(|depth| (depth.format, job.samples));
        let stencil = state.stencil.iter().map(|_| ("s8", job.samples));
        let inputs = job.buffers.iter().filter_map(attached_input);
        let attached = colours
            .chain(depth.chain(stencil))
            .chain(inputs.map(|texture| (texture.image.format, texture.samples)))
            .map(|(name, samples)| {
                Ok(vk::AttachmentDescription::default()
                    .format(vulkan_format(name)?)
                    .samples(vk::SampleCountFlags::from_raw(samples))
                    .load_op(vk::AttachmentLoadOp::LOAD)
                    .store_op(vk::AttachmentStoreOp::STORE)
                    .stencil_load_op(vk::AttachmentLoadOp::LOAD)
                    .stencil_store_op(vk::AttachmentStoreOp::STORE)
                    .initial_layout(general)
                    .final_layout(general))
            })
            .collect::<Result<Vec<_>, JobError>>()?;
        let refer = |at: usize| vk::AttachmentReference { attachment: at as u32, layout: general };
        let first = job.attachments.len();
        let tested = state.depth.is_some() || state.stencil.is_some();
        let colours: Vec<_> = (0..first).map(refer).collect();
        let test = refer(first);
        let inputs: Vec<_> = (first + usize::from(tested)..attached.len()).map(refer).collect();
        let mut subpass = vk::SubpassDescription::default()
            .pipeline_bind_point(vk::PipelineBindPoint::GRAPHICS)
            .color_attachments(&colours)
            .input_attachments(&inputs);
        if tested {
            subpass = subpass.depth_stencil_attachment(&test);
        }
        let subpass = [subpass];
        let views = [job.views];
        let mut multiview = vk::RenderPassMultiviewCreateInfo::default().view_masks(&views);
        let mut info =
            vk::RenderPassCreateInfo::default().attachments(&attached).subpasses(&subpass);
        if job.views != 0 {
            info = info.push_next(&mut multiview);
        }
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
    fn new(
        pass: &'p Pass<'_>,
        views: &[vk::ImageView],
        size: [u32; 2],
        layers: u32,
    ) -> Result<Self, JobError> {
        let device = pass.device;
        let info = vk::FramebufferCreateInfo::default()
            .render_pass(pass.handle)
            .attachments(views)
            .width(size[0])
            .height(size[1])
            .layers(layers);
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
        modules: &[(vk::ShaderStageFlags, Module<'_>)],
        (job, before): (&RasterJob<'_>, &RasterInput<'_>),
        state: &RasterState,
    ) -> Result<Self, JobError> {
        let device = pass.device;
        let stages: Vec<_> = (modules.iter())
            .map(|(flag, module)| {
                vk::PipelineShaderStageCreateInfo::default()
                    .stage(*flag)
                    .module(module.handle())
                    .name(c"main")
            })
            .collect();
        let blend = (job.attachments.iter().enumerate())
            .map(|(number, attachment)| state.blend(number, attachment.written))
            .collect::<Result<Vec<_>, _>>()?;
        let [width, height] = job.size.map(|size| size as f32);
        let [x, y, width, height, near, far] =
            state.viewport.unwrap_or([0.0, 0.0, width, height, 0.0, 1.0]);
        let first = [x, y, width, height, near, far];
        let more = state.more_viewports.iter().copied();
        let (viewports, scissors): (Vec<_>, Vec<_>) = std::iter::once((first, state.scissor))
            .chain(more)
            .map(|([x, y, width, height, near, far], scissor)| {
                let viewport =
                    vk::Viewport { x, y, width, height, min_depth: near, max_depth: far };
                let scissor = scissor.map_or(area(job), |[x, y, width, height]| vk::Rect2D {
                    offset: vk::Offset2D { x: x.cast_signed(), y: y.cast_signed() },
                    extent: vk::Extent2D { width, height },
                });
                (viewport, scissor)
            })
            .unzip();
        let viewport = vk::PipelineViewportStateCreateInfo::default()
            .viewports(&viewports)
            .scissors(&scissors);
        let (bindings, attributes) = vertex_input(&before.attributes);
        let input = vk::PipelineVertexInputStateCreateInfo::default()
            .vertex_binding_descriptions(&bindings)
            .vertex_attribute_descriptions(&attributes);
        let patch = before.tessellation.map_or(0, |(_, vertices)| vertices);
        let tessellation =
            vk::PipelineTessellationStateCreateInfo::default().patch_control_points(patch);
        let assembly =
            vk::PipelineInputAssemblyStateCreateInfo::default().topology(topology(state.topology)?);
        let raster = vk::PipelineRasterizationStateCreateInfo::default()
            .polygon_mode(polygon_mode(state.polygon_mode)?)
            .line_width(state.line_width)
            .depth_clamp_enable(state.depth_clamp)
            .depth_bias_enable(state.depth_bias.is_some())
            .depth_bias_constant_factor(state.depth_bias.map_or(0.0, |bias| bias[0]))
            .depth_bias_slope_factor(state.depth_bias.map_or(0.0, |bias| bias[1]))
            .depth_bias_clamp(state.depth_bias.map_or(0.0, |bias| bias[2]))
            .cull_mode(cull_mode(state.cull)?)
            .front_face(match state.clockwise_front {
                true => vk::FrontFace::CLOCKWISE,
                false => vk::FrontFace::COUNTER_CLOCKWISE,
            });
        let mask = [state.sample_mask];
        let samples = vk::PipelineMultisampleStateCreateInfo::default()
            .rasterization_samples(vk::SampleCountFlags::from_raw(job.samples))
            .sample_mask(&mask)
            .alpha_to_coverage_enable(state.alpha_to_coverage);
        let mut blending = vk::PipelineColorBlendStateCreateInfo::default()
            .attachments(&blend)
            .blend_constants(state.constants);
        if let Some(op) = state.logic_op {
            blending = blending.logic_op_enable(true).logic_op(logic_op(op)?);
        }
        let tests = state.tests()?;
        let mut info = vk::GraphicsPipelineCreateInfo::default()
            .stages(&stages)
            .vertex_input_state(&input)
            .input_assembly_state(&assembly)
            .viewport_state(&viewport)
            .rasterization_state(&raster)
            .multisample_state(&samples)
            .depth_stencil_state(&tests)
            .color_blend_state(&blending)
            .layout(layouts.layout())
            .render_pass(pass.handle);
        if patch != 0 {
            info = info.tessellation_state(&tessellation);
        }
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
