//! Conversion between the bits that a message transfers and the components that a shader reads or writes.
//!
//! A texel is a sequence of bits. The shader's format divides it into channels; a message divides it into words. A
//! channel may be a part of a word, a whole word, or several words. After a load, channels are extracted from the
//! words, sign extended if they are signed, and converted to components. A store converts and inserts in the opposite
//! order.
//!
//! `steps.take(..)` is true for every step, except in a test that leaves one step out.

use crestline_device::{Channel, ChannelKind};

use super::{ImageStep, Steps, Texel, Word, low_bits};
use crate::ir::{AluOp, Builder, Src, Ty, Value};

/// Number of exponent and fraction bits of binary16. Unsigned floats of 10 and 11 bits are the upper ones of these
/// bits.
const HALF_MAGNITUDE: u32 = 15;

/// The components that the format has, converted from the words that a load returned.
pub(crate) fn from_words(
    b: &mut Builder<'_>,
    texel: &Texel<'_>,
    words: &[(Word, Value)],
) -> Vec<Value> {
    let channels = texel.format.info().channels.iter().flatten();
    channels
        .map(|&channel| {
            let bits = extract(b, texel, channel, words);
            decode(b, channel, bits, texel.steps)
        })
        .collect()
}

/// The words that a store transfers, converted from the components.
pub(crate) fn to_words(b: &mut Builder<'_>, texel: &Texel<'_>, comps: Src) -> Vec<Value> {
    let steps = texel.steps;
    let channels: Vec<(Channel, Value)> = texel
        .format
        .info()
        .channels
        .iter()
        .flatten()
        .enumerate()
        .map(|(i, &channel)| {
            let comp = b.alu_ty(AluOp::Mov, Ty::X32, &[comps.select(i)]);
            (channel, encode(b, channel, comp, steps))
        })
        .collect();
    texel.words().into_iter().map(|word| insert(b, word, &channels, steps)).collect()
}

fn is_signed(channel: Channel) -> bool {
    matches!(channel.kind, ChannelKind::Sint | ChannelKind::Snorm)
}

/// An operation with a constant second source.
fn with(b: &mut Builder<'_>, op: AluOp, value: Value, constant: u32) -> Value {
    let constant = b.imm(constant);
    b.alu(op, &[value, constant])
}

/// The channel's bits, sign extended if the channel is signed. For a half float, the bits above bit 15 are undefined.
fn extract(
    b: &mut Builder<'_>,
    texel: &Texel<'_>,
    channel: Channel,
    words: &[(Word, Value)],
) -> Value {
    let steps = texel.steps;
    let (bits, start) = (u32::from(channel.bits), u32::from(channel.shift));
    let end = start + bits;
    let mut whole = None;
    for &(word, value) in words {
        if word.shift <= start && end <= word.shift + word.bits {
            // The conversion of a half float reads the low 16 bits only.
            let half = channel.kind == ChannelKind::Float && bits == 16 && start == word.shift;
            if half || !steps.take(ImageStep::Extract) {
                return value;
            }
            let signed = is_signed(channel) && steps.take(ImageStep::SignExtend);
            let size = if texel.reads_on(word) { 32 } else { word.bits };
            return field(b, value, start - word.shift, bits, size, signed);
        }
        if word.shift >= start && word.shift < end {
            // The word is a part of the channel. It does not extend beyond the channel's end, since both have a power
            // of two of bits.
            let part = with(b, AluOp::IShl, value, word.shift - start);
            whole = Some(match whole {
                None => part,
                Some(lower) if !steps.take(ImageStep::Join) => lower,
                Some(lower) => b.alu(AluOp::IOr, &[lower, part]),
            });
        }
    }
    whole.unwrap_or_else(|| b.imm(0))
}

/// Bits `[start, start + bits)` of a value. Only the low `size` bits of the value can be set.
fn field(
    b: &mut Builder<'_>,
    value: Value,
    start: u32,
    bits: u32,
    size: u32,
    signed: bool,
) -> Value {
    match (signed, start) {
        (false, 0) if bits == size => value,
        (false, 0) => with(b, AluOp::IAnd, value, low_bits(bits)),
        (false, _) if start + bits == size => with(b, AluOp::UShr, value, start),
        (true, _) if start + bits == 32 && start > 0 => with(b, AluOp::IShr, value, start),
        (true, 0) if bits == 32 => value,
        _ => {
            let op = if signed { AluOp::IBitfieldExtract } else { AluOp::UBitfieldExtract };
            let (start, bits) = (b.imm(start), b.imm(bits));
            b.alu(op, &[value, start, bits])
        }
    }
}

/// Converts the bits of a channel to a component.
fn decode(b: &mut Builder<'_>, channel: Channel, bits: Value, steps: Steps) -> Value {
    let size = u32::from(channel.bits);
    let scaled = |b: &mut Builder<'_>, op: AluOp, greatest: u32| {
        let float = if steps.take(ImageStep::Number) { b.convert(op, 32, bits) } else { bits };
        if !steps.take(ImageStep::Scale) {
            return float;
        }
        let scale = b.imm_f(1.0 / greatest as f32);
        b.alu(AluOp::FMul, &[float, scale])
    };
    match channel.kind {
        ChannelKind::Uint | ChannelKind::Sint | ChannelKind::Unused => bits,
        ChannelKind::Unorm => scaled(b, AluOp::U2F, low_bits(size)),
        ChannelKind::Snorm => {
            let float = scaled(b, AluOp::I2F, low_bits(size - 1));
            if !steps.take(ImageStep::Floor) {
                return float;
            }
            let least = b.imm_f(-1.0);
            b.alu(AluOp::FMax, &[float, least])
        }
        ChannelKind::Float if size == 32 => bits,
        ChannelKind::Float => half_to_float(b, bits, steps),
        ChannelKind::UFloat => {
            let half = match steps.take(ImageStep::Magnitude) {
                true => with(b, AluOp::IShl, bits, HALF_MAGNITUDE - size),
                false => bits,
            };
            half_to_float(b, half, steps)
        }
    }
}

