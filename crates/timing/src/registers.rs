//! The registers that an instruction reads and writes, for the purpose of waiting.
//!
//! The hardware waits for whole general registers, so a *slot* is a register of 32 bytes, or a smaller part of the
//! architecture registers: a byte of a flag register, an accumulator, the address register. An operand takes all
//! registers from its first to its last byte.

use crestline_device::Device;
use crestline_isa::{
    AccessMode, ArfKind, CondMod, DescSrc, Dst, Extra, Inst, Opcode, Place, PredCtrl, Reg, Region,
    Src, SyncFn, TokenMode, Type, VStride,
};

/// Bytes of a general register.
pub(crate) const GRF_BYTES: u32 = 32;
/// Number of general registers.
const GRFS: u32 = 128;
/// Message registers, accumulators, the address register and the bytes of the flag registers follow the general registers.
const MRF: u32 = GRFS;
const MRFS: u32 = 24;
const ACCUMULATOR: u32 = MRF + MRFS;
const ACCUMULATORS: u32 = 12;
const LAST_ACCUMULATOR: u32 = ACCUMULATOR + ACCUMULATORS - 1;
const ADDRESS: u32 = LAST_ACCUMULATOR + 1;
const FLAG: u32 = ADDRESS + 1;
const FLAG_BYTES: u32 = 8;
const LAST_FLAG: u32 = FLAG + FLAG_BYTES - 1;
/// The software scoreboard's tokens (gen12): one slot each for the result and for the payload of the token's message.
const TOKEN_RESULT: u32 = FLAG + FLAG_BYTES;
const TOKENS: u32 = 16;
const TOKEN_PAYLOAD: u32 = TOKEN_RESULT + TOKENS;

/// A register or part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Slot(u32);

impl Slot {
    /// Number of slots.
    pub(crate) const COUNT: usize = (TOKEN_PAYLOAD + TOKENS) as usize;

    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }

    /// Whether it is a token of the software scoreboard.
    pub(crate) const fn is_token(self) -> bool {
        self.0 >= TOKEN_RESULT
    }

    /// Which latency of an instruction applies to a write of the slot.
    pub(crate) fn latency(self) -> Latency {
        match self.0 {
            ACCUMULATOR..=LAST_ACCUMULATOR => Latency::Accumulator,
            FLAG..=LAST_FLAG => Latency::Flag,
            _ => Latency::Result,
        }
    }
}

/// The latency that applies to a written slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Latency {
    Result,
    Accumulator,
    Flag,
}

/// How an instruction accesses a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Reads it at the issue.
    Read,
    /// Reads it as payload of a message, after the issue.
    Payload,
    /// Writes it.
    Write,
}

/// Calls `visit` for each slot that an instruction accesses. `lengths` are the registers of a message's payloads and
/// response.
pub(crate) fn accesses(
    inst: &Inst,
    device: &Device,
    lengths: Lengths,
    visit: &mut impl FnMut(Slot, Access),
) {
    let channels = channels(inst, device);
    if let Some(send) = inst.send() {
        for (src, count) in inst.srcs.iter().zip(lengths.payload) {
            if let Some(Place::Direct { reg, .. }) = src.as_reg().map(|src| src.place) {
                registers(reg, 0, count * GRF_BYTES, &mut |slot| visit(slot, Access::Payload));
            }
        }
        for desc in [send.desc, send.ex_desc] {
            if matches!(desc, DescSrc::Reg { .. }) {
                visit(Slot(ADDRESS), Access::Read);
            }
        }
        if let Place::Direct { reg, .. } = inst.dst.place {
            let bytes = lengths.response * GRF_BYTES;
            registers(reg, 0, bytes, &mut |slot| visit(slot, Access::Write));
        }
    } else {
        for src in &inst.srcs {
            source(src, channels, &mut |slot| visit(slot, Access::Read));
        }
        match inst.dst.place {
            Place::Direct { reg, sub } => {
                let bytes = destination_bytes(&inst.dst, inst.access_mode, channels);
                registers(reg, sub.into(), bytes, &mut |slot| visit(slot, Access::Write));
            }
            Place::Indirect { .. } => visit(Slot(ADDRESS), Access::Read),
        }
    }
    if inst.predicate.ctrl != PredCtrl::None {
        flags(inst, &mut |slot| visit(slot, Access::Read));
    }
    if inst.cond_mod != CondMod::None && !matches!(inst.opcode, Opcode::Sel | Opcode::Csel) {
        flags(inst, &mut |slot| visit(slot, Access::Write));
    }
    tokens(inst, visit);
    let implicit = |visit: &mut dyn FnMut(Slot)| {
        registers(Reg::Arf(ArfKind::Accumulator, 0), 0, 4 * channels, &mut |slot| visit(slot));
    };
    if matches!(inst.opcode, Opcode::Mac | Opcode::Mach | Opcode::Sada2) {
        implicit(&mut |slot| visit(slot, Access::Read));
    }
    if inst.acc_wr_en || matches!(inst.opcode, Opcode::Addc | Opcode::Subb) {
        implicit(&mut |slot| visit(slot, Access::Write));
    }
}

