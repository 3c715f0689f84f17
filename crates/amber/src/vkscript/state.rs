//! The properties of the pipeline, with the names of Vulkan's structures and enumerations.

use super::Reader;
use crate::error::Result;
use crate::parse::{Parser, wrong};
use crate::script::{PolygonMode, Topology};
use crestline_device::CompareOp;
use crestline_emu::{
    Blend, BlendFactor, BlendOp, CullMode, FrontFace, LogicOp, StencilOp, StencilTest,
};

/// Topologies with all their names.
pub(super) const TOPOLOGIES: &[(&str, Topology)] = &[
    ("PATCH_LIST", Topology::PatchList),
    ("POINT_LIST", Topology::PointList),
    ("GL_LINE_STRIP_ADJACENCY", Topology::LineStripAdjacency),
    ("GL_LINE_STRIP", Topology::LineStrip),
    ("GL_LINES", Topology::LineList),
    ("GL_LINES_ADJACENCY", Topology::LineListAdjacency),
    ("GL_PATCHES", Topology::PatchList),
    ("GL_POINTS", Topology::PointList),
    ("GL_TRIANGLE_STRIP", Topology::TriangleStrip),
    ("GL_TRIANGLE_FAN", Topology::TriangleFan),
    ("GL_TRIANGLES", Topology::TriangleList),
    ("GL_TRIANGLES_ADJACENCY", Topology::TriangleListAdjacency),
    ("GL_TRIANGLE_STRIP_ADJACENCY", Topology::TriangleStripAdjacency),
    ("LINE_LIST", Topology::LineList),
    ("LINE_LIST_WITH_ADJACENCY", Topology::LineListAdjacency),
    ("LINE_STRIP", Topology::LineStrip),
    ("LINE_STRIP_WITH_ADJACENCY", Topology::LineStripAdjacency),
    ("TRIANGLE_FAN", Topology::TriangleFan),
    ("TRIANGLE_LIST", Topology::TriangleList),
    ("TRIANGLE_LIST_WITH_ADJACENCY", Topology::TriangleListAdjacency),
    ("TRIANGLE_STRIP", Topology::TriangleStrip),
    ("TRIANGLE_STRIP_WITH_ADJACENCY", Topology::TriangleStripAdjacency),
];

/// A word of an enumeration of Vulkan: in capitals, with or without the prefix of the enumeration.
fn word<T: Copy>(
    parser: &mut Parser<'_>,
    prefix: &str,
    all: &[T],
    name: fn(T) -> &'static str,
) -> Result<T> {
    let (place, given) = parser.word("a value of an enumeration")?;
    let short = given.strip_prefix(prefix).unwrap_or(given);
    let found = all.iter().copied().find(|value| name(*value).to_ascii_uppercase() == short);
    found.ok_or_else(|| {
        let all = all.iter().map(|value| format!("{prefix}{}", name(*value).to_ascii_uppercase()));
        wrong(place, &crate::error::one_of(all), given)
    })
}

fn boolean(parser: &mut Parser<'_>) -> Result<bool> {
    parser.choose(&[("true", true), ("false", false)])
}

