//! Pipelines of a session.

use std::collections::BTreeMap;

use ash::vk;

use super::super::interface;
use super::super::objects::Module as Loaded;
use super::super::{JobError, entry_name, vulkan};
use super::Session;

/// A shader.
#[derive(Debug, Clone)]
pub struct Module<'a> {
    /// Its stage.
    pub stage: vk::ShaderStageFlags,
    /// Its words.
    pub spirv: &'a [u32],
    /// Its entry point.
    pub entry: &'a str,
    /// Specialization constants: ids and bytes of values.
    pub specialization: Vec<(u32, Vec<u8>)>,
}

/// A descriptor of a layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot {
    /// The set.
    pub set: u32,
    /// The binding.
    pub binding: u32,
    /// The type.
    pub ty: vk::DescriptorType,
    /// The number of elements.
    pub count: u32,
}

/// A graphics pipeline.
#[derive(Debug, Clone)]
pub struct Graphics<'a> {
    /// The shaders.
    pub modules: Vec<Module<'a>>,
    /// The descriptors.
    pub slots: Vec<Slot>,
    /// Bytes of push constants.
    pub push: u32,
    /// Vertex buffers.
    pub bindings: Vec<vk::VertexInputBindingDescription>,
    /// Vertex attributes.
    pub attributes: Vec<vk::VertexInputAttributeDescription>,
    /// The primitives.
    pub topology: vk::PrimitiveTopology,
    /// Whether the largest index restarts a primitive.
    pub restart: bool,
    /// Control points of a patch.
    pub patch: u32,
    /// The viewport.
    pub viewport: vk::Viewport,
    /// Width and height of the framebuffer.
    pub size: [u32; 2],
    /// The rasterizer.
    pub raster: vk::PipelineRasterizationStateCreateInfo<'static>,
    /// Samples of a pixel.
    pub samples: u32,
    /// The depth and stencil tests.
    pub tests: vk::PipelineDepthStencilStateCreateInfo<'static>,
    /// Blending of each colour attachment.
    pub blends: Vec<vk::PipelineColorBlendAttachmentState>,
    /// The constant colour of blending.
    pub constants: [f32; 4],
    /// The logical operation.
    pub logic_op: Option<vk::LogicOp>,
    /// The formats of the colour attachments; `UNDEFINED` for gaps.
    pub colours: Vec<vk::Format>,
    /// The format of the depth and stencil attachment; `UNDEFINED` without one.
    pub depth: vk::Format,
    /// The format of the attachment, if it has stencil values.
    pub stencil: vk::Format,
}

/// A pipeline with its layouts.
pub(super) struct Made {
    pub(super) point: vk::PipelineBindPoint,
    pub(super) handle: vk::Pipeline,
    pub(super) layout: vk::PipelineLayout,
    pub(super) sets: Vec<vk::DescriptorSetLayout>,
    pub(super) slots: Vec<Slot>,
    pub(super) stages: vk::ShaderStageFlags,
    /// Bytes of push constants.
    pub(super) push: u32,
}

impl Made {
    /// Destroys the objects.
    ///
    /// # Safety
    /// They were made from the device, and are not in use.
    pub(super) unsafe fn destroy(&self, device: &ash::Device) {
        // SAFETY: as the caller promises; null handles are allowed.
        unsafe {
            device.destroy_pipeline(self.handle, None);
            device.destroy_pipeline_layout(self.layout, None);
            for &set in &self.sets {
                device.destroy_descriptor_set_layout(set, None);
            }
        }
    }
}

/// The number of a stage in SPIR-V.
fn model(stage: vk::ShaderStageFlags) -> u32 {
    match stage {
        vk::ShaderStageFlags::VERTEX => 0,
        vk::ShaderStageFlags::TESSELLATION_CONTROL => 1,
        vk::ShaderStageFlags::TESSELLATION_EVALUATION => 2,
        vk::ShaderStageFlags::GEOMETRY => 3,
        vk::ShaderStageFlags::FRAGMENT => 4,
        _ => 5,
    }
}

