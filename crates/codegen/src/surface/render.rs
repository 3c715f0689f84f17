//! Messages of fragment shaders: render-target writes, which also end the thread, and requests to the pixel
//! interpolator.
//!
//! A render-target write writes one attachment for up to 16 channels. A thread with a second colour or a stencil value
//! must have eight channels. The payload has these parts in this order (PRM, "Render Target Write Message"), of which
//! only the colour is always present:
//!
//! 1. a header of two registers,
//! 2. the alpha of attachment 0,
//! 3. the sample mask,
//! 4. the colour,
//! 5. the second colour,
//! 6. the depth,
//! 7. the stencil value.
//!
//! The last message of the thread also ends it.

use crate::target::Target;
use crestline_isa::Type;
use crestline_isa::message::{self as isa, Bti, DescriptorError, RtSubtype};

use super::{Shape, at, message, parts};
use crate::ir::{Builder, Effect, Flag, GRF_BYTES, Operand, Space};

/// Byte offset in the header of the dword with the index of the attachment's blend state.
const TARGET: u32 = 8;

/// Bit in dword 0 of the header: the payload has a stencil value.
const STENCIL_PRESENT: u32 = 1 << 14;

/// Bit in dword 0 of the header: the payload has the alpha of attachment 0.
const SOURCE0_ALPHA_PRESENT: u32 = 1 << 11;

/// Byte offset of the pixel mask in r1 (in r2 for channels 16 to 31), and in the second register of the header.
const PIXEL_MASK: u32 = 28;

/// The last sample that a message to the pixel interpolator can name.
const LAST_SAMPLE: u32 = 15;

/// Largest number of channels of a message.
const CHANNELS: u8 = 16;

/// One colour attachment and what is written to it.
#[derive(Clone, Debug, Default)]
pub struct Colour {
    /// The number of the attachment.
    pub number: u32,
    /// The binding table index of the attachment's surface.
    pub bti: u8,
    /// The components of the colour; `None` for those that the shader does not write.
    pub first: [Option<Operand>; 4],
    /// The components of the second colour for dual source blending, if the shader writes any.
    pub second: Option<[Option<Operand>; 4]>,
}

/// The outputs of a fragment shader at its end.
#[derive(Clone, Debug, Default)]
pub struct Outputs {
    /// The colour attachments, at least one. If the shader writes no attachment, the list has one whose surface is
    /// null.
    pub colours: Vec<Colour>,
    /// The alpha of attachment 0, if the messages for other attachments must have it too (for alpha to coverage).
    pub source0_alpha: Option<Operand>,
    /// The depth.
    pub depth: Option<Operand>,
    /// The reference value of the stencil test.
    pub stencil: Option<Operand>,
    /// The sample mask.
    pub sample_mask: Option<Operand>,
    /// The helper flag (the channels without a pixel, and those of discarded pixels), if the shader discards pixels.
    pub helpers: Option<Flag>,
    /// Whether headers have the number of the attachment. False only in tests, which show that it is needed.
    pub numbered: bool,
    /// Whether only the last message has the "last render target" bit, which ends the pixel. False only in tests, where
    /// each message has it.
    pub last: bool,
}

impl Outputs {
    /// Whether each message has a header. On devices with headers (PRM of Ivy Bridge, "Render Target Write Message";
    /// Mesa's code for the same shaders has headers in the same cases), a message needs one
    ///
    /// - to name the attachment, if there are several or the only one is not attachment 0;
    /// - for a second colour;
    /// - for a stencil value;
    /// - for the mask of pixels that are not discarded, if the device cannot predicate the message instead.
    fn needs_header(&self, target: &Target) -> bool {
        let named = self.colours.len() > 1
            || self.colours.iter().any(|colour| colour.number != 0 || colour.second.is_some());
        let masked = self.helpers.is_some() && target.needs_pixel_mask_in_header();
        (named || masked || self.stencil.is_some()) && target.has_render_target_headers()
    }

    /// The alpha of attachment 0, if the message for `colour` has it in addition to the colour: if `colour` is another
    /// attachment.
    fn extra_alpha(&self, colour: &Colour) -> Option<Operand> {
        self.source0_alpha.filter(|_| colour.number != 0)
    }

    /// Whether the thread must have eight channels, because messages with a second colour or a stencil value have at
    /// most eight.
    pub fn is_narrow(&self) -> bool {
        self.stencil.is_some() || self.colours.iter().any(|colour| colour.second.is_some())
    }
}

