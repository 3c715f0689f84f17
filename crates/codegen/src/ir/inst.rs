//! Instructions, and the bytes that they read and write.

use crestline_isa::{AccessMode, CondMod, Opcode, PredCtrl, Predicate, Swsb, WriteMask};
use smallvec::SmallVec;

use super::{File, GRF_BYTES, Message, Op, Operand, Origin, Region, Span, Vreg};

/// The flag register that an instruction reads for its predicate or writes with its conditional modifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Flag {
    /// 16-bit subregister: 0 = f0.0, 1 = f0.1, 2 = f1.0, 3 = f1.1. A SIMD32 instruction also uses the next
    /// subregister.
    Fixed(u8),
    /// A virtual register of class [`Class::Flag`](super::Class::Flag).
    Virtual(Vreg),
}

/// One instruction. Two instructions that differ only in their [origins](Self::origin) are equal.
#[derive(Debug)]
pub struct Inst {
    /// Operation.
    pub op: Op,
    /// Destination; null if there is none.
    pub dst: Operand,
    /// Sources in the operation's order.
    pub srcs: SmallVec<[Operand; 3]>,
    /// Channels: 1, 2, 4, 8, 16 or 32.
    pub exec_size: u8,
    /// Channel group: the first channel of the thread that the instruction works on.
    pub group: u8,
    /// Align1 (operands are regions) or Align16 (operands have swizzles and write masks).
    pub access_mode: AccessMode,
    /// Whether the instruction ignores the execution mask and works on disabled channels too (NoMask).
    pub no_mask: bool,
    /// The predicate; its bits are in [`flag`](Self::flag).
    pub predicate: Predicate,
    /// Conditional modifier. It writes [`flag`](Self::flag), except in operations where it selects (see
    /// [`Op::cmod_selects`]).
    pub cond_mod: CondMod,
    /// Flag register of the predicate and of the conditional modifier; without meaning if the instruction has
    /// neither.
    pub flag: Flag,
    /// Whether the result is saturated.
    pub saturate: bool,
    /// Whether the result is also written to the accumulator (AccWrEn).
    pub acc_wr_en: bool,
    /// NoDDClr: the hardware scoreboard keeps the destination marked as in flight after this instruction.
    pub no_dd_clear: bool,
    /// NoDDChk: the instruction does not wait for an earlier write of its destination.
    pub no_dd_check: bool,
    /// Software scoreboard (gen12 on): what the instruction waits for and which token it sets. The last pass,
    /// [`lower_scoreboard`](crate::scoreboard::lower_scoreboard), fills it in.
    pub swsb: Swsb,
    /// The message to send; present exactly in [`Op::Message`] and [`Op::Send`].
    pub message: Option<Box<Message>>,
    /// Why the instruction is in the program.
    pub origin: Origin,
}

impl PartialEq for Inst {
    fn eq(&self, other: &Inst) -> bool {
        (self.dst, self.flag) == (other.dst, other.flag) && self.computes_as(other)
    }
}

impl Eq for Inst {}

impl Clone for Inst {
    fn clone(&self) -> Inst {
        Inst {
            // `from_slice` copies all operands at once; `SmallVec::clone` clones them one by one.
            srcs: SmallVec::from_slice(&self.srcs),
            message: self.message.clone(),
            ..*self
        }
    }
}

impl Inst {
    /// An unpredicated Align1 instruction for `exec_size` channels from channel 0.
    pub fn new(op: Op, exec_size: u8, dst: Operand, srcs: &[Operand]) -> Inst {
        Inst {
            op,
            dst,
            srcs: SmallVec::from_slice(srcs),
            exec_size,
            group: 0,
            access_mode: AccessMode::Align1,
            no_mask: false,
            predicate: Predicate::NONE,
            cond_mod: CondMod::None,
            flag: Flag::Fixed(0),
            saturate: false,
            acc_wr_en: false,
            no_dd_clear: false,
            no_dd_check: false,
            swsb: Swsb::default(),
            message: None,
            origin: Origin::UNKNOWN,
        }
    }