impl Reader {
    /// Sets a property of the pipeline. False if no property has that name.
    pub(super) fn property(&mut self, parser: &mut Parser<'_>, name: &str) -> Result<bool> {
        let mut float = || Ok(parser.float("a number")? as f32);
        let pipeline = &mut self.pipeline;
        match name {
            "primitiveRestartEnable" => pipeline.restart = boolean(parser)?,
            "depthClampEnable" => pipeline.depth.clamp = boolean(parser)?,
            "rasterizerDiscardEnable" => pipeline.discards = boolean(parser)?,
            "depthBiasEnable" => {
                let on = boolean(parser)?;
                pipeline.depth.bias = on.then(|| pipeline.depth.bias.unwrap_or([0.0; 3]));
            }
            "logicOpEnable" => {
                let on = boolean(parser)?;
                pipeline.logic_op = on.then(|| pipeline.logic_op.unwrap_or(LogicOp::Clear));
            }
            "blendEnable" => {
                let on = boolean(parser)?;
                pipeline.blend = on.then(|| pipeline.blend.unwrap_or(zero_blend()));
            }
            "depthTestEnable" => pipeline.depth.test = boolean(parser)?,
            "depthWriteEnable" => pipeline.depth.write = boolean(parser)?,
            "depthBoundsTestEnable" => {
                let on = boolean(parser)?;
                pipeline.depth.bounds = on.then(|| pipeline.depth.bounds.unwrap_or([0.0; 2]));
            }
            "stencilTestEnable" => {
                let on = boolean(parser)?;
                pipeline.stencil = on.then(|| pipeline.stencil.unwrap_or_default());
            }
            "topology" => {
                // Draw commands have their own topology.
                let (place, given) = parser.word("a topology")?;
                let short = given.strip_prefix("VK_PRIMITIVE_TOPOLOGY_").unwrap_or(given);
                if !TOPOLOGIES.iter().any(|(own, _)| *own == short) {
                    return Err(wrong(
                        place,
                        "a topology such as VK_PRIMITIVE_TOPOLOGY_POINT_LIST",
                        given,
                    ));
                }
            }
            "polygonMode" => {
                pipeline.polygon = parser.choose(&[
                    ("VK_POLYGON_MODE_FILL", PolygonMode::Fill),
                    ("VK_POLYGON_MODE_LINE", PolygonMode::Line),
                    ("VK_POLYGON_MODE_POINT", PolygonMode::Point),
                ])?;
            }
            "logicOp" => {
                let op = word(parser, "VK_LOGIC_OP_", LogicOp::ALL, LogicOp::word)?;
                pipeline.logic_op = Some(op);
            }
            "frontFace" => {
                let faces = FrontFace::ALL;
                pipeline.front_face = word(parser, "VK_FRONT_FACE_", faces, FrontFace::word)?;
            }
            "cullMode" => {
                let (place, given) = parser.word("a cull mode")?;
                pipeline.cull = match given.strip_prefix("VK_CULL_MODE_").unwrap_or(given) {
                    "NONE" => CullMode::None,
                    "FRONT" | "FRONT_BIT" => CullMode::Front,
                    "BACK" | "BACK_BIT" => CullMode::Back,
                    "FRONT_AND_BACK" => CullMode::All,
                    _ => {
                        return Err(wrong(
                            place,
                            "a cull mode such as VK_CULL_MODE_BACK_BIT",
                            given,
                        ));
                    }
                };
            }
            "depthBiasConstantFactor" => bias(&mut pipeline.depth.bias)[0] = float()?,
            "depthBiasClamp" => bias(&mut pipeline.depth.bias)[1] = float()?,
            "depthBiasSlopeFactor" => bias(&mut pipeline.depth.bias)[2] = float()?,
            "lineWidth" => pipeline.line_width = float()?,
            "minDepthBounds" => pipeline.depth.bounds.get_or_insert([0.0; 2])[0] = float()?,
            "maxDepthBounds" => pipeline.depth.bounds.get_or_insert([0.0; 2])[1] = float()?,
            "depthCompareOp" => pipeline.depth.compare = compare(parser)?,
            "srcColorBlendFactor" => self.blend().colour.source = factor(parser)?,
            "dstColorBlendFactor" => self.blend().colour.destination = factor(parser)?,
            "srcAlphaBlendFactor" => self.blend().alpha.source = factor(parser)?,
            "dstAlphaBlendFactor" => self.blend().alpha.destination = factor(parser)?,
            "colorBlendOp" => self.blend().colour.op = blend_op(parser)?,
            "alphaBlendOp" => self.blend().alpha.op = blend_op(parser)?,
            "colorWriteMask" => pipeline.write_mask = write_mask(parser)?,
            name => match name.split_once('.') {
                Some(("front", property)) => return self.stencil(parser, 0, property),
                Some(("back", property)) => return self.stencil(parser, 1, property),
                _ => return Ok(false),
            },
        }
        Ok(true)
    }

    fn blend(&mut self) -> &mut Blend {
        self.pipeline.blend.get_or_insert_with(zero_blend)
    }

    /// Sets a property of a stencil test.
    fn stencil(&mut self, parser: &mut Parser<'_>, face: usize, name: &str) -> Result<bool> {
        let test: &mut StencilTest = &mut self.pipeline.stencil.get_or_insert_default()[face];
        let op = |parser: &mut Parser<'_>| {
            word(parser, "VK_STENCIL_OP_", StencilOp::ALL, StencilOp::word)
        };
        match name {
            "compareOp" => test.compare = compare(parser)?,
            "failOp" => test.fail = op(parser)?,
            "passOp" => test.pass = op(parser)?,
            "depthFailOp" => test.depth_fail = op(parser)?,
            "reference" => test.reference = parser.integer("a reference")?,
            "compareMask" => test.read_mask = parser.integer("a mask")?,
            "writeMask" => test.write_mask = parser.integer("a mask")?,
            _ => return Ok(false),
        }
        Ok(true)
    }
}

/// Blending with all factors zero, which is the value of a structure that is not set.
fn zero_blend() -> Blend {
    let mut blend = Blend::default();
    for equation in [&mut blend.colour, &mut blend.alpha] {
        (equation.source, equation.destination) = (BlendFactor::Zero, BlendFactor::Zero);
    }
    blend
}

fn bias(bias: &mut Option<[f32; 3]>) -> &mut [f32; 3] {
    bias.get_or_insert([0.0; 3])
}

fn compare(parser: &mut Parser<'_>) -> Result<CompareOp> {
    word(parser, "VK_COMPARE_OP_", CompareOp::ALL, CompareOp::word)
}

fn factor(parser: &mut Parser<'_>) -> Result<BlendFactor> {
    word(parser, "VK_BLEND_FACTOR_", BlendFactor::ALL, BlendFactor::word)
}

fn blend_op(parser: &mut Parser<'_>) -> Result<BlendOp> {
    word(parser, "VK_BLEND_OP_", BlendOp::ALL, BlendOp::word)
}

/// `VK_COLOR_COMPONENT_R_BIT | ...`, or a number.
fn write_mask(parser: &mut Parser<'_>) -> Result<u8> {
    let mut mask = 0;
    loop {
        let (place, given) = parser.word("a component of colours")?;
        for part in given.split('|').filter(|part| !part.is_empty()) {
            mask |= match part {
                "VK_COLOR_COMPONENT_R_BIT" => 1,
                "VK_COLOR_COMPONENT_G_BIT" => 2,
                "VK_COLOR_COMPONENT_B_BIT" => 4,
                "VK_COLOR_COMPONENT_A_BIT" => 8,
                part => part.parse().ok().filter(|mask| *mask < 16).ok_or_else(|| {
                    wrong(place, "VK_COLOR_COMPONENT_R_BIT and so on, joined by |", part)
                })?,
            };
        }
        if parser.is_line_end()? {
            return Ok(mask);
        }
    }
}
