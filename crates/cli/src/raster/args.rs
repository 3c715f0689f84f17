//! The flags of `crestline draw`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use crestline_device::Platform;
use crestline_emu::{CullMode, FrontFace, LogicOp, Topology};

use super::grammar::{
    Attachment, Bias, BlendState, Cleared, Colour, DepthRule, OutAttachment, Rectangle, Size,
    StencilRule, View, WriteMask,
};
use crate::args::Bindings;
use crate::args::Target;
use crate::draw::VertexInput;

/// Draw primitives with a fragment shader: rasterization, tests and blending are emulated too.
///
/// The vertices come from a vertex shader (on targets for which it compiles) or from `--in-varyings`. A shader is source text,
/// SPIR-V, or a program that `compile --emit json` wrote (a file that ends in .json).
#[derive(Debug, Args)]
pub(crate) struct Raster {
    /// The fragment shader.
    #[arg(long, value_name = "SHADER")]
    pub(crate) fragment: PathBuf,
    /// The vertex shader.
    #[arg(long, value_name = "SHADER", conflicts_with = "in_varyings")]
    pub(crate) vertex: Option<PathBuf>,
    /// The chip, such as `skl`; `crestline targets` lists them.
    #[arg(long, value_parser = Target, hide_possible_values = true)]
    pub(crate) target: Platform,
    /// Channels of the fragment shader's threads. `auto` uses the widest entry point that a primitive fills.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) simd: FragmentWidth,
    /// Write for each stage how often each instruction was executed, with its channels, and the bytes and cache lines of
    /// messages, as JSON. The program runs on one host thread.
    #[arg(long, value_name = "FILE", conflicts_with = "trace")]
    pub(crate) profile: Option<PathBuf>,
    /// Width and height of all attachments in pixels.
    #[arg(long, value_name = "WxH")]
    pub(crate) size: Size,
    /// Samples of a pixel of all attachments: 1 (default), 2, 4, 8 or 16. The fragment shader is compiled for this number.
    #[arg(long, value_name = "COUNT", value_parser = crate::args::samples)]
    pub(crate) samples: Option<u8>,
    /// The samples that can change, such as 0xf: bit 0 is sample 0. Default: all.
    #[arg(long, value_name = "MASK", value_parser = mask, default_value = "0xffff")]
    pub(crate) sample_mask: u16,
    /// The alpha of attachment 0 chooses samples: sample i of n is written only if alpha is above i / n.
    #[arg(long)]
    pub(crate) alpha_to_coverage: bool,
    /// A colour attachment: its format as GLSL spells those of images, and its first contents (default: zeros).
    #[arg(long, value_name = "N=FORMAT[:clear=R,G,B,A|:FILE]")]
    pub(crate) attachment: Vec<Attachment>,
    /// Write a colour attachment: as a picture if FILE ends in .png, else its texels. A pixel of the picture is the average of
    /// its samples; the texels of a pixel's samples follow one another.
    #[arg(long, value_name = "N=FILE")]
    pub(crate) out_attachment: Vec<OutAttachment>,
    /// A depth attachment: d16, d24 or d32f, and its first depth (default: 1).
    #[arg(long, value_name = "FORMAT[:clear=DEPTH]")]
    pub(crate) depth: Option<Cleared>,
    /// The depth test: less, less_or_equal, ...; `:read` leaves the attachment as it is.
    #[arg(long, value_name = "OP[:read]", requires = "depth")]
    pub(crate) depth_test: Option<DepthRule>,
    /// Write the depths as 32-bit floats.
    #[arg(long, value_name = "FILE", requires = "depth")]
    pub(crate) out_depth: Option<PathBuf>,
    /// A stencil attachment of 8 bits with this value everywhere.
    #[arg(long, value_name = "VALUE")]
    pub(crate) stencil: Option<u8>,
    /// The stencil test: OP, and the operations if it fails, if the depth test fails, and if both pass.
    #[arg(
        long,
        value_name = "OP,REFERENCE,FAIL,DEPTH_FAIL,PASS[,READ_MASK,WRITE_MASK]",
        requires = "stencil"
    )]
    pub(crate) stencil_test: Option<StencilRule>,
    /// The test of back-facing primitives, if it is another one.
    #[arg(long, value_name = "OP,...", requires = "stencil_test")]
    pub(crate) stencil_test_back: Option<StencilRule>,
    /// Write the stencil values.
    #[arg(long, value_name = "FILE", requires = "stencil")]
    pub(crate) out_stencil: Option<PathBuf>,
    /// The primitives that the vertices form.
    #[arg(long, value_name = "TOPOLOGY", default_value = "triangles", value_parser = topology)]
    pub(crate) topology: Topology,
    /// The viewport in pixels, and its depths. Default: all pixels, 0 and 1.
    #[arg(long, value_name = "X,Y,W,H[,NEAR,FAR]", allow_hyphen_values = true)]
    pub(crate) viewport: Option<View>,
    /// The pixels that can change. Default: all.
    #[arg(long, value_name = "X,Y,W,H")]
    pub(crate) scissor: Option<Rectangle>,
    /// The triangles that are not drawn: none, front, back or front_and_back.
    #[arg(long, value_name = "FACES", default_value = "none", value_parser = cull)]
    pub(crate) cull: CullMode,
    /// The orientation of front faces: counter_clockwise or clockwise.
    #[arg(long, value_name = "ORIENTATION", default_value = "counter_clockwise", value_parser = front_face)]
    pub(crate) front_face: FrontFace,
    /// Limit depths instead of clipping at the near and far plane.
    #[arg(long)]
    pub(crate) depth_clamp: bool,
    /// Depth bias of triangles: the factor of the smallest difference of depths, the factor of the slope, and the limit.
    #[arg(long, value_name = "CONSTANT,SLOPE[,CLAMP]", allow_hyphen_values = true)]
    pub(crate) depth_bias: Option<Bias>,
    /// Number of clip distances that the vertices have, if the vertex shader's metadata do not say it.
    #[arg(long, value_name = "COUNT", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=8))]
    pub(crate) clip_distances: u8,
    /// Width of lines in pixels.
    #[arg(long, value_name = "PIXELS", default_value_t = 1.0)]
    pub(crate) line_width: f32,
    /// Blending of an attachment: factors of source and attachment, operation; for alpha the same if not given.
    #[arg(long, value_name = "N=SRC,DST,OP[,SRC,DST,OP]")]
    pub(crate) blend: Vec<BlendState>,
    /// The components of an attachment that are written, such as `rgb`.
    #[arg(long, value_name = "N=COMPONENTS")]
    pub(crate) write_mask: Vec<WriteMask>,
    /// The constant colour of blending.
    #[arg(long, value_name = "R,G,B,A", allow_hyphen_values = true)]
    pub(crate) blend_constants: Option<Colour>,
    /// A logical operation instead of blending, such as `xor`.
    #[arg(long, value_name = "OP", value_parser = logic_op)]
    pub(crate) logic_op: Option<LogicOp>,
    #[command(flatten, next_help_heading = "Vertices")]
    pub(crate) input: VertexInput,
    #[command(flatten, next_help_heading = "Resources")]
    pub(crate) bindings: Bindings,
    /// Print errors and warnings as JSON, one object per line.
    #[arg(long)]
    pub(crate) json: bool,
}

