//! The state of a script's pipeline in Vulkan's terms.

use crestline_amber::format::Format;
use crestline_amber::script::{
    CullMode, Descriptor, FrontFace, Pipeline, Sampler, Stage, Topology,
};
use crestline_emu::StencilTest;
use crestline_judges::lavapipe::JobError;
use crestline_judges::lavapipe::session::{self, vk};

/// Vulkan's format with the name of a format; `None` if it has none.
pub(super) fn vulkan_format(format: &Format) -> Option<vk::Format> {
    // The simple formats of Vulkan 1.0 have the numbers 1 to 130.
    let mut formats = (1..=130).map(vk::Format::from_raw);
    formats.find(|vulkan| format!("{vulkan:?}") == format.name)
}

pub(super) fn stage(stage: Stage) -> vk::ShaderStageFlags {
    match stage {
        Stage::Vertex => vk::ShaderStageFlags::VERTEX,
        Stage::TessControl => vk::ShaderStageFlags::TESSELLATION_CONTROL,
        Stage::TessEval => vk::ShaderStageFlags::TESSELLATION_EVALUATION,
        Stage::Geometry => vk::ShaderStageFlags::GEOMETRY,
        Stage::Fragment => vk::ShaderStageFlags::FRAGMENT,
        Stage::Compute | Stage::Multi => vk::ShaderStageFlags::COMPUTE,
    }
}

pub(super) fn descriptor(kind: Descriptor) -> vk::DescriptorType {
    match kind {
        Descriptor::Uniform => vk::DescriptorType::UNIFORM_BUFFER,
        Descriptor::Storage => vk::DescriptorType::STORAGE_BUFFER,
        Descriptor::UniformTexel => vk::DescriptorType::UNIFORM_TEXEL_BUFFER,
        Descriptor::StorageTexel => vk::DescriptorType::STORAGE_TEXEL_BUFFER,
        Descriptor::StorageImage => vk::DescriptorType::STORAGE_IMAGE,
        Descriptor::SampledImage => vk::DescriptorType::SAMPLED_IMAGE,
        Descriptor::Combined => vk::DescriptorType::COMBINED_IMAGE_SAMPLER,
        Descriptor::Sampler => vk::DescriptorType::SAMPLER,
    }
}

pub(super) fn topology(topology: Topology) -> vk::PrimitiveTopology {
    match topology {
        Topology::PointList => vk::PrimitiveTopology::POINT_LIST,
        Topology::LineList => vk::PrimitiveTopology::LINE_LIST,
        Topology::LineListAdjacency => vk::PrimitiveTopology::LINE_LIST_WITH_ADJACENCY,
        Topology::LineStrip => vk::PrimitiveTopology::LINE_STRIP,
        Topology::LineStripAdjacency => vk::PrimitiveTopology::LINE_STRIP_WITH_ADJACENCY,
        Topology::TriangleList => vk::PrimitiveTopology::TRIANGLE_LIST,
        Topology::TriangleListAdjacency => vk::PrimitiveTopology::TRIANGLE_LIST_WITH_ADJACENCY,
        Topology::TriangleStrip => vk::PrimitiveTopology::TRIANGLE_STRIP,
        Topology::TriangleStripAdjacency => vk::PrimitiveTopology::TRIANGLE_STRIP_WITH_ADJACENCY,
        Topology::TriangleFan => vk::PrimitiveTopology::TRIANGLE_FAN,
        Topology::PatchList => vk::PrimitiveTopology::PATCH_LIST,
    }
}

fn stencil(test: &StencilTest) -> Result<vk::StencilOpState, JobError> {
    Ok(vk::StencilOpState {
        fail_op: session::stencil_op(test.fail.word())?,
        pass_op: session::stencil_op(test.pass.word())?,
        depth_fail_op: session::stencil_op(test.depth_fail.word())?,
        compare_op: session::compare_op(test.compare),
        compare_mask: test.read_mask.into(),
        write_mask: test.write_mask.into(),
        reference: test.reference.into(),
    })
}

/// The depth and stencil tests.
pub(super) fn tests(
    pipeline: &Pipeline,
) -> Result<vk::PipelineDepthStencilStateCreateInfo<'static>, JobError> {
    let depth = &pipeline.depth;
    let mut info = vk::PipelineDepthStencilStateCreateInfo::default()
        .depth_test_enable(depth.test)
        .depth_write_enable(depth.write)
        .depth_compare_op(session::compare_op(depth.compare));
    if let Some([front, back]) = &pipeline.stencil {
        info = info.stencil_test_enable(true).front(stencil(front)?).back(stencil(back)?);
    }
    Ok(info)
}

/// The rasterizer; nothing is rasterized if `discards`.
pub(super) fn raster(
    pipeline: &Pipeline,
    discards: bool,
) -> Result<vk::PipelineRasterizationStateCreateInfo<'static>, JobError> {
    let mut info = vk::PipelineRasterizationStateCreateInfo::default()
        .depth_clamp_enable(pipeline.depth.clamp)
        .rasterizer_discard_enable(discards)
        .polygon_mode(session::polygon_mode(pipeline.polygon.word())?)
        .cull_mode(match pipeline.cull {
            CullMode::All => vk::CullModeFlags::FRONT_AND_BACK,
            other => session::cull_mode(other.word())?,
        })
        .front_face(match pipeline.front_face {
            FrontFace::Clockwise => vk::FrontFace::CLOCKWISE,
            FrontFace::CounterClockwise => vk::FrontFace::COUNTER_CLOCKWISE,
        })
        .line_width(pipeline.line_width);
    if let Some([constant, clamp, slope]) = pipeline.depth.bias {
        info = info
            .depth_bias_enable(true)
            .depth_bias_constant_factor(constant)
            .depth_bias_clamp(clamp)
            .depth_bias_slope_factor(slope);
    }
    Ok(info)
}

/// Blending of each attachment.
pub(super) fn blend(
    pipeline: &Pipeline,
) -> Result<vk::PipelineColorBlendAttachmentState, JobError> {
    let mask = vk::ColorComponentFlags::from_raw(pipeline.write_mask.into());
    let info = vk::PipelineColorBlendAttachmentState::default().color_write_mask(mask);
    let Some(blend) = &pipeline.blend else { return Ok(info) };
    Ok(info
        .blend_enable(true)
        .src_color_blend_factor(session::blend_factor(blend.colour.source.word())?)
        .dst_color_blend_factor(session::blend_factor(blend.colour.destination.word())?)
        .color_blend_op(session::blend_op(blend.colour.op.word())?)
        .src_alpha_blend_factor(session::blend_factor(blend.alpha.source.word())?)
        .dst_alpha_blend_factor(session::blend_factor(blend.alpha.destination.word())?)
        .alpha_blend_op(session::blend_op(blend.alpha.op.word())?))
}

/// A sampler.
pub(super) fn sampler(sampler: &Sampler) -> vk::SamplerCreateInfo<'static> {
    let mut info =
        session::sampler_modes([sampler.magnify, sampler.minify], sampler.address, sampler.border)
            .mipmap_mode(vk::SamplerMipmapMode::NEAREST)
            .min_lod(sampler.lod[0])
            .max_lod(sampler.lod[1])
            .unnormalized_coordinates(!sampler.normalized);
    if let Some(op) = sampler.compare {
        info = info.compare_enable(true).compare_op(session::compare_op(op));
    }
    info
}
