//! `lower_messages`: replaces each [`Op::Message`] by an [`Op::Send`] with its parts in one or two payloads of
//! consecutive registers.
//!
//! If the parts are already in consecutive whole registers in the right order, the message is sent from there.
//! Otherwise a `collect` copies them. If bits of the descriptor are known only at run time, the whole descriptor is
//! computed in the address register directly before the `send`.

use crate::target::Target;
use crestline_isa::{ArfKind, Type};

use super::PassError;
use crate::ir::{Builder, File, Function, GRF_BYTES, Inst, Message, Op, Operand, Span};

/// Largest length of a payload in registers: the limit of the descriptor's length field.
const MAX_REGISTERS: u32 = 15;

/// Replaces each [`Op::Message`] by an [`Op::Send`]. Returns whether the function changed.
///
/// # Errors
/// A payload is longer than its length field allows, or the descriptor cannot be encoded.
pub fn lower_messages(function: &mut Function, target: &Target) -> Result<bool, PassError> {
    let is_message = |inst: &Inst| inst.op == Op::Message;
    function.try_rewrite(is_message, |inst, b| lower(inst, target, b).map(|()| true))
}

/// Lowers one message: puts its parts in one or two payloads and, if necessary, computes its descriptor in a0.
fn lower(mut inst: Inst, target: &Target, b: &mut Builder<'_>) -> Result<(), PassError> {
    let Some(mut message) = inst.message.take() else {
        return Err(PassError::operand("lower_messages", &inst.dst));
    };
    let desc = inst.srcs[0];
    let parts = &inst.srcs[1..];
    let first = if target.messages.split_payloads {
        usize::from(message.first).clamp(usize::from(message.headers).max(1), parts.len().max(1))
    } else {
        parts.len()
    };
    let headers = usize::from(message.headers);
    let mut payloads = [Operand::null(Type::Ud); 2];
    let split = [&parts[..first.min(parts.len())], &parts[first.min(parts.len())..]];
    for (index, list) in split.into_iter().enumerate() {
        if list.is_empty() {
            continue;
        }
        let headers = if index == 0 { headers.min(list.len()) } else { 0 };
        // The two payloads of a split send must not overlap.
        let taken = Span::of(&payloads[0], u32::from(message.lengths[0]) * GRF_BYTES);
        let (payload, registers) = payload(&inst, list, headers, message.eot, &taken, target, b);
        if registers > MAX_REGISTERS {
            return Err(PassError::PayloadTooLong { registers, inst: inst.to_string() });
        }
        payloads[index] = payload;
        message.lengths[index] = registers as u8;
    }
    let desc = if desc.is_null() { desc } else { descriptor(&message, desc, target, b)? };
    inst.op = Op::Send;
    inst.srcs = smallvec::smallvec![desc, payloads[0], payloads[1]];
    inst.message = Some(message);
    b.push(inst);
    Ok(())
}

/// Emits the computation of the whole descriptor in a0 from its fixed and its run-time bits; returns a0.
fn descriptor(
    message: &Message,
    dynamic: Operand,
    target: &Target,
    b: &mut Builder<'_>,
) -> Result<Operand, PassError> {
    let a0 = Operand::arf(ArfKind::Address, 0, Type::Ud).with_stride(0);
    let (_, fixed, _) = crate::finish::encode_message(message, target)?;
    b.uniform().or(a0, dynamic, Operand::imm_ud(fixed));
    Ok(a0)
}

/// Returns a payload of the given parts and its length in registers. `taken` is the other payload, which it must not
/// overlap.
fn payload(
    inst: &Inst,
    parts: &[Operand],
    headers: usize,
    eot: bool,
    taken: &Span,
    target: &Target,
    b: &mut Builder<'_>,
) -> (Operand, u32) {
    let bytes = |index: usize| {
        if index < headers { GRF_BYTES } else { inst.part_bytes(&parts[index]) }
    };
    let total: u32 = (0..parts.len()).map(bytes).sum();
    let registers = total / GRF_BYTES;
    if lies_in_place(inst, parts, headers, bytes)
        && !Span::of(&parts[0], total).overlaps(taken)
        && (!eot || is_high(&parts[0], b, target))
    {
        return (parts[0].retype(Type::Ud).with_stride(1), registers);
    }
    let payload = b.vregs().bytes(total.max(GRF_BYTES));
    if eot && let Some(info) = b.vregs().get_mut(payload) {
        info.min_register = target.registers.first_end_of_thread as u8;
        info.no_spill = true;
    }
    let payload = Operand::vgrf(payload, Type::Ud);
    b.collect(payload, headers as u8, parts);
    (payload, registers)
}

/// Whether the parts are in consecutive registers already, in the layout of the payload.
fn lies_in_place(
    inst: &Inst,
    parts: &[Operand],
    headers: usize,
    bytes: impl Fn(usize) -> u32,
) -> bool {
    let mut expected = parts[0].offset;
    parts.iter().enumerate().all(|(index, part)| {
        let whole = (u32::from(inst.exec_size) * part.ty.size()).is_multiple_of(GRF_BYTES);
        let laid_out = index < headers || part.is_packed() && whole;
        let here = Span { file: part.file, start: expected, end: expected + bytes(index) };
        let fits = laid_out
            && part.in_grf()
            && part.file == parts[0].file
            && !part.has_modifiers()
            && Span::of(part, bytes(index)) == here
            && part.offset.is_multiple_of(GRF_BYTES);
        expected += bytes(index);
        fits
    })
}

/// Whether the register is in the range that an end-of-thread message may send.
fn is_high(part: &Operand, b: &mut Builder<'_>, target: &Target) -> bool {
    let least = target.registers.first_end_of_thread;
    match part.file {
        File::Vgrf(vreg) => {
            b.vregs().get(vreg).is_some_and(|info| u32::from(info.min_register) >= least)
        }
        _ => part.offset >= least * GRF_BYTES,
    }
}