/// The SIMD width of a fragment shader's threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum FragmentWidth {
    #[default]
    Auto,
    #[value(name = "8")]
    W8,
    #[value(name = "16")]
    W16,
    #[value(name = "32")]
    W32,
}

fn topology(text: &str) -> Result<Topology, String> {
    let known = Topology::ALL.iter().map(|value| value.word());
    Topology::from_word(text).ok_or_else(|| expected(known))
}

fn cull(text: &str) -> Result<CullMode, String> {
    let known = CullMode::ALL.iter().map(|value| value.word());
    CullMode::from_word(text).ok_or_else(|| expected(known))
}

fn front_face(text: &str) -> Result<FrontFace, String> {
    let known = FrontFace::ALL.iter().map(|value| value.word());
    FrontFace::from_word(text).ok_or_else(|| expected(known))
}

fn logic_op(text: &str) -> Result<LogicOp, String> {
    let known = LogicOp::ALL.iter().map(|value| value.word());
    LogicOp::from_word(text).ok_or_else(|| expected(known))
}

fn mask(text: &str) -> Result<u16, String> {
    let parsed = match text.strip_prefix("0x") {
        Some(digits) => u16::from_str_radix(digits, 16),
        None => text.parse(),
    };
    parsed.map_err(|_| "expected a number of 16 bits".to_owned())
}

/// The words that are allowed, as a sentence.
pub(super) fn expected(words: impl Iterator<Item = &'static str>) -> String {
    format!("expected one of {}", words.collect::<Vec<_>>().join(" "))
}