    /// Whether two instructions are equal except for their destinations, flags and origins. Names all fields, so that a
    /// new field must be considered here.
    pub(crate) fn computes_as(&self, other: &Inst) -> bool {
        let Inst {
            op,
            dst: _,
            srcs,
            exec_size,
            group,
            access_mode,
            no_mask,
            predicate,
            cond_mod,
            flag: _,
            saturate,
            acc_wr_en,
            no_dd_clear,
            no_dd_check,
            swsb,
            message,
            origin: _,
        } = self;
        (op, srcs, message) == (&other.op, &other.srcs, &other.message)
            && (exec_size, group) == (&other.exec_size, &other.group)
            && (access_mode, no_mask) == (&other.access_mode, &other.no_mask)
            && (predicate, cond_mod) == (&other.predicate, &other.cond_mod)
            && (saturate, acc_wr_en) == (&other.saturate, &other.acc_wr_en)
            && (no_dd_clear, no_dd_check) == (&other.no_dd_clear, &other.no_dd_check)
            && swsb == &other.swsb
    }

    /// Whether the instruction is predicated.
    pub fn is_predicated(&self) -> bool {
        self.predicate.ctrl != PredCtrl::None
    }

    /// Whether the predicate disables channels. The predicate of `sel` instead selects a source for each channel.
    pub fn predicate_disables(&self) -> bool {
        self.is_predicated() && !self.op.predicate_selects()
    }

    /// Whether the flag register is read.
    pub fn reads_flag(&self) -> bool {
        self.is_predicated()
    }

    /// Whether the flag register is written by the conditional modifier.
    pub fn writes_flag(&self) -> bool {
        self.cond_mod != CondMod::None && !self.op.cmod_selects()
    }

    /// Whether the accumulator is read, by operand or implicitly.
    pub fn reads_accumulator(&self) -> bool {
        self.op.reads_accumulator()
            || self.srcs.iter().any(|src| src.is_arf(crestline_isa::ArfKind::Accumulator))
    }

    /// Whether the accumulator is written, by operand or implicitly.
    pub fn writes_accumulator(&self) -> bool {
        self.acc_wr_en
            || self.op.writes_accumulator()
            || self.dst.is_arf(crestline_isa::ArfKind::Accumulator)
    }

    /// Whether the instruction is an ALU `mov`.
    pub fn is_mov(&self) -> bool {
        self.op == Op::Hw(Opcode::Mov)
    }

    /// The channels of each vector for which an Align16 instruction reads source `index`: the components that it
    /// writes, or, for a dot product, the components that it adds up.
    pub fn channels_read(&self, index: usize) -> WriteMask {
        match self.op {
            Op::Hw(Opcode::Dp2) => WriteMask(0b0011),
            Op::Hw(Opcode::Dp3) => WriteMask(0b0111),
            Op::Hw(Opcode::Dph) if index == 0 => WriteMask(0b0111),
            Op::Hw(Opcode::Dp4 | Opcode::Dph) => WriteMask::XYZW,
            Op::Hw(_) | Op::Math(_) => self.dst.write_mask(),
            _ => WriteMask::XYZW,
        }
    }

    /// Bytes from the offset of source `index` to the end of the last byte that it reads, gaps included.
    #[inline]
    pub fn size_read(&self, index: usize) -> u32 {
        let src = &self.srcs[index];
        match src.file {
            File::Null => 0,
            File::Imm(_) => src.ty.size(),
            _ if self.op.reads_by_region() => src.region_bytes(self.exec_size),
            _ => self.special_size_read(index),
        }
    }

    /// [`size_read`](Self::size_read) for operations with sources whose size does not follow from their region.
    fn special_size_read(&self, index: usize) -> u32 {
        let src = &self.srcs[index];
        let component = src.region_bytes(self.exec_size);
        match self.op {
            Op::Collect { headers } if index < usize::from(headers) => GRF_BYTES,
            Op::Message => {
                let headers = self.message.as_ref().map_or(0, |m| usize::from(m.headers));
                match index {
                    0 => src.ty.size(),
                    _ if index <= headers => GRF_BYTES,
                    _ => component,
                }
            }
            Op::Send => match index {
                0 => src.ty.size(),
                _ => self.payload_bytes(index),
            },
            Op::MovIndirect if index == 0 => {
                self.srcs[2].imm_bits().map_or(0, |bytes| bytes as u32)
            }
            // PLN reads two registers of source 1 for every eight channels, and a plane of four coefficients from
            // source 0.
            Op::Hw(Opcode::Pln | Opcode::Line) if index == 0 => 16,
            Op::Hw(Opcode::Pln) => 2 * component,
            _ => component,
        }
    }

