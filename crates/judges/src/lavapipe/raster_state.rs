//! The state of the fixed functions of a draw call with a rasterizer. Words name Vulkan's values in lower case.

use ash::vk;
use crestline_device::CompareOp;

use super::JobError;

/// A depth or stencil attachment, as large as the picture.
#[derive(Debug, Clone)]
pub struct DepthAttachment {
    /// `d16` or `d32`.
    pub format: &'static str,
    /// The contents before the draw call, row after row; those of several samples must be all the same.
    pub contents: Vec<u8>,
    /// The test.
    pub compare: CompareOp,
    /// Whether fragments that pass write their depth.
    pub write: bool,
}

/// The stencil attachment of 8 bits, as large as the picture, and the same test for both facings.
#[derive(Debug, Clone)]
pub struct StencilAttachment {
    /// The contents before the draw call, row after row; those of several samples must be all the same.
    pub contents: Vec<u8>,
    /// The test.
    pub compare: CompareOp,
    /// The operations for fragments that fail and that pass: `keep`, `replace`, ...
    pub ops: [&'static str; 2],
    /// The bits that are compared, and those that are written.
    pub masks: [u8; 2],
    /// The reference.
    pub reference: u8,
}

/// The state.
#[derive(Debug, Clone)]
pub struct RasterState {
    /// A word of the emulator's topologies, or `patches`.
    pub topology: &'static str,
    /// x, y, width, height, and both depths; `None` for the whole picture.
    pub viewport: Option<[f32; 6]>,
    /// x, y, width, height; `None` for the whole picture.
    pub scissor: Option<[u32; 4]>,
    /// The viewports and scissors with the numbers from 1 on.
    pub more_viewports: Vec<([f32; 6], Option<[u32; 4]>)>,
    /// The number of layers of the attachments and of the draw call; 0 for attachments without layers.
    pub layers: u32,
    /// Whether depths are clamped to the viewport's range instead of clipped.
    pub depth_clamp: bool,
    /// The constant, the slope and the clamp of the depth bias.
    pub depth_bias: Option<[f32; 3]>,
    /// Whether samples and pipeline statistics are counted.
    pub counts: bool,
    /// `none`, `front`, `back` or `front_and_back`.
    pub cull: &'static str,
    /// Whether front faces run clockwise.
    pub clockwise_front: bool,
    /// `fill`, `line` or `point`: what is drawn of a triangle.
    pub polygon_mode: &'static str,
    /// Width of lines.
    pub line_width: f32,
    /// The depth test. There cannot be a stencil test at the same time.
    pub depth: Option<DepthAttachment>,
    /// The stencil test.
    pub stencil: Option<StencilAttachment>,
    /// Blending of each attachment: factors of source and attachment and operation, for colour and for alpha.
    pub blends: Vec<Option<[&'static str; 6]>>,
    /// The components of each attachment that are written; all if there is no entry.
    pub write_masks: Vec<u8>,
    /// The constant colour.
    pub constants: [f32; 4],
    /// The logical operation.
    pub logic_op: Option<&'static str>,
    /// The samples that can change: bit `i` is sample `i`.
    pub sample_mask: u32,
    /// Whether the alpha of attachment 0 chooses samples.
    pub alpha_to_coverage: bool,
}

impl Default for RasterState {
    fn default() -> RasterState {
        RasterState {
            topology: "triangles",
            viewport: None,
            scissor: None,
            more_viewports: Vec::new(),
            layers: 0,
            depth_clamp: false,
            depth_bias: None,
            counts: false,
            cull: "none",
            clockwise_front: false,
            polygon_mode: "fill",
            line_width: 1.0,
            depth: None,
            stencil: None,
            blends: Vec::new(),
            write_masks: Vec::new(),
            constants: [0.0; 4],
            logic_op: None,
            sample_mask: u32::MAX,
            alpha_to_coverage: false,
        }
    }
}

/// Defines a function from words to Vulkan's values.
macro_rules! words {
    ($name:ident -> $ty:ident { $($word:literal => $value:ident,)+ }) => {
        /// The Vulkan value with a word.
        ///
        /// # Errors
        /// If there is none.
        pub fn $name(word: &str) -> Result<vk::$ty, JobError> {
            match word {
                $($word => Ok(vk::$ty::$value),)+
                other => Err(JobError::Interface(format!("`{other}` is not known"))),
            }
        }
    };
}

words!(topology -> PrimitiveTopology {
    "points" => POINT_LIST,
    "lines" => LINE_LIST,
    "line_strip" => LINE_STRIP,
    "triangles" => TRIANGLE_LIST,
    "triangle_strip" => TRIANGLE_STRIP,
    "triangle_fan" => TRIANGLE_FAN,
    "lines_adjacency" => LINE_LIST_WITH_ADJACENCY,
    "line_strip_adjacency" => LINE_STRIP_WITH_ADJACENCY,
    "triangles_adjacency" => TRIANGLE_LIST_WITH_ADJACENCY,
    "triangle_strip_adjacency" => TRIANGLE_STRIP_WITH_ADJACENCY,
    "patches" => PATCH_LIST,
});

words!(polygon_mode -> PolygonMode {
    "fill" => FILL,
    "line" => LINE,
    "point" => POINT,
});

words!(cull_mode -> CullModeFlags {
    "none" => NONE,
    "front" => FRONT,
    "back" => BACK,
    "front_and_back" => FRONT_AND_BACK,
});

words!(stencil_op -> StencilOp {
    "keep" => KEEP,
    "zero" => ZERO,
    "replace" => REPLACE,
    "increment_and_clamp" => INCREMENT_AND_CLAMP,
    "decrement_and_clamp" => DECREMENT_AND_CLAMP,
    "invert" => INVERT,
    "increment_and_wrap" => INCREMENT_AND_WRAP,
    "decrement_and_wrap" => DECREMENT_AND_WRAP,
});

words!(blend_factor -> BlendFactor {
    "zero" => ZERO,
    "one" => ONE,
    "src_color" => SRC_COLOR,
    "one_minus_src_color" => ONE_MINUS_SRC_COLOR,
    "dst_color" => DST_COLOR,
    "one_minus_dst_color" => ONE_MINUS_DST_COLOR,
    "src_alpha" => SRC_ALPHA,
    "one_minus_src_alpha" => ONE_MINUS_SRC_ALPHA,
    "dst_alpha" => DST_ALPHA,
    "one_minus_dst_alpha" => ONE_MINUS_DST_ALPHA,
    "constant_color" => CONSTANT_COLOR,
    "one_minus_constant_color" => ONE_MINUS_CONSTANT_COLOR,
    "constant_alpha" => CONSTANT_ALPHA,
    "one_minus_constant_alpha" => ONE_MINUS_CONSTANT_ALPHA,
    "src_alpha_saturate" => SRC_ALPHA_SATURATE,
    "src1_color" => SRC1_COLOR,
    "one_minus_src1_color" => ONE_MINUS_SRC1_COLOR,
    "src1_alpha" => SRC1_ALPHA,
    "one_minus_src1_alpha" => ONE_MINUS_SRC1_ALPHA,
});

words!(blend_op -> BlendOp {
    "add" => ADD,
    "subtract" => SUBTRACT,
    "reverse_subtract" => REVERSE_SUBTRACT,
    "min" => MIN,
    "max" => MAX,
});

words!(logic_op -> LogicOp {
    "clear" => CLEAR,
    "and" => AND,
    "and_reverse" => AND_REVERSE,
    "copy" => COPY,
    "and_inverted" => AND_INVERTED,
    "no_op" => NO_OP,
    "xor" => XOR,
    "or" => OR,
    "nor" => NOR,
    "equivalent" => EQUIVALENT,
    "invert" => INVERT,
    "or_reverse" => OR_REVERSE,
    "copy_inverted" => COPY_INVERTED,
    "or_inverted" => OR_INVERTED,
    "nand" => NAND,
    "set" => SET,
});

/// The Vulkan value of a comparison.
pub fn compare_op(op: CompareOp) -> vk::CompareOp {
    match op {
        CompareOp::Never => vk::CompareOp::NEVER,
        CompareOp::Less => vk::CompareOp::LESS,
        CompareOp::Equal => vk::CompareOp::EQUAL,
        CompareOp::LessOrEqual => vk::CompareOp::LESS_OR_EQUAL,
        CompareOp::Greater => vk::CompareOp::GREATER,
        CompareOp::NotEqual => vk::CompareOp::NOT_EQUAL,
        CompareOp::GreaterOrEqual => vk::CompareOp::GREATER_OR_EQUAL,
        CompareOp::Always => vk::CompareOp::ALWAYS,
    }
}

impl RasterState {
    /// The blending of an attachment.
    pub(super) fn blend(
        &self,
        attachment: usize,
        written: bool,
    ) -> Result<vk::PipelineColorBlendAttachmentState, JobError> {
        let mask = self.write_masks.get(attachment).copied().unwrap_or(0xf);
        let mask = if written { u32::from(mask) } else { 0 };
        let state = vk::PipelineColorBlendAttachmentState::default()
            .color_write_mask(vk::ColorComponentFlags::from_raw(mask));
        let Some(Some([source, destination, op, source_alpha, destination_alpha, op_alpha])) =
            self.blends.get(attachment)
        else {
            return Ok(state);
        };
        Ok(state
            .blend_enable(true)
            .src_color_blend_factor(blend_factor(source)?)
            .dst_color_blend_factor(blend_factor(destination)?)
            .color_blend_op(blend_op(op)?)
            .src_alpha_blend_factor(blend_factor(source_alpha)?)
            .dst_alpha_blend_factor(blend_factor(destination_alpha)?)
            .alpha_blend_op(blend_op(op_alpha)?))
    }

    /// The depth and stencil tests.
    pub(super) fn tests(&self) -> Result<vk::PipelineDepthStencilStateCreateInfo<'_>, JobError> {
        let mut info = vk::PipelineDepthStencilStateCreateInfo::default();
        if let Some(depth) = &self.depth {
            info = info
                .depth_test_enable(true)
                .depth_write_enable(depth.write)
                .depth_compare_op(compare_op(depth.compare));
        }
        if let Some(stencil) = &self.stencil {
            let [fail, pass] = stencil.ops;
            let face = vk::StencilOpState::default()
                .fail_op(stencil_op(fail)?)
                .pass_op(stencil_op(pass)?)
                .compare_op(compare_op(stencil.compare))
                .compare_mask(stencil.masks[0].into())
                .write_mask(stencil.masks[1].into())
                .reference(stencil.reference.into());
            info = info.stencil_test_enable(true).front(face).back(face);
        }
        Ok(info)
    }
}