/// The 32-bit float with the value of the half float in the low 16 bits.
fn half_to_float(b: &mut Builder<'_>, bits: Value, steps: Steps) -> Value {
    if !steps.take(ImageStep::Half) {
        return bits;
    }
    let pair = b.alu(AluOp::UnpackHalf2x16, &[bits]);
    b.comp(pair, 0)
}

/// The float rounded to the nearest half float, in the low 16 bits; the upper bits are 0.
fn float_to_half(b: &mut Builder<'_>, float: Value, steps: Steps) -> Value {
    if !steps.take(ImageStep::Half) {
        return with(b, AluOp::IAnd, float, low_bits(16));
    }
    let zero = b.imm(0);
    let pair = b.vec(&[float.into(), zero.into()]);
    b.alu(AluOp::PackHalf2x16, &[pair])
}

/// Converts a component to the bits of a channel. Bits above the channel's are 0.
fn encode(b: &mut Builder<'_>, channel: Channel, comp: Value, steps: Steps) -> Value {
    let size = u32::from(channel.bits);
    let (clamp, mask) = (steps.take(ImageStep::Clamp), steps.take(ImageStep::Mask));
    let rounded = |b: &mut Builder<'_>, clamped: Value, greatest: u32, op: AluOp| {
        let scale = b.imm_f(greatest as f32);
        let mut number = clamped;
        if steps.take(ImageStep::Scale) {
            number = b.alu(AluOp::FMul, &[number, scale]);
        }
        if steps.take(ImageStep::Round) {
            number = b.alu(AluOp::FRoundEven, &[number]);
        }
        if steps.take(ImageStep::Number) { b.convert(op, 32, number) } else { number }
    };
    match channel.kind {
        ChannelKind::Unorm => {
            let clamped = if clamp { b.alu(AluOp::FSat, &[comp]) } else { comp };
            rounded(b, clamped, low_bits(size), AluOp::F2U)
        }
        ChannelKind::Snorm => {
            let (least, greatest) = (b.imm_f(-1.0), b.imm_f(1.0));
            let mut clamped = comp;
            if clamp {
                let above = b.alu(AluOp::FMax, &[comp, least]);
                clamped = b.alu(AluOp::FMin, &[above, greatest]);
            }
            let number = rounded(b, clamped, low_bits(size - 1), AluOp::F2I);
            if mask { with(b, AluOp::IAnd, number, low_bits(size)) } else { number }
        }
        ChannelKind::Uint if size < 32 && clamp => with(b, AluOp::UMin, comp, low_bits(size)),
        ChannelKind::Sint if size < 32 => {
            let greatest = low_bits(size - 1);
            let mut clamped = comp;
            if clamp {
                let below = with(b, AluOp::IMin, comp, greatest);
                clamped = with(b, AluOp::IMax, below, !greatest);
            }
            if mask { with(b, AluOp::IAnd, clamped, low_bits(size)) } else { clamped }
        }
        ChannelKind::Float if size < 32 => float_to_half(b, comp, steps),
        ChannelKind::UFloat => {
            // Negative numbers become 0. A NaN stays a NaN, whatever its sign.
            let mut number = comp;
            if clamp {
                // `exact` stops `opt_algebraic` from making a maximum of this, which would not keep NaNs.
                let outer = b.set_exact(true);
                let zero = b.imm(0);
                let negative = b.alu(AluOp::FLt, &[comp, zero]);
                number = b.alu(AluOp::Select, &[negative, zero, comp]);
                b.set_exact(outer);
            }
            if steps.take(ImageStep::Sign) {
                number = b.alu(AluOp::FAbs, &[number]);
            }
            let half = float_to_half(b, number, steps);
            match steps.take(ImageStep::Magnitude) {
                true => with(b, AluOp::UShr, half, HALF_MAGNITUDE - size),
                false => half,
            }
        }
        ChannelKind::Unused => b.imm(0),
        ChannelKind::Uint | ChannelKind::Sint | ChannelKind::Float => comp,
    }
}

/// The word, assembled from the bits of the channels that overlap it.
fn insert(b: &mut Builder<'_>, word: Word, channels: &[(Channel, Value)], steps: Steps) -> Value {
    let (shifted, cut) = (steps.take(ImageStep::Position), steps.take(ImageStep::Cut));
    let mut whole = None;
    for &(channel, value) in channels {
        let (start, bits) = (u32::from(channel.shift), u32::from(channel.bits));
        if start >= word.shift + word.bits || start + bits <= word.shift {
            continue;
        }
        let part = if start >= word.shift {
            let low = match bits > word.bits && cut {
                true => with(b, AluOp::IAnd, value, low_bits(word.bits)),
                false => value,
            };
            match start > word.shift && shifted {
                true => with(b, AluOp::IShl, low, start - word.shift),
                false => low,
            }
        } else {
            let above = word.shift - start;
            let rest = if shifted { with(b, AluOp::UShr, value, above) } else { value };
            let more = cut && bits - above > word.bits;
            if more { with(b, AluOp::IAnd, rest, low_bits(word.bits)) } else { rest }
        };
        whole = Some(match whole {
            None => part,
            Some(lower) => b.alu(AluOp::IOr, &[lower, part]),
        });
    }
    whole.unwrap_or_else(|| b.imm(0))
}
