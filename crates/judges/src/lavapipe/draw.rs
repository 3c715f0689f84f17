//! Draw calls without rasterization. Transform feedback captures the outputs of the last stage.

use ash::vk;

use super::capture::{Capture, with_captures};
use super::images::BoundImage;
use super::interface;
use super::multisample::Transfer;
use super::objects::{CommandPool, DescriptorPool, Layouts, MappedBuffer, Module};
use super::{Buffer, FENCE_LIMIT, JobError, Lavapipe, PlacedAddress, after, shown, vulkan};
use std::sync::PoisonError;

/// The most bytes of captured vertices per stream.
const MAX_CAPTURED: usize = 4 << 20;

/// A stage before the rasterizer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names are Vulkan's")]
pub enum VertexStage {
    Vertex,
    TessControl,
    TessEval,
    Geometry,
}

impl VertexStage {
    fn flag(self) -> vk::ShaderStageFlags {
        match self {
            VertexStage::Vertex => vk::ShaderStageFlags::VERTEX,
            VertexStage::TessControl => vk::ShaderStageFlags::TESSELLATION_CONTROL,
            VertexStage::TessEval => vk::ShaderStageFlags::TESSELLATION_EVALUATION,
            VertexStage::Geometry => vk::ShaderStageFlags::GEOMETRY,
        }
    }

    /// The number of the execution model in SPIR-V.
    fn model(self) -> u32 {
        self as u32
    }
}

/// The primitives that vertices form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are Vulkan's")]
pub enum Topology {
    Points,
    Lines,
    LinesAdjacency,
    Triangles,
    TrianglesAdjacency,
    /// Patches with this many control points.
    Patches(u32),
}

/// The type of an attribute's components in memory and in the shader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the types")]
pub enum AttributeType {
    F32,
    I32,
    U32,
    F64,
    /// A whole format with its name in the manuals of the hardware, such as `R10G10B10A2_SSCALED`; then the attribute has
    /// one component.
    Named(&'static str),
}

/// A vertex attribute in a separate buffer, tightly packed.
#[derive(Debug, Clone)]
pub struct Attribute {
    /// The location.
    pub location: u32,
    /// The type of a component.
    pub ty: AttributeType,
    /// Components, 1 to 4.
    pub components: u32,
    /// Whether there is one element per instance, not per vertex.
    pub per_instance: bool,
    /// The buffer.
    pub contents: Vec<u8>,
}

impl Attribute {
    /// Bytes from element to element.
    pub fn stride(&self) -> u32 {
        self.components
            * match self.ty {
                AttributeType::F64 => 8,
                AttributeType::Named(name) => vertex_format(name).map_or(0, |(_, bytes)| bytes),
                _ => 4,
            }
    }

