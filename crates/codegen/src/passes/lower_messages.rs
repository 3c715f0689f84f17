//! `lower_messages`: replaces each [`Op::Message`] by an [`Op::Send`] with its parts in one or two payloads of
//! consecutive registers.
//!
//! If the parts are already in consecutive whole registers in the right order, the message is sent from there.
//! Otherwise a `collect` copies them. On a device with split sends, a message without end of thread has its two payloads
//! divided where the fewest copies are necessary; `sample` of two coordinates, for example, is sent from the two
//! registers. Messages of one block whose payloads have equal parts share the payload, if each part is written by one
//! instruction only. If bits of the descriptor are known only at run time, the whole descriptor is
//! computed in the address register directly before the `send`.

use crate::target::Target;
use crestline_isa::{ArfKind, Type};

use super::PassError;
use crate::ir::{Block, Builder, File, Function, GRF_BYTES, Inst, Message, Op, Operand, Span};
use std::collections::VecDeque;
use std::ops::Range;

/// Largest length of a payload in registers: the limit of the descriptor's length field.
const MAX_REGISTERS: u32 = 15;

/// Replaces each [`Op::Message`] by an [`Op::Send`]. Returns whether the function changed.
///
/// # Errors
/// A payload is longer than its length field allows, or the descriptor cannot be encoded.
pub fn lower_messages(function: &mut Function, target: &Target) -> Result<bool, PassError> {
    let is_message = |inst: &Inst| inst.op == Op::Message;
    let uses = Uses::of(function);
    let of_block = |(block, list): (usize, &Block)| {
        std::iter::repeat_n(block, list.insts.iter().filter(|inst| is_message(inst)).count())
    };
    let blocks: Vec<usize> = function.blocks.iter().enumerate().flat_map(of_block).collect();
    let mut blocks = blocks.into_iter();
    let mut shared = Shared::default();
    function.try_rewrite(is_message, |inst, b| {
        shared.enter(blocks.next());
        lower(inst, &uses, &mut shared, target, b).map(|()| true)
    })
}

/// How many sources and destinations of the program are in each virtual register, by its number.
struct Uses {
    reads: Vec<u32>,
    writes: Vec<u32>,
    /// Whether an instruction writes a fixed register.
    writes_fixed: bool,
}

impl Uses {
    fn of(function: &Function) -> Uses {
        let mut uses = Uses {
            reads: vec![0; function.vregs.len()],
            writes: vec![0; function.vregs.len()],
            writes_fixed: false,
        };
        for inst in function.insts() {
            for vreg in inst.srcs.iter().filter_map(Operand::vreg) {
                uses.reads[vreg.index()] += 1;
            }
            match inst.dst.file {
                File::Vgrf(vreg) => uses.writes[vreg.index()] += 1,
                File::Grf => uses.writes_fixed = true,
                _ => {}
            }
        }
        uses
    }

    /// Whether a part has the same contents wherever it can be read.
    fn never_changes(&self, part: &Operand) -> bool {
        match part.file {
            File::Vgrf(vreg) => self.writes.get(vreg.index()) == Some(&1),
            File::Grf => !self.writes_fixed,
            _ => part.is_imm() || part.is_null(),
        }
    }

    /// Whether a message's part is a whole virtual register that nothing else reads. `opt_register_coalesce` can then let
    /// the part's definition write into the payload.
    fn is_only(&self, part: &Operand, bytes: u32, b: &mut Builder<'_>) -> bool {
        let Some(vreg) = part.vreg() else { return false };
        self.reads.get(vreg.index()) == Some(&1)
            && b.vregs().get(vreg).is_some_and(|info| info.bytes == bytes)
    }
}

/// What a payload costs, in halves of a register's copy.
///
/// Parts that lie in place cost nothing, and neither does a part that only this message reads. Others are copied. A
/// payload whose parts are all read elsewhere costs half: equal messages often share it.
fn cost(inst: &Inst, parts: Range<usize>, uses: &Uses, b: &mut Builder<'_>) -> u32 {
    let list = &inst.srcs[1..][parts.clone()];
    let headers = inst.message.as_ref().map_or(0, |message| usize::from(message.headers));
    let headers = headers.saturating_sub(parts.start).min(list.len());
    let bytes = |index: usize| part_bytes(inst, list, headers, index);
    if list.is_empty() || lies_in_place(inst, list, headers, bytes) {
        return 0;
    }
    let copied = (0..list.len())
        .filter(|&index| !list[index].is_null() && !uses.is_only(&list[index], bytes(index), b));
    let (copied, registers) = copied.fold((0, 0), |(copied, registers), index| {
        (copied + 1, registers + bytes(index).div_ceil(GRF_BYTES))
    });
    if copied == list.len() { registers } else { 2 * registers }
}

