//! `DEPTH`, `STENCIL` and `BLEND`.

use super::sampler::comparisons;
use super::{Parser, wrong};
use crate::error::{Place, Result, one_of};
use crate::script::Pipeline;
use crestline_emu::{Blend, BlendFactor, BlendOp, StencilOp, StencilTest};

/// Operations of `VK_EXT_blend_operation_advanced`, which the hardware's blend unit does not have.
pub(crate) const ADVANCED: &[&str] = &[
    "zero",
    "src",
    "dst",
    "src_over",
    "dst_over",
    "src_in",
    "dst_in",
    "src_out",
    "dst_out",
    "src_atop",
    "dst_atop",
    "xor",
    "multiply",
    "screen",
    "overlay",
    "darken",
    "lighten",
    "color_dodge",
    "color_burn",
    "hard_light",
    "soft_light",
    "difference",
    "exclusion",
    "invert",
    "invert_rgb",
    "linear_dodge",
    "linear_burn",
    "vivid_light",
    "linear_light",
    "pin_light",
    "hard_mix",
    "hsl_hue",
    "hsl_saturation",
    "hsl_color",
    "hsl_luminosity",
    "plus",
    "plus_clamped",
    "plus_clamped_alpha",
    "plus_darker",
    "minus",
    "minus_clamped",
    "contrast",
    "invert_org",
    "red",
    "green",
    "blue",
];

/// The operations of the format with its names; it spells two of them without a `t`.
const BLEND_OPS: &[(&str, BlendOp)] = &[
    ("add", BlendOp::Add),
    ("substract", BlendOp::Subtract),
    ("subtract", BlendOp::Subtract),
    ("reverse_substract", BlendOp::ReverseSubtract),
    ("reverse_subtract", BlendOp::ReverseSubtract),
    ("min", BlendOp::Min),
    ("max", BlendOp::Max),
];

/// The commands of the blocks, in the order of the documentation.
const DEPTH: &[&str] = &["TEST", "WRITE", "COMPARE_OP", "CLAMP", "BOUNDS", "BIAS"];
const STENCIL: &[&str] = &[
    "TEST",
    "FAIL_OP",
    "PASS_OP",
    "DEPTH_FAIL_OP",
    "COMPARE_OP",
    "COMPARE_MASK",
    "WRITE_MASK",
    "REFERENCE",
];
const BLEND: &[&str] = &[
    "SRC_COLOR_FACTOR",
    "DST_COLOR_FACTOR",
    "COLOR_OP",
    "SRC_ALPHA_FACTOR",
    "DST_ALPHA_FACTOR",
    "ALPHA_OP",
];

impl Parser<'_> {
    /// `DEPTH`.
    pub(super) fn depth(&mut self, start: Place, pipeline: &mut Pipeline) -> Result<()> {
        self.end_of_line()?;
        let mut depth = pipeline.depth;
        while let Some((place, word)) = self.line_of_block(start)? {
            match word {
                "TEST" => depth.test = self.switch()?,
                "WRITE" => depth.write = self.switch()?,
                "COMPARE_OP" => depth.compare = self.choose(&comparisons())?,
                "CLAMP" => depth.clamp = self.switch()?,
                "BOUNDS" => {
                    let mut part = |keyword| {
                        self.keyword(keyword)?;
                        Ok(self.float("a depth")? as f32)
                    };
                    depth.bounds = Some([part("min")?, part("max")?]);
                }
                "BIAS" => {
                    let mut part = |keyword| {
                        self.keyword(keyword)?;
                        Ok(self.float("a number")? as f32)
                    };
                    depth.bias = Some([part("constant")?, part("clamp")?, part("slope")?]);
                }
                other => return Err(wrong(place, &format!("{} or END", one_of(DEPTH)), other)),
            }
            self.end_of_line()?;
        }
        pipeline.depth = depth;
        Ok(())
    }

    /// `STENCIL FACE`.
    pub(super) fn stencil(&mut self, start: Place, pipeline: &mut Pipeline) -> Result<()> {
        let faces =
            [("front", [true, false]), ("back", [false, true]), ("front_and_back", [true; 2])];
        let faces = self.choose(&faces)?;
        self.end_of_line()?;
        let (mut test, mut on) = (StencilTest::default(), pipeline.stencil.is_some());
        let operations: Vec<_> = StencilOp::ALL.iter().map(|op| (op.word(), *op)).collect();
        while let Some((place, word)) = self.line_of_block(start)? {
            match word {
                "TEST" => on = self.switch()?,
                "FAIL_OP" => test.fail = self.choose(&operations)?,
                "PASS_OP" => test.pass = self.choose(&operations)?,
                "DEPTH_FAIL_OP" => test.depth_fail = self.choose(&operations)?,
                "COMPARE_OP" => test.compare = self.choose(&comparisons())?,
                "COMPARE_MASK" => test.read_mask = self.integer("a mask")?,
                "WRITE_MASK" => test.write_mask = self.integer("a mask")?,
                "REFERENCE" => test.reference = self.integer("a reference")?,
                other => return Err(wrong(place, &format!("{} or END", one_of(STENCIL)), other)),
            }
            self.end_of_line()?;
        }
        let mut tests = pipeline.stencil.unwrap_or_default();
        for (own, is_set) in tests.iter_mut().zip(faces) {
            if is_set {
                *own = test;
            }
        }
        pipeline.stencil = on.then_some(tests);
        Ok(())
    }

    /// `BLEND`.
    pub(super) fn blend(&mut self, start: Place, pipeline: &mut Pipeline) -> Result<()> {
        self.end_of_line()?;
        let mut blend = Blend::default();
        for equation in [&mut blend.colour, &mut blend.alpha] {
            (equation.source, equation.destination) = (BlendFactor::Zero, BlendFactor::Zero);
        }
        let factors: Vec<_> =
            BlendFactor::ALL.iter().map(|factor| (factor.word(), *factor)).collect();
        while let Some((place, word)) = self.line_of_block(start)? {
            match word {
                "SRC_COLOR_FACTOR" => blend.colour.source = self.choose(&factors)?,
                "DST_COLOR_FACTOR" => blend.colour.destination = self.choose(&factors)?,
                "SRC_ALPHA_FACTOR" => blend.alpha.source = self.choose(&factors)?,
                "DST_ALPHA_FACTOR" => blend.alpha.destination = self.choose(&factors)?,
                "COLOR_OP" => blend.colour.op = self.blend_op()?,
                "ALPHA_OP" => blend.alpha.op = self.blend_op()?,
                other => return Err(wrong(place, &format!("{} or END", one_of(BLEND)), other)),
            }
            self.end_of_line()?;
        }
        pipeline.blend = Some(blend);
        Ok(())
    }

    /// A blend operation. One of the advanced operations is a feature that the hardware lacks.
    fn blend_op(&mut self) -> Result<BlendOp> {
        if let Some((place, _)) = self.optional(ADVANCED)? {
            self.script.extensions.push((place, "VK_EXT_blend_operation_advanced".into()));
            return Ok(BlendOp::Add);
        }
        self.choose(BLEND_OPS)
    }
}