    /// The Vulkan format of the attribute.
    fn format(&self) -> vk::Format {
        use vk::Format as F;
        if let AttributeType::Named(name) = self.ty {
            return vertex_format(name).map_or(F::UNDEFINED, |(format, _)| format);
        }
        let formats = match self.ty {
            AttributeType::F32 => {
                [F::R32_SFLOAT, F::R32G32_SFLOAT, F::R32G32B32_SFLOAT, F::R32G32B32A32_SFLOAT]
            }
            AttributeType::I32 => {
                [F::R32_SINT, F::R32G32_SINT, F::R32G32B32_SINT, F::R32G32B32A32_SINT]
            }
            AttributeType::U32 => {
                [F::R32_UINT, F::R32G32_UINT, F::R32G32B32_UINT, F::R32G32B32A32_UINT]
            }
            AttributeType::F64 => {
                [F::R64_SFLOAT, F::R64G64_SFLOAT, F::R64G64B64_SFLOAT, F::R64G64B64A64_SFLOAT]
            }
            AttributeType::Named(_) => [F::UNDEFINED; 4],
        };
        formats[(self.components as usize).clamp(1, 4) - 1]
    }
}

/// The first format of each group of Vulkan, with its channels as the manuals of the hardware write them, its bytes, and
/// the kinds of its formats in order.
const GROUPS: &[(&str, vk::Format, u32, &[&str])] = &[
    ("R8", vk::Format::R8_UNORM, 1, SMALL),
    ("R8G8", vk::Format::R8G8_UNORM, 2, SMALL),
    ("R8G8B8", vk::Format::R8G8B8_UNORM, 3, SMALL),
    ("R8G8B8A8", vk::Format::R8G8B8A8_UNORM, 4, SMALL),
    ("B8G8R8A8", vk::Format::B8G8R8A8_UNORM, 4, SMALL),
    ("B10G10R10A2", vk::Format::A2R10G10B10_UNORM_PACK32, 4, SMALL),
    ("R10G10B10A2", vk::Format::A2B10G10R10_UNORM_PACK32, 4, SMALL),
    ("R16", vk::Format::R16_UNORM, 2, SMALL),
    ("R16G16", vk::Format::R16G16_UNORM, 4, SMALL),
    ("R16G16B16", vk::Format::R16G16B16_UNORM, 6, SMALL),
    ("R16G16B16A16", vk::Format::R16G16B16A16_UNORM, 8, SMALL),
    ("R32", vk::Format::R32_UINT, 4, LARGE),
    ("R32G32", vk::Format::R32G32_UINT, 8, LARGE),
    ("R32G32B32", vk::Format::R32G32B32_UINT, 12, LARGE),
    ("R32G32B32A32", vk::Format::R32G32B32A32_UINT, 16, LARGE),
    ("R11G11B10", vk::Format::B10G11R11_UFLOAT_PACK32, 4, &["FLOAT"]),
];
/// The kinds of formats with channels of up to 16 bits; the last one is for 16 bits only.
const SMALL: &[&str] = &["UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT", "FLOAT"];
/// The kinds of formats with channels of 32 bits.
const LARGE: &[&str] = &["UINT", "SINT", "FLOAT"];

/// Vulkan's format with a name of the manuals, and its bytes.
fn vertex_format(name: &str) -> Option<(vk::Format, u32)> {
    let (channels, kind) = name.split_once('_')?;
    let &(_, first, bytes, kinds) = GROUPS.iter().find(|(own, ..)| *own == channels)?;
    let place = kinds.iter().position(|own| *own == kind)?;
    if kind == "FLOAT" && kinds.len() == SMALL.len() && !channels.starts_with("R16") {
        return None;
    }
    Some((vk::Format::from_raw(first.as_raw() + place as i32), bytes))
}

impl AttributeType {
    /// The type of a format of the manuals; `None` if Vulkan has no such format.
    pub fn named(name: &'static str) -> Option<AttributeType> {
        vertex_format(name).map(|_| AttributeType::Named(name))
    }
}

/// A draw call whose last stage's outputs are captured.
#[derive(Debug, Clone)]
pub struct DrawJob<'a> {
    /// The stages with their modules. The entry points are named `main`.
    pub stages: Vec<(VertexStage, &'a [u32])>,
    /// The vertex attributes.
    pub attributes: Vec<Attribute>,
    /// The primitives that vertices form.
    pub topology: Topology,
    /// Vertices of an instance.
    pub vertices: u32,
    /// Instances.
    pub instances: u32,
    /// The first vertex.
    pub first_vertex: u32,
    /// The first instance.
    pub first_instance: u32,
    /// Push constant bytes, from offset 0.
    pub push: Vec<u8>,
    /// The buffers.
    pub buffers: Vec<Buffer>,
    /// Addresses of storage buffers to place in the push constants and in buffers.
    pub addresses: Vec<PlacedAddress>,
    /// The outputs to capture for each vertex, per stream. Vulkan allows none if there are views.
    pub captures: Vec<Vec<Capture>>,
    /// Number of buffers that the last stage's own decorations capture outputs to; then `captures` is empty.
    pub feedback: usize,
    /// Number of equal draw calls of one command, numbered from 0.
    pub draws: u32,
    /// The views that the draw call draws: bit `i` is view `i`; 0 without views.
    pub views: u32,
}

/// The results of a draw call.
#[derive(Debug, Clone)]
pub struct Drawn {
    /// The buffers, in the job's order.
    pub buffers: Vec<Vec<u8>>,
    /// The captured vertices of each stream, or the contents of each feedback buffer, one primitive after the other.
    pub streams: Vec<Vec<u8>>,
}

impl Lavapipe {
    /// Runs a draw call. Rasterization is switched off.
    ///
    /// # Errors
    ///
    /// [`JobError::Interface`] when the job does not provide what the modules use, or captures outputs that do not
    /// exist; otherwise the Vulkan call that failed.
    pub fn draw(&self, job: &DrawJob<'_>) -> Result<Drawn, JobError> {
        self.copy_for(job.stages.iter().map(|(_, spirv)| *spirv))?.draw_here(job)
    }