/// How many parts the first payload of a message without end of thread has: as many as its selection asks for, or as many
/// as cost less.
fn divide(inst: &Inst, asked: usize, uses: &Uses, b: &mut Builder<'_>) -> usize {
    let count = inst.srcs.len() - 1;
    let headers = inst.message.as_ref().map_or(0, |message| usize::from(message.headers));
    let mut both = |first: usize| cost(inst, 0..first, uses, b) + cost(inst, first..count, uses, b);
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
    uses: &Uses,
    shared: &mut Shared,
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
        true => divide(&inst, asked, uses, b),
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
        let make = Make { inst: &inst, parts: list, headers, eot: message.eot };
        let (payload, registers) = payload(&make, &taken, uses, shared, target, b);
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

/// A payload to make.
struct Make<'a> {
    /// The message.
    inst: &'a Inst,
    parts: &'a [Operand],
    /// How many of the parts are headers.
    headers: usize,
    /// Whether the message ends the thread.
    eot: bool,
}

/// The payloads of a block that later messages can have, too.
#[derive(Default)]
struct Shared {
    block: Option<usize>,
    made: Vec<Made>,
    /// Payloads of constants. They are cheap to write again, so only the latest [`CONSTANT_REGISTERS`] are kept.
    constants: VecDeque<Made>,
}

/// A payload and what is in it.
struct Made {
    parts: Vec<Operand>,
    headers: usize,
    /// Execution size, first channel and NoMask of the instructions that made it.
    channels: (u8, u8, bool),
    payload: Operand,
    registers: u32,
}

/// The most registers with constants that are kept for later messages.
const CONSTANT_REGISTERS: u32 = 16;

/// The number of payloads with other parts than constants that the search looks at, newest first.
const SEARCHED: usize = 16;

impl Shared {
    /// Begins a block, if it is not the one of the message before.
    fn enter(&mut self, block: Option<usize>) {
        if self.block != block {
            self.block = block;
            self.made.clear();
            self.constants.clear();
        }
    }

    /// Records a payload.
    fn add(&mut self, made: Made) {
        if !made.parts.iter().all(Operand::is_imm) {
            return self.made.push(made);
        }
        self.constants.push_back(made);
        while self.constants.iter().map(|made| made.registers).sum::<u32>() > CONSTANT_REGISTERS {
            self.constants.pop_front();
        }
    }

    /// A payload with these parts that does not overlap `taken`.
    fn find(&self, make: &Make<'_>, taken: &Span) -> Option<Operand> {
        // What ends the thread must be in high registers, where constants should not stay.
        let constants = self.constants.iter().rev().filter(|_| !make.eot);
        let made = self.made.iter().rev().take(SEARCHED).chain(constants);
        let found = made.into_iter().find(|made| {
            made.parts == make.parts
                && made.headers == make.headers
                && made.channels == channels(make.inst)
                && made.payload.file != taken.file
        });
        found.map(|made| made.payload)
    }
}

fn channels(inst: &Inst) -> (u8, u8, bool) {
    (inst.exec_size, inst.group, inst.no_mask)
}

/// Returns a payload and its length in registers. `taken` is the other payload, which it must not overlap.
fn payload(
    make: &Make<'_>,
    taken: &Span,
    uses: &Uses,
    shared: &mut Shared,
    target: &Target,
    b: &mut Builder<'_>,
) -> (Operand, u32) {
    let Make { inst, parts, headers, eot } = *make;
    let bytes = |index: usize| part_bytes(inst, parts, headers, index);
    let total: u32 = (0..parts.len()).map(bytes).sum();
    let registers = total / GRF_BYTES;
    if lies_in_place(inst, parts, headers, bytes)
        && !Span::of(&parts[0], total).overlaps(taken)
        && (!eot || is_high(&parts[0], b, target))
    {
        return (parts[0].retype(Type::Ud).with_stride(1), registers);
    }
    let may_share = parts.iter().all(|part| uses.never_changes(part));
    let found = shared.find(make, taken).filter(|_| may_share);
    let payload = found.unwrap_or_else(|| {
        let payload = Operand::vgrf(b.vregs().bytes(total.max(GRF_BYTES)), Type::Ud);
        b.collect(payload, headers as u8, parts);
        if may_share {
            let (parts, channels) = (parts.to_vec(), channels(inst));
            shared.add(Made { parts, headers, channels, payload, registers });
        }
        payload
    });
    if eot && let Some(info) = payload.vreg().and_then(|vreg| b.vregs().get_mut(vreg)) {
        info.min_register = target.registers.first_end_of_thread as u8;
        info.no_spill = true;
    }
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