/// Emits the messages that write the outputs, one for each attachment and each 16 channels. The last one ends the
/// thread.
///
/// # Errors
/// The device does not have the message.
pub fn write_targets(
    b: &mut Builder<'_>,
    target: &Target,
    outputs: &Outputs,
) -> Result<(), DescriptorError> {
    let groups: Vec<(u8, u8)> = parts(b, CHANNELS).collect();
    let headers = outputs.needs_header(target);
    for (index, colour) in outputs.colours.iter().enumerate() {
        for &(group, channels) in &groups {
            let last = index + 1 == outputs.colours.len() && group + channels == b.exec_size();
            let header = headers.then(|| header(b, target, outputs, colour, group, last));
            write_one(b, target, outputs, colour, header, (group, channels), last)?;
        }
    }
    Ok(())
}

/// Emits the message that writes `colour` and the other outputs for `channels` channels from channel `group` on. If
/// `last` is set, it ends the thread.
fn write_one(
    b: &mut Builder<'_>,
    target: &Target,
    outputs: &Outputs,
    colour: &Colour,
    header: Option<[Operand; 2]>,
    (group, channels): (u8, u8),
    last: bool,
) -> Result<(), DescriptorError> {
    let subtype = match (channels, colour.second.is_some()) {
        (CHANNELS, _) => RtSubtype::Simd16,
        (_, false) => RtSubtype::Simd8,
        (_, true) => RtSubtype::Simd8DualLow,
    };
    let extra_alpha = outputs.extra_alpha(colour);
    let kind = isa::Message::RenderTargetWrite {
        bti: Bti(colour.bti),
        subtype,
        upper_slots: group >= CHANNELS,
        last: last || !outputs.last,
        per_sample: false,
        coarse: false,
        half: false,
        commit: false,
        rt_index: if target.has_render_target_headers() { 0 } else { colour.number as u8 },
        src0_alpha: extra_alpha.is_some() && !target.has_render_target_headers(),
        null_rt: false,
    };
    let headers = if header.is_some() { 2 } else { 0 };
    let shape =
        Shape { headers, first: headers, response: 0, effect: Effect::Barrier, space: Space::None };
    let mut message = message(target, kind, shape)?;
    message.eot = last;
    message.check = true;
    let mut payload: Vec<Operand> = header.into_iter().flatten().collect();
    payload.extend(extra_alpha.map(|alpha| at(b, alpha, group)));
    if let Some(mask) = outputs.sample_mask {
        payload.push(low_part(b, mask, Type::Uw, group, channels));
    }
    let gap = Operand::null(Type::Ud);
    for comp in colour.first.iter().chain(colour.second.iter().flatten()) {
        payload.push(comp.map_or(gap, |comp| at(b, comp, group)));
    }
    payload.extend(outputs.depth.map(|depth| at(b, depth, group)));
    if let Some(stencil) = outputs.stencil {
        payload.push(low_part(b, stencil, Type::Ub, group, channels));
    }
    // If there is a header, the message may be a split send: the header alone is its first payload. Without a header
    // there is one payload.
    message.first = if headers > 0 { headers } else { payload.len() as u8 };
    let null = Operand::null(Type::Uw);
    let mut b = b.exec(channels);
    let mut b = b.group(group);
    match outputs.helpers {
        Some(helpers) if !target.needs_pixel_mask_in_header() => {
            b.predicated(helpers, true).message(message, null, Operand::null(Type::Ud), &payload);
        }
        _ => _ = b.message(message, null, Operand::null(Type::Ud), &payload),
    }
    Ok(())
}

/// Emits messages that request weights (barycentric coordinates) at `place` from the pixel interpolator.
///
/// - `data` is the immediate of the message: a constant sample number or offset.
/// - `number` is a sample number that is known at run time only.
/// - `offsets` are the offsets x and y of each channel, in sixteenths of a pixel, or empty.
/// - `linear` requests weights without perspective correction.
///
/// Returns the first registers of the weights for channels 0 to 15 and for channels 16 to 31. For each eight channels,
/// a register with the weights of vertex 1 is followed by a register with those of vertex 2.
///
/// # Errors
/// The device does not have the message.
pub fn interpolate_at(
    b: &mut Builder<'_>,
    target: &Target,
    place: isa::InterpolateAt,
    data: u8,
    number: Option<Operand>,
    offsets: &[Operand],
    linear: bool,
) -> Result<[Operand; 2], DescriptorError> {
    let groups: Vec<(u8, u8)> = parts(b, CHANNELS).collect();
    let addend = match number {
        None => Operand::null(Type::Ud),
        Some(number) => {
            let (low, shifted) = (b.scalar(Type::Ud), b.scalar(Type::Ud));
            let mut b = b.uniform();
            // The number becomes a part of the descriptor. A number that is too large must not change other fields of
            // it.
            b.and(low, number, Operand::imm_ud(LAST_SAMPLE));
            b.shl(shifted, low, Operand::imm_ud(isa::SAMPLE_BIT));
            shifted
        }
    };
    let mut responses = Vec::new();
    for (group, channels) in groups {
        let kind = isa::Message::Interpolate {
            at: place,
            data,
            upper_slots: group >= CHANNELS,
            linear,
            coarse: false,
            simd16: channels == CHANNELS,
        };
        let response = 2 * u32::from(channels) * Type::F.size();
        let mut payload: Vec<Operand> = offsets.iter().map(|&part| at(b, part, group)).collect();
        if payload.is_empty() {
            // A message has at least one register; the contents of this one do not matter.
            let ty = if channels == CHANNELS { Type::Uw } else { Type::Ud };
            payload.push(Operand::grf(0, ty));
        }
        let first = payload.len() as u8;
        let (effect, space) = (Effect::Pure, Space::None);
        let shape = Shape { headers: 0, first, response, effect, space };
        let message = message(target, kind, shape)?;
        let mut b = b.exec(channels);
        let dst = b.lanes(Type::F, 2);
        b.group(group).message(message, dst, addend, &payload);
        responses.push(dst);
    }
    let last = responses.len() - 1;
    Ok([responses[0], responses[last]])
}