    /// Runs a draw call with this copy of the driver.
    fn draw_here(&self, job: &DrawJob<'_>) -> Result<Drawn, JobError> {
        let count = job.feedback.max(job.captures.len());
        if job.views != 0 && count > 0 {
            return Err(JobError::Interface("captures of a draw call with views".to_owned()));
        }
        let last = job.stages.iter().map(|(stage, _)| *stage).max();
        let mut modules = Vec::new();
        let mut stages = vk::ShaderStageFlags::empty();
        for &(stage, spirv) in &job.stages {
            interface::check_module(spirv, stage.model(), "main", &job.buffers)?;
            let captured;
            let mut words = spirv;
            if Some(stage) == last && !job.captures.is_empty() {
                captured = with_captures(spirv, &job.captures)?;
                words = &captured;
            }
            modules.push((stage, Module::new(&self.device, words)?));
            stages |= stage.flag();
        }
        interface::check_buffers(&job.buffers)?;
        for attribute in &job.attributes {
            check_attribute(
                attribute,
                [job.first_vertex, job.vertices],
                [job.first_instance, job.instances],
            )?;
        }
        let mut push = job.push.clone();
        let (buffers, placed) = self.map_all(&job.buffers, &job.addresses, &mut push)?;
        let layouts = Layouts::new(&self.device, &job.buffers, &push, stages)?;
        let pipeline = DrawPipeline::new(&self.device, &layouts, &modules, job)?;
        let images = (job.buffers.iter().zip(&buffers))
            .map(|(buffer, texels)| BoundImage::new(&self.device, &self.memory, buffer, texels))
            .collect::<Result<Vec<_>, _>>()?;
        let descriptors =
            DescriptorPool::new(&self.device, &layouts, &job.buffers, &buffers, &shown(&images))?;
        let attributes = (job.attributes.iter())
            .map(|attribute| self.map(&attribute.contents, vk::BufferUsageFlags::VERTEX_BUFFER))
            .collect::<Result<Vec<_>, _>>()?;
        let feedback = vk::BufferUsageFlags::TRANSFORM_FEEDBACK_BUFFER_EXT;
        let streams = (0..count)
            .map(|_| self.map(&vec![0; MAX_CAPTURED], feedback))
            .collect::<Result<Vec<_>, _>>()?;
        let counters = vk::BufferUsageFlags::TRANSFORM_FEEDBACK_COUNTER_BUFFER_EXT;
        let counters = self.map(&vec![0; 4 * count.max(1)], counters)?;

        let words = [job.vertices, job.instances, job.first_vertex, job.first_instance];
        let one: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let parameters =
            self.map(&one.repeat(job.draws as usize), vk::BufferUsageFlags::INDIRECT_BUFFER)?;

        let fills = Transfer::to_textures(self, &job.buffers)?;
        let filling =
            fills.iter().map(|fill| fill.ready(&images)).collect::<Result<Vec<_>, _>>()?;
        let commands = CommandPool::new(&self.device, self.queue_family)?;
        let recorded = commands.record_between(&buffers, &images, |commands| {
            let graphics = vk::PipelineBindPoint::GRAPHICS;
            let area = vk::Rect2D::default().extent(vk::Extent2D { width: 1, height: 1 });
            let rendering =
                vk::RenderingInfo::default().render_area(area).layer_count(1).view_mask(job.views);
            let handles: Vec<_> = attributes.iter().map(MappedBuffer::handle).collect();
            // SAFETY: every handle is live and stays so until `submit_and_wait` has returned;
            // the checks above made sure that layouts and attributes cover what the shaders use.
            unsafe {
                for fill in &filling {
                    fill.record(commands);
                }
                if !filling.is_empty() {
                    self.barrier(commands);
                }
                self.device.cmd_bind_pipeline(commands, graphics, pipeline.handle);
                layouts.record(commands, graphics, &descriptors);
                if !handles.is_empty() {
                    let offsets = vec![0; handles.len()];
                    self.device.cmd_bind_vertex_buffers(commands, 0, &handles, &offsets);
                }
                self.device.cmd_begin_rendering(commands, &rendering);
                self.record_feedback(commands, &streams, &counters, |device| {
                    if job.draws == 1 {
                        let [vertices, instances, first, first_instance] = words;
                        device.cmd_draw(commands, vertices, instances, first, first_instance);
                    } else {
                        let (buffer, size) = (parameters.handle(), one.len() as u32);
                        device.cmd_draw_indirect(commands, buffer, 0, job.draws, size);
                    }
                });
                self.device.cmd_end_rendering(commands);
            }
        })?;
        // A panic while holding the lock leaves the queue itself intact.
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        commands.submit_and_wait(*queue, recorded, FENCE_LIMIT)?;
        drop(queue);
        let lengths = counters.read();
        let lengths = lengths.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes));
        Ok(Drawn {
            buffers: after(&job.buffers, &buffers, &placed),
            streams: (streams.iter().zip(lengths))
                .map(|(stream, length)| {
                    let mut bytes = stream.read();
                    bytes.truncate(length as usize);
                    bytes
                })
                .collect(),
        })
    }

    /// Records `work` with transform feedback of each stream around it, and a query of the bytes captured per stream.
    ///
    /// # Safety
    ///
    /// The command buffer is being recorded, and the buffers outlive its execution.
    unsafe fn record_feedback(
        &self,
        commands: vk::CommandBuffer,
        streams: &[MappedBuffer<'_>],
        counters: &MappedBuffer<'_>,
        work: impl FnOnce(&ash::Device),
    ) {
        let count = streams.len() as u32;
        let buffers: Vec<_> = streams.iter().map(MappedBuffer::handle).collect();
        let offsets = vec![0; streams.len()];
        let sizes = vec![MAX_CAPTURED as vk::DeviceSize; streams.len()];
        let counter_buffers = vec![counters.handle(); streams.len()];
        let counter_offsets: Vec<vk::DeviceSize> = (0..u64::from(count)).map(|i| 4 * i).collect();
        let feedback = self.transform_feedback.fp();
        // SAFETY: the arrays have `count` entries and live through the calls; the caller promises the rest.
        unsafe {
            if count != 0 {
                (feedback.cmd_bind_transform_feedback_buffers_ext)(
                    commands,
                    0,
                    count,
                    buffers.as_ptr(),
                    offsets.as_ptr(),
                    sizes.as_ptr(),
                );
                (feedback.cmd_begin_transform_feedback_ext)(
                    commands,
                    0,
                    0,
                    std::ptr::null(),
                    std::ptr::null(),
                );
            }
            work(&self.device);
            if count != 0 {
                (feedback.cmd_end_transform_feedback_ext)(
                    commands,
                    0,
                    count,
                    counter_buffers.as_ptr(),
                    counter_offsets.as_ptr(),
                );
            }
        }
    }
}

