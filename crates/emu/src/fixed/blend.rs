//! Blending and logical operations (Vulkan, "Blending" and "Logical Operations").

use super::state::{Blend, BlendEquation, BlendFactor, BlendOp, LogicOp};
use crestline_device::{ChannelKind, SurfaceFormat};

/// The inputs of blending: the colours of the source and the second source, the attachment's colour, and the constant
/// colour.
struct Colours {
    source: [f32; 4],
    second: [f32; 4],
    attachment: [f32; 4],
    constants: [f32; 4],
}

/// The result of blending. `format` is that of the attachment. The array contains the colours of the source, the second
/// source and the attachment.
pub(super) fn blend(
    format: SurfaceFormat,
    equations: &Blend,
    constants: [f32; 4],
    [source, second, attachment]: [[f32; 4]; 3],
) -> [f32; 4] {
    // For normalized formats, sources and constants are clamped before blending to the range of the format.
    let low = match format.info().channels.iter().flatten().next().map(|channel| channel.kind) {
        Some(ChannelKind::Unorm) => Some(0.0),
        Some(ChannelKind::Snorm) => Some(-1.0),
        _ => None,
    };
    let limited = |colour: [f32; 4]| match low {
        Some(low) => colour.map(|value| if value.is_nan() { 0.0 } else { value.clamp(low, 1.0) }),
        None => colour,
    };
    let colours = Colours {
        source: limited(source),
        second: limited(second),
        attachment,
        constants: limited(constants),
    };
    std::array::from_fn(|i| {
        let equation = if i < 3 { &equations.colour } else { &equations.alpha };
        component(equation, &colours, i)
    })
}

/// The result of blending for component `i`.
fn component(equation: &BlendEquation, colours: &Colours, i: usize) -> f32 {
    let (source, attachment) = (colours.source[i], colours.attachment[i]);
    let [by_source, by_attachment] =
        [equation.source, equation.destination].map(|factor| value(factor, colours, i));
    match equation.op {
        BlendOp::Add => source * by_source + attachment * by_attachment,
        BlendOp::Subtract => source * by_source - attachment * by_attachment,
        BlendOp::ReverseSubtract => attachment * by_attachment - source * by_source,
        BlendOp::Min => source.min(attachment),
        BlendOp::Max => source.max(attachment),
    }
}

/// The value of a factor for component `i`.
fn value(factor: BlendFactor, colours: &Colours, i: usize) -> f32 {
    let Colours { source, second, attachment, constants } = colours;
    match factor {
        BlendFactor::Zero => 0.0,
        BlendFactor::One => 1.0,
        BlendFactor::SrcColor => source[i],
        BlendFactor::OneMinusSrcColor => 1.0 - source[i],
        BlendFactor::DstColor => attachment[i],
        BlendFactor::OneMinusDstColor => 1.0 - attachment[i],
        BlendFactor::SrcAlpha => source[3],
        BlendFactor::OneMinusSrcAlpha => 1.0 - source[3],
        BlendFactor::DstAlpha => attachment[3],
        BlendFactor::OneMinusDstAlpha => 1.0 - attachment[3],
        BlendFactor::ConstantColor => constants[i],
        BlendFactor::OneMinusConstantColor => 1.0 - constants[i],
        BlendFactor::ConstantAlpha => constants[3],
        BlendFactor::OneMinusConstantAlpha => 1.0 - constants[3],
        BlendFactor::SrcAlphaSaturate if i == 3 => 1.0,
        BlendFactor::SrcAlphaSaturate => source[3].min(1.0 - attachment[3]),
        BlendFactor::Src1Color => second[i],
        BlendFactor::OneMinusSrc1Color => 1.0 - second[i],
        BlendFactor::Src1Alpha => second[3],
        BlendFactor::OneMinusSrc1Alpha => 1.0 - second[3],
    }
}

/// Replaces the bytes of the source by the result of a logical operation on them and the bytes of the attachment.
/// Formats with floats and sRGB formats have no logical operations; the source does not change for them.
pub(super) fn logic(format: SurfaceFormat, op: LogicOp, source: &mut [u8], attachment: &[u8]) {
    let info = format.info();
    let floats = info
        .channels
        .iter()
        .flatten()
        .any(|channel| matches!(channel.kind, ChannelKind::Float | ChannelKind::UFloat));
    if floats || info.srgb {
        return;
    }
    for (s, d) in source.iter_mut().zip(attachment) {
        *s = match op {
            LogicOp::Clear => 0,
            LogicOp::And => *s & d,
            LogicOp::AndReverse => *s & !d,
            LogicOp::Copy => *s,
            LogicOp::AndInverted => !*s & d,
            LogicOp::NoOp => *d,
            LogicOp::Xor => *s ^ d,
            LogicOp::Or => *s | d,
            LogicOp::Nor => !(*s | d),
            LogicOp::Equivalent => !(*s ^ d),
            LogicOp::Invert => !d,
            LogicOp::OrReverse => *s | !d,
            LogicOp::CopyInverted => !*s,
            LogicOp::OrInverted => !*s | d,
            LogicOp::Nand => !(*s & d),
            LogicOp::Set => 0xff,
        };
    }
}