    /// Payload size of a lowered send in bytes: source 1 is the first payload, source 2 the second.
    fn payload_bytes(&self, index: usize) -> u32 {
        let lengths = self.message.as_ref().map_or([0, 0], |m| m.lengths);
        lengths.get(index - 1).map_or(0, |registers| u32::from(*registers) * GRF_BYTES)
    }

    /// Bytes from the offset of the destination to the end of the last byte that the instruction writes, gaps
    /// included.
    #[inline]
    pub fn size_written(&self) -> u32 {
        #[cfg(test)]
        if fault::HALVED.get() {
            return self.true_size_written().div_ceil(2);
        }
        self.true_size_written()
    }

    /// [`size_written`](Self::size_written) without the fault that tests inject.
    #[inline]
    fn true_size_written(&self) -> u32 {
        match self.dst.file {
            File::Null => 0,
            _ if matches!(self.op, Op::Hw(_)) => self.dst.region_bytes(self.exec_size),
            _ => self.special_size_written(),
        }
    }

    /// [`size_written`](Self::size_written) for operations with a destination whose size does not follow from its
    /// region.
    fn special_size_written(&self) -> u32 {
        match self.op {
            Op::Message | Op::Send => self.message.as_ref().map_or(0, |m| m.response),
            Op::Collect { headers } => {
                let headers = usize::from(headers).min(self.srcs.len());
                let parts: u32 = self.srcs[headers..].iter().map(|src| self.part_bytes(src)).sum();
                headers as u32 * GRF_BYTES + parts
            }
            Op::MovIndirectDst => self.srcs[2].imm_bits().map_or(0, |bytes| bytes as u32),
            Op::Math(crestline_isa::MathFn::IntDiv) => {
                self.dst.region_bytes(self.exec_size) + GRF_BYTES
            }
            _ => self.dst.region_bytes(self.exec_size),
        }
    }

    /// Size of a payload part in a payload, in bytes: one packed component, rounded up to whole registers.
    pub fn part_bytes(&self, part: &Operand) -> u32 {
        (u32::from(self.exec_size) * part.ty.size()).next_multiple_of(GRF_BYTES)
    }

    /// The bytes source `index` covers.
    pub fn span_read(&self, index: usize) -> Span {
        Span::of(&self.srcs[index], self.size_read(index))
    }

    /// The bytes the destination covers.
    pub fn span_written(&self) -> Span {
        Span::of(&self.dst, self.size_written())
    }

    /// Whether source `index` overlaps the destination's bytes.
    pub fn dst_overlaps_src(&self, index: usize) -> bool {
        self.span_read(index).overlaps(&self.span_written())
    }

    /// Whether the destination may keep old bytes for channels that control flow enables. Reasons are a predicate
    /// (unless it selects), a stride with gaps, a write mask without all components and an indirect destination. A
    /// predicated message keeps the old bytes of its response in the same way. This does not cover channels that
    /// control flow disables: they keep their old bytes unless [`no_mask`](Self::no_mask) is set.
    pub fn is_partial_write(&self) -> bool {
        self.predicate_disables()
            || self.op == Op::MovIndirectDst
            || match self.dst.region {
                Region::Stride(stride) => stride > 1,
                Region::Mask(mask) => mask.0 != 15,
                _ => true,
            }
    }

    /// Whether the instruction has an effect other than writing its destination, flag and accumulator.
    pub fn has_side_effects(&self) -> bool {
        self.op.is_flow()
            || matches!(self.op, Op::Await | Op::Sync(_))
            || matches!(self.op, Op::Hw(Opcode::Wait | Opcode::Nop | Opcode::Sync))
            || self.message.as_ref().is_some_and(|m| m.eot || m.effect >= super::Effect::Write)
            || matches!(self.dst.file, File::Arf(kind) if !matches!(
                kind,
                crestline_isa::ArfKind::Null
                    | crestline_isa::ArfKind::Accumulator
                    | crestline_isa::ArfKind::Flag
                    | crestline_isa::ArfKind::Address
            ))
    }
}

/// A fault that tests inject into [`Inst::size_written`]. The allocator and the spill pass use that function; the
/// allocation checker must not, so that it finds the fault.
#[cfg(test)]
pub(crate) mod fault {
    use std::cell::Cell;

    std::thread_local! {
        /// Whether `size_written` returns half of the true size, in this thread.
        pub(crate) static HALVED: Cell<bool> = const { Cell::new(false) };
    }
}