/// Checks that an attribute has an element for each vertex or instance; of both, the first and the count are given.
pub(super) fn check_attribute(
    attribute: &Attribute,
    vertices: [u32; 2],
    instances: [u32; 2],
) -> Result<(), JobError> {
    let [first, count] = if attribute.per_instance { instances } else { vertices };
    let needed = u64::from(attribute.stride()) * (u64::from(first) + u64::from(count));
    if !(1..=4).contains(&attribute.components) || (attribute.contents.len() as u64) < needed {
        return Err(JobError::Interface(format!(
            "attribute {} has {} bytes of {} components: expected 1 to 4 components and {needed} bytes",
            attribute.location,
            attribute.contents.len(),
            attribute.components,
        )));
    }
    Ok(())
}

/// The descriptions of vertex attributes, each in a binding of its own.
pub(super) fn vertex_input(
    attributes: &[Attribute],
) -> (Vec<vk::VertexInputBindingDescription>, Vec<vk::VertexInputAttributeDescription>) {
    let describe = |(binding, attribute): (u32, &Attribute)| {
        let rate = match attribute.per_instance {
            true => vk::VertexInputRate::INSTANCE,
            false => vk::VertexInputRate::VERTEX,
        };
        let in_binding = vk::VertexInputBindingDescription::default()
            .binding(binding)
            .stride(attribute.stride())
            .input_rate(rate);
        let at_location = vk::VertexInputAttributeDescription::default()
            .binding(binding)
            .location(attribute.location)
            .format(attribute.format());
        (in_binding, at_location)
    };
    (0..).zip(attributes).map(describe).unzip()
}