/// The entries and the bytes of specialization constants.
fn specialization(module: &Module<'_>) -> (Vec<vk::SpecializationMapEntry>, Vec<u8>) {
    let mut data = Vec::new();
    let mut entries = Vec::new();
    for (id, value) in &module.specialization {
        entries.push(vk::SpecializationMapEntry {
            constant_id: *id,
            offset: data.len() as u32,
            size: value.len(),
        });
        data.extend(value);
    }
    (entries, data)
}

impl Session {
    /// Makes the layouts of a pipeline.
    fn layouts(
        &mut self,
        point: vk::PipelineBindPoint,
        modules: &[Module<'_>],
        slots: &[Slot],
        push: u32,
    ) -> Result<usize, JobError> {
        for module in modules {
            interface::check_descriptors(
                module.spirv,
                model(module.stage),
                module.entry,
                |place| slots.iter().any(|slot| (slot.set, slot.binding) == place),
            )?;
        }
        let device = self.device();
        let stages =
            modules.iter().fold(vk::ShaderStageFlags::empty(), |all, module| all | module.stage);
        let number = self.pipelines.len();
        self.pipelines.push(Made {
            point,
            handle: vk::Pipeline::null(),
            layout: vk::PipelineLayout::null(),
            sets: Vec::new(),
            slots: slots.to_vec(),
            stages,
            push,
        });
        let made = &mut self.pipelines[number];
        let count = slots.iter().map(|slot| slot.set + 1).max().unwrap_or(0);
        for set in 0..count {
            let own = slots.iter().filter(|slot| slot.set == set);
            let bindings: BTreeMap<u32, vk::DescriptorSetLayoutBinding<'_>> = own
                .map(|slot| {
                    let binding = vk::DescriptorSetLayoutBinding::default()
                        .binding(slot.binding)
                        .descriptor_type(slot.ty)
                        .descriptor_count(slot.count)
                        .stage_flags(stages);
                    (slot.binding, binding)
                })
                .collect();
            let bindings: Vec<_> = bindings.into_values().collect();
            let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
            // SAFETY: `bindings` lives through the call.
            let layout = unsafe { device.create_descriptor_set_layout(&info, None) }
                .map_err(vulkan("vkCreateDescriptorSetLayout"))?;
            made.sets.push(layout);
        }
        let range = [vk::PushConstantRange::default().stage_flags(stages).size(push)];
        let ranges = if push == 0 { &[][..] } else { &range[..] };
        let info = vk::PipelineLayoutCreateInfo::default()
            .set_layouts(&made.sets)
            .push_constant_ranges(ranges);
        // SAFETY: the slices live through the call, the set layouts are live.
        made.layout = unsafe { device.create_pipeline_layout(&info, None) }
            .map_err(vulkan("vkCreatePipelineLayout"))?;
        Ok(number)
    }

    /// Makes a compute pipeline.
    ///
    /// # Errors
    /// If the shader uses a descriptor that is not among `slots`, otherwise the Vulkan call that failed.
    pub fn compute(
        &mut self,
        module: &Module<'_>,
        slots: &[Slot],
        push: u32,
    ) -> Result<usize, JobError> {
        let point = vk::PipelineBindPoint::COMPUTE;
        let number = self.layouts(point, std::slice::from_ref(module), slots, push)?;
        let device = self.device();
        let loaded = Loaded::new(device, &interface::without_unrolling(module.spirv))?;
        let entry = entry_name(module.entry)?;
        let (entries, data) = specialization(module);
        let constants = vk::SpecializationInfo::default().map_entries(&entries).data(&data);
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(loaded.handle())
            .name(&entry)
            .specialization_info(&constants);
        let info = [vk::ComputePipelineCreateInfo::default()
            .stage(stage)
            .layout(self.pipelines[number].layout)];
        // SAFETY: all that `info` points to lives through the call.
        let made =
            unsafe { device.create_compute_pipelines(vk::PipelineCache::null(), &info, None) };
        let handles = made.map_err(|(_, result)| vulkan("vkCreateComputePipelines")(result))?;
        self.pipelines[number].handle = handles[0];
        Ok(number)
    }

    /// Makes a graphics pipeline.
    ///
    /// # Errors
    /// If a shader uses a descriptor that is not among `slots`, otherwise the Vulkan call that failed.
    pub fn graphics(&mut self, graphics: &Graphics<'_>) -> Result<usize, JobError> {
        let (point, modules) = (vk::PipelineBindPoint::GRAPHICS, &graphics.modules);
        let number = self.layouts(point, modules, &graphics.slots, graphics.push)?;
        let device = self.device();
        let mut loaded = Vec::new();
        let mut names = Vec::new();
        for module in modules {
            loaded.push(Loaded::new(device, module.spirv)?);
            names.push(entry_name(module.entry)?);
        }
        let data: Vec<_> = modules.iter().map(specialization).collect();
        let constants: Vec<_> = (data.iter())
            .map(|(entries, data)| {
                vk::SpecializationInfo::default().map_entries(entries).data(data)
            })
            .collect();
        let stages: Vec<_> = (0..modules.len())
            .map(|i| {
                vk::PipelineShaderStageCreateInfo::default()
                    .stage(modules[i].stage)
                    .module(loaded[i].handle())
                    .name(&names[i])
                    .specialization_info(&constants[i])
            })
            .collect();
        let input = vk::PipelineVertexInputStateCreateInfo::default()
            .vertex_binding_descriptions(&graphics.bindings)
            .vertex_attribute_descriptions(&graphics.attributes);
        let assembly = vk::PipelineInputAssemblyStateCreateInfo::default()
            .topology(graphics.topology)
            .primitive_restart_enable(graphics.restart);
        let tessellation =
            vk::PipelineTessellationStateCreateInfo::default().patch_control_points(graphics.patch);
        let viewports = [graphics.viewport];
        let [width, height] = graphics.size;
        let scissors = [vk::Rect2D::default().extent(vk::Extent2D { width, height })];
        let viewport = vk::PipelineViewportStateCreateInfo::default()
            .viewports(&viewports)
            .scissors(&scissors);
        let samples = vk::PipelineMultisampleStateCreateInfo::default()
            .rasterization_samples(vk::SampleCountFlags::from_raw(graphics.samples));
        let mut blending = vk::PipelineColorBlendStateCreateInfo::default()
            .attachments(&graphics.blends)
            .blend_constants(graphics.constants);
        if let Some(op) = graphics.logic_op {
            blending = blending.logic_op_enable(true).logic_op(op);
        }
        let mut formats = vk::PipelineRenderingCreateInfo::default()
            .color_attachment_formats(&graphics.colours)
            .depth_attachment_format(graphics.depth)
            .stencil_attachment_format(graphics.stencil);
        let info = [vk::GraphicsPipelineCreateInfo::default()
            .stages(&stages)
            .vertex_input_state(&input)
            .input_assembly_state(&assembly)
            .tessellation_state(&tessellation)
            .viewport_state(&viewport)
            .rasterization_state(&graphics.raster)
            .multisample_state(&samples)
            .depth_stencil_state(&graphics.tests)
            .color_blend_state(&blending)
            .layout(self.pipelines[number].layout)
            .push_next(&mut formats)];
        // SAFETY: all that `info` points to lives through the call.
        let made =
            unsafe { device.create_graphics_pipelines(vk::PipelineCache::null(), &info, None) };
        let handles = made.map_err(|(_, result)| vulkan("vkCreateGraphicsPipelines")(result))?;
        self.pipelines[number].handle = handles[0];
        Ok(number)
    }
}