/// Calls `visit` for the tokens of the software scoreboard that an instruction waits for or sets.
fn tokens(inst: &Inst, visit: &mut impl FnMut(Slot, Access)) {
    let payload = |id: u32| Slot(TOKEN_PAYLOAD + id);
    let result = |id: u32| Slot(TOKEN_RESULT + id);
    if let Some(token) = inst.swsb.token {
        let id = u32::from(token.id).min(TOKENS - 1);
        match token.mode {
            TokenMode::Src => visit(payload(id), Access::Read),
            TokenMode::Dst => visit(result(id), Access::Read),
            TokenMode::Set => {
                visit(payload(id), Access::Payload);
                visit(result(id), Access::Write);
            }
        }
    }
    if let Extra::Sync(function) = inst.extra {
        let mask = match inst.srcs[0].as_imm() {
            Some(mask) => mask.bits as u32,
            None => u32::MAX,
        };
        for id in (0..TOKENS).filter(|id| mask >> id & 1 != 0) {
            match function {
                SyncFn::AllRd => visit(payload(id), Access::Read),
                SyncFn::AllWr => visit(result(id), Access::Read),
                SyncFn::Nop | SyncFn::Bar | SyncFn::Host => {}
            }
        }
    }
}

/// The registers of a message's payloads and response.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lengths {
    pub(crate) payload: [u32; 2],
    pub(crate) response: u32,
}

/// Number of channels in the units of the operands' types.
pub(crate) fn channels(inst: &Inst, device: &Device) -> u32 {
    let channels = u32::from(inst.exec_size).clamp(1, 32);
    let has_double =
        || inst.dst.ty == Type::Df || inst.srcs.iter().any(|src| src.ty() == Some(Type::Df));
    if device.df_exec_size_counts_dwords() && has_double() {
        (channels / 2).max(1)
    } else {
        channels
    }
}

/// Bytes from the first to behind the last byte of a destination.
pub(crate) fn destination_bytes(dst: &Dst, mode: AccessMode, channels: u32) -> u32 {
    let stride = match mode {
        AccessMode::Align1 => u32::from(dst.hstride).clamp(1, 8),
        AccessMode::Align16 => 1,
    };
    ((channels - 1) * stride + 1) * dst.ty.size()
}

/// Calls `visit` for each slot of a source.
fn source(src: &Src, channels: u32, visit: &mut impl FnMut(Slot)) {
    let Some(src) = src.as_reg() else { return };
    match src.place {
        Place::Direct { reg, sub } => {
            registers(
                reg,
                sub.into(),
                source_elements(src.region, channels) * src.ty.size(),
                visit,
            );
        }
        Place::Indirect { .. } => visit(Slot(ADDRESS)),
    }
}

/// Elements from the first to behind the last one that a region reads.
fn source_elements(region: Region, channels: u32) -> u32 {
    let rows = |vstride: u32, width: u32, hstride: u32| {
        let last = channels - 1;
        let width = width.max(1);
        (last / width) * vstride + last.min(width - 1) * hstride + 1
    };
    match region {
        Region::Align1 { vstride: VStride::VxH, .. } => 1,
        Region::Align16 { vstride, .. } => (channels - 1) / 4 * u32::from(vstride) + 4,
        Region::ThreeAlign16 { rep: true, .. } => 1,
        Region::ThreeAlign16 { rep: false, .. } => channels,
        Region::Align1 { .. } | Region::ThreeAlign1 { .. } => {
            let (vstride, width, hstride) = region.strides().unwrap_or((0, 1, 0));
            rows(vstride, width, hstride)
        }
    }
}

/// Calls `visit` for each slot of `bytes` bytes from byte `sub` of a register.
fn registers(reg: Reg, sub: u32, bytes: u32, visit: &mut impl FnMut(Slot)) {
    let span = |first: u32, limit: u32, base: u32, visit: &mut dyn FnMut(Slot)| {
        let end = first + (sub + bytes).div_ceil(GRF_BYTES);
        (first + sub / GRF_BYTES..end.min(limit)).for_each(|number| visit(Slot(base + number)));
    };
    match reg {
        Reg::Grf(number) => span(number.into(), GRFS, 0, visit),
        Reg::Mrf(number) => span(number.into(), MRFS, MRF, visit),
        Reg::Arf(ArfKind::Accumulator, number) => {
            span(number.into(), ACCUMULATORS, ACCUMULATOR, visit);
        }
        Reg::Arf(ArfKind::Address, _) => visit(Slot(ADDRESS)),
        Reg::Arf(ArfKind::Flag, number) => {
            let first = u32::from(number) * 4 + sub;
            (first..(first + bytes).min(FLAG_BYTES)).for_each(|byte| visit(Slot(FLAG + byte)));
        }
        Reg::Arf(..) => {}
    }
}

/// Calls `visit` for the flag bytes of an instruction's channels.
fn flags(inst: &Inst, visit: &mut impl FnMut(Slot)) {
    let first = u32::from(inst.flag.nr) * 4 + u32::from(inst.flag.subnr) * 2;
    let group = u32::from(inst.group) / 8;
    let count = u32::from(inst.exec_size).div_ceil(8).max(1);
    let bytes = first + group..(first + group + count).min(FLAG_BYTES);
    bytes.for_each(|byte| visit(Slot(FLAG + byte)));
}