/// The two registers of the header of a message for channels from `group` on: r0, and the register of the payload with
/// the positions of these channels' pixels. If the header must also have the number of the attachment, the bits for a
/// stencil value and for the alpha of attachment 0, or the mask of the pixels that are not discarded, these are set in
/// copies of the registers. `last` is whether the message ends the thread.
fn header(
    b: &mut Builder<'_>,
    target: &Target,
    outputs: &Outputs,
    colour: &Colour,
    group: u8,
    last: bool,
) -> [Operand; 2] {
    let positions = Operand::grf(1 + u32::from(group / CHANNELS), Type::Ud);
    let own = [Operand::grf(0, Type::Ud), positions];
    let masked = outputs.helpers.is_some();
    if colour.number == 0 && !masked && outputs.stencil.is_none() {
        return own;
    }
    let mut b = b.no_mask();
    let mut b = b.exec(8);
    let registers = if target.messages.split_payloads && group < CHANNELS {
        // The header is a payload of its own, and the two registers follow each other.
        let both = b.vregs().bytes(2 * GRF_BYTES);
        if last && let Some(info) = b.vregs().get_mut(both) {
            info.min_register = target.registers.first_end_of_thread as u8;
            info.no_spill = true;
        }
        let both = Operand::vgrf(both, Type::Ud);
        b.exec(16).mov(both, own[0]);
        [both, both.byte_offset(GRF_BYTES)]
    } else {
        let registers = [(); 2].map(|()| b.lanes(Type::Ud, 1));
        for (register, own) in registers.into_iter().zip(own) {
            b.mov(register, own);
        }
        registers
    };
    let mut b = b.uniform();
    if colour.number != 0 && outputs.numbered {
        b.mov(registers[0].byte_offset(TARGET), Operand::imm_ud(colour.number));
    }
    for (present, bit) in [
        (outputs.stencil.is_some(), STENCIL_PRESENT),
        (outputs.extra_alpha(colour).is_some(), SOURCE0_ALPHA_PRESENT),
    ] {
        if present {
            let dword = registers[0].with_stride(0);
            b.or(dword, dword, Operand::imm_ud(bit));
        }
    }
    if let Some(Flag::Virtual(helpers)) = outputs.helpers {
        // The flag's bits of channels that were not dispatched are undefined, so the conjunction with the dispatched
        // pixels clears them.
        let wide = b.dispatch_width() > 16;
        let flag = Operand::scalar(helpers, if wide { Type::Ud } else { Type::Uw });
        let mask = registers[1].retype(Type::Uw).with_stride(0).byte_offset(PIXEL_MASK);
        let dispatched = positions.retype(Type::Uw).with_stride(0).byte_offset(PIXEL_MASK);
        let bits = b.scalar(flag.ty);
        b.not(bits, flag);
        let half = match group >= CHANNELS {
            true => bits.subscript(Type::Uw, 1),
            false => bits.subscript(Type::Uw, 0),
        };
        b.and(mask, half.unwrap_or(bits), dispatched);
    }
    registers
}

/// The low part of each channel's dword, of type `ty`, as a part of a message's payload for `channels` channels from
/// channel `group` on.
fn low_part(b: &mut Builder<'_>, dwords: Operand, ty: Type, group: u8, channels: u8) -> Operand {
    let dwords = at(b, dwords.retype(Type::Ud), group);
    let mut b = b.exec(channels);
    let mut b = b.group(group);
    let register = match dwords.is_imm() {
        // There are no immediates of bytes.
        true => {
            let register = b.lanes(Type::Ud, 1);
            b.mov(register, dwords);
            register
        }
        false => dwords,
    };
    register.subscript(ty, 0).unwrap_or_else(|| {
        b.fault("an output has no low part");
        register
    })
}
