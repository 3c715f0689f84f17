//! `lower_messages`: replaces each [`Op::Message`] by an [`Op::Send`] with its parts in one or two payloads of
//! consecutive registers.
//!
//! If the parts are already in consecutive whole registers in the right order, the message is sent from there.
//! Otherwise a `collect` copies them. On a device with split sends, a message without end of thread has its two payloads
//! divided where the fewest copies are necessary; `sample` of two coordinates, for example, is sent from the two
//! registers. If bits of the descriptor are known only at run time, the whole descriptor is
//! computed in the address register directly before the `send`.

use crate::target::Target;
use crestline_isa::{ArfKind, Type};

use super::PassError;
use crate::ir::{Builder, File, Function, GRF_BYTES, Inst, Message, Op, Operand, Span};
use std::ops::Range;

/// Largest length of a payload in registers: the limit of the descriptor's length field.
const MAX_REGISTERS: u32 = 15;

/// Replaces each [`Op::Message`] by an [`Op::Send`]. Returns whether the function changed.
///
/// # Errors
/// A payload is longer than its length field allows, or the descriptor cannot be encoded.
pub fn lower_messages(function: &mut Function, target: &Target) -> Result<bool, PassError> {
    let is_message = |inst: &Inst| inst.op == Op::Message;
    let reads = Reads::of(function);
    function.try_rewrite(is_message, |inst, b| lower(inst, &reads, target, b).map(|()| true))
}

/// How many sources of the program are in each virtual register, by its number.
struct Reads(Vec<u32>);

impl Reads {
    fn of(function: &Function) -> Reads {
        let mut reads = vec![0; function.vregs.len()];
        let all = function.insts().flat_map(|inst| &inst.srcs);
        for vreg in all.filter_map(Operand::vreg) {
            if let Some(count) = reads.get_mut(vreg.index()) {
                *count += 1;
            }
        }
        Reads(reads)
    }

    /// Whether a message's part is a whole virtual register that nothing else reads. `opt_register_coalesce` can then let
    /// the part's definition write into the payload.
    fn is_only(&self, part: &Operand, bytes: u32, b: &mut Builder<'_>) -> bool {
        let Some(vreg) = part.vreg() else { return false };
        self.0.get(vreg.index()) == Some(&1)
            && b.vregs().get(vreg).is_some_and(|info| info.bytes == bytes)
    }
}

/// What a payload costs, in halves of a register's copy.
///
/// Parts that lie in place cost nothing, and neither does a part that only this message reads. Others are copied. A
/// payload whose parts are all read elsewhere costs half: equal messages often share it.
fn cost(inst: &Inst, parts: Range<usize>, reads: &Reads, b: &mut Builder<'_>) -> u32 {
    let list = &inst.srcs[1..][parts.clone()];
    let headers = inst.message.as_ref().map_or(0, |message| usize::from(message.headers));
    let headers = headers.saturating_sub(parts.start).min(list.len());
    let bytes = |index: usize| part_bytes(inst, list, headers, index);
    if list.is_empty() || lies_in_place(inst, list, headers, bytes) {
        return 0;
    }
    let copied = (0..list.len())
        .filter(|&index| !list[index].is_null() && !reads.is_only(&list[index], bytes(index), b));
    let (copied, registers) = copied.fold((0, 0), |(copied, registers), index| {
        (copied + 1, registers + bytes(index).div_ceil(GRF_BYTES))
    });
    if copied == list.len() { registers } else { 2 * registers }
}

/// How many parts the first payload of a message without end of thread has: as many as its selection asks for, or as many
/// as cost less.
fn divide(inst: &Inst, asked: usize, reads: &Reads, b: &mut Builder<'_>) -> usize {
    let count = inst.srcs.len() - 1;
    let headers = inst.message.as_ref().map_or(0, |message| usize::from(message.headers));
    let mut both =
        |first: usize| cost(inst, 0..first, reads, b) + cost(inst, first..count, reads, b);
    let least = headers.max(1);
    let (mut best, mut lowest) = (asked, both(asked));
    for first in least..=count {
        if lowest == 0 {
            break;
        }
        let cost = both(first);
        if cost < lowest {
            (best, lowest) = (first, cost);
        }
    }
    best
}

/// Bytes of a part in its payload, whose first `headers` parts are whole registers.
fn part_bytes(inst: &Inst, parts: &[Operand], headers: usize, index: usize) -> u32 {
    if index < headers { GRF_BYTES } else { inst.part_bytes(&parts[index]) }
}

/// Lowers one message: puts its parts in one or two payloads and, if necessary, computes its descriptor in a0.
fn lower(
    mut inst: Inst,
    reads: &Reads,
    target: &Target,
    b: &mut Builder<'_>,
) -> Result<(), PassError> {
    let Some(message) = &inst.message else {
        return Err(PassError::operand("lower_messages", &inst.dst));
    };
    let count = inst.srcs.len() - 1;
    let asked = usize::from(message.first).clamp(usize::from(message.headers).max(1), count.max(1));
    let first = match target.messages.split_payloads {
        true if message.eot || asked < count => asked,
        true => divide(&inst, asked, reads, b),
        false => count,
    };
    let Some(mut message) = inst.message.take() else {
        return Err(PassError::operand("lower_messages", &inst.dst));
    };
    let desc = inst.srcs[0];
    let parts = &inst.srcs[1..];
    let headers = usize::from(message.headers);
    let mut payloads = [Operand::null(Type::Ud); 2];
    let split: [&[Operand]; 2] = parts.split_at(first.min(parts.len())).into();
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
    if payloads.iter().all(|payload| !payload.is_null()) {
        message.first = split[0].len() as u8;
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
    let bytes = |index: usize| part_bytes(inst, parts, headers, index);
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