/// A graphics pipeline without rasterization.
struct DrawPipeline<'d> {
    device: &'d ash::Device,
    handle: vk::Pipeline,
}

impl<'d> DrawPipeline<'d> {
    fn new(
        device: &'d ash::Device,
        layouts: &Layouts<'_>,
        modules: &[(VertexStage, Module<'_>)],
        job: &DrawJob<'_>,
    ) -> Result<Self, JobError> {
        let stages: Vec<_> = modules
            .iter()
            .map(|(stage, module)| {
                vk::PipelineShaderStageCreateInfo::default()
                    .stage(stage.flag())
                    .module(module.handle())
                    .name(c"main")
            })
            .collect();
        let (bindings, attributes) = vertex_input(&job.attributes);
        let input = vk::PipelineVertexInputStateCreateInfo::default()
            .vertex_binding_descriptions(&bindings)
            .vertex_attribute_descriptions(&attributes);
        let (topology, patch) = match job.topology {
            Topology::Points => (vk::PrimitiveTopology::POINT_LIST, 0),
            Topology::Lines => (vk::PrimitiveTopology::LINE_LIST, 0),
            Topology::LinesAdjacency => (vk::PrimitiveTopology::LINE_LIST_WITH_ADJACENCY, 0),
            Topology::Triangles => (vk::PrimitiveTopology::TRIANGLE_LIST, 0),
            Topology::TrianglesAdjacency => {
                (vk::PrimitiveTopology::TRIANGLE_LIST_WITH_ADJACENCY, 0)
            }
            Topology::Patches(vertices) => (vk::PrimitiveTopology::PATCH_LIST, vertices),
        };
        let assembly = vk::PipelineInputAssemblyStateCreateInfo::default().topology(topology);
        let tessellation =
            vk::PipelineTessellationStateCreateInfo::default().patch_control_points(patch);
        let raster = vk::PipelineRasterizationStateCreateInfo::default()
            .rasterizer_discard_enable(true)
            .line_width(1.0);
        let mut rendering = vk::PipelineRenderingCreateInfo::default().view_mask(job.views);
        let mut info = vk::GraphicsPipelineCreateInfo::default()
            .stages(&stages)
            .vertex_input_state(&input)
            .input_assembly_state(&assembly)
            .rasterization_state(&raster)
            .layout(layouts.layout())
            .push_next(&mut rendering);
        if patch != 0 {
            info = info.tessellation_state(&tessellation);
        }
        // SAFETY: all that `info` points to lives through the call.
        let made =
            unsafe { device.create_graphics_pipelines(vk::PipelineCache::null(), &[info], None) };
        let handles = made.map_err(|(_, result)| vulkan("vkCreateGraphicsPipelines")(result))?;
        Ok(DrawPipeline { device, handle: handles[0] })
    }
}

impl Drop for DrawPipeline<'_> {
    fn drop(&mut self) {
        // SAFETY: made from this device; every submission that used it has been waited for.
        unsafe { self.device.destroy_pipeline(self.handle, None) };
    }
}
