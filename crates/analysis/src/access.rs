//! The bytes of general registers that each instruction reads and writes.

use crestline_device::Device;
use crestline_isa::{
    AccessMode, Dst, Inst, Opcode, Place, PredCtrl, Reg, Region, Src, SrcReg, VStride,
};
use crestline_timing::{MessageSize, channels};

/// Number of general registers.
pub(crate) const REGISTERS: usize = 128;
/// Bytes of a general register.
pub(crate) const REGISTER_BYTES: u32 = 32;

/// Bytes of a general register, a bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bytes {
    pub(crate) register: u8,
    pub(crate) mask: u32,
}

/// The accesses of all instructions of a program.
pub(crate) struct Accesses {
    bytes: Vec<Bytes>,
    /// Per instruction: the ends of its reads and of its writes in `bytes`.
    ends: Vec<(usize, usize)>,
    /// Whether the bytes that each instruction writes have no part of their old contents afterwards, for the channels that
    /// execute it.
    replaces: Vec<bool>,
    /// Number of instructions with an operand whose address is in a register; its bytes are not among the accesses.
    pub(crate) indirect: u32,
}

impl Accesses {
    /// Finds the accesses of `insts`. `messages` has the sizes of their messages.
    pub(crate) fn new(
        insts: &[Inst],
        messages: &[Option<MessageSize>],
        device: &Device,
    ) -> Accesses {
        let mut found = Accesses {
            bytes: Vec::with_capacity(insts.len() * 4),
            ends: Vec::with_capacity(insts.len()),
            replaces: Vec::with_capacity(insts.len()),
            indirect: 0,
        };
        for (inst, message) in insts.iter().zip(messages) {
            found.add(inst, message.as_ref(), device);
        }
        found
    }

    /// The bytes that an instruction reads.
    pub(crate) fn reads(&self, index: usize) -> &[Bytes] {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before].1);
        &self.bytes[start..self.ends[index].0]
    }

    /// The bytes that an instruction writes.
    pub(crate) fn writes(&self, index: usize) -> &[Bytes] {
        &self.bytes[self.ends[index].0..self.ends[index].1]
    }

    /// The bytes whose old contents are lost by an instruction.
    pub(crate) fn replaced(&self, index: usize) -> &[Bytes] {
        if self.replaces[index] { self.writes(index) } else { &[] }
    }

    fn add(&mut self, inst: &Inst, message: Option<&MessageSize>, device: &Device) {
        let count = channels(inst, device);
        let is_indirect = |place: Place| matches!(place, Place::Indirect { .. });
        let sources = || inst.srcs.iter().filter_map(Src::as_reg);
        if sources().any(|src| is_indirect(src.place)) || is_indirect(inst.dst.place) {
            self.indirect += 1;
        }
        match message {
            Some(message) => {
                for (src, registers) in inst.srcs.iter().zip(message.payload) {
                    if let Some(Place::Direct { reg: Reg::Grf(first), .. }) =
                        src.as_reg().map(|src| src.place)
                    {
                        self.span(u32::from(first) * REGISTER_BYTES, registers * REGISTER_BYTES);
                    }
                }
            }
            None => sources().enumerate().for_each(|(n, src)| self.source(inst, n, src, count)),
        }
        let reads = self.bytes.len();
        if let Place::Direct { reg: Reg::Grf(first), sub } = inst.dst.place {
            let start = u32::from(first) * REGISTER_BYTES + u32::from(sub);
            match message {
                Some(message) => {
                    self.span(u32::from(first) * REGISTER_BYTES, message.response * REGISTER_BYTES)
                }
                None => self.destination(&inst.dst, start, inst, count),
            }
        }
        // `sel` writes all channels; its predicate selects the source.
        let partial = inst.predicate.ctrl != PredCtrl::None && inst.opcode != Opcode::Sel;
        self.ends.push((reads, self.bytes.len()));
        self.replaces.push(!partial);
    }

    fn destination(&mut self, dst: &Dst, start: u32, inst: &Inst, count: u32) {
        let size = dst.ty.size();
        if inst.access_mode == AccessMode::Align16 {
            for group in 0..count.div_ceil(4) {
                for component in (0..4).filter(|n| dst.writemask.0 >> n & 1 != 0) {
                    self.span(start + (4 * group + component) * size, size);
                }
            }
        } else if dst.hstride <= 1 {
            self.span(start, count * size);
        } else {
            let stride = u32::from(dst.hstride) * size;
            (0..count).for_each(|channel| self.span(start + channel * stride, size));
        }
    }

    /// Adds the bytes of source `number`.
    fn source(&mut self, inst: &Inst, number: usize, src: &SrcReg, count: u32) {
        let Place::Direct { reg: Reg::Grf(first), sub } = src.place else { return };
        let start = u32::from(first) * REGISTER_BYTES + u32::from(sub);
        let size = src.ty.size();
        // `pln` reads four coefficients, and two registers of barycentric coordinates for each eight channels.
        if inst.opcode == Opcode::Pln {
            let length = if number == 0 { 4 * size } else { 2 * count * size };
            return self.span(start, length);
        }
        match src.region {
            Region::Align1 { vstride: VStride::VxH, .. } => {}
            Region::ThreeAlign16 { rep: true, .. } => self.span(start, size),
            Region::ThreeAlign16 { rep: false, .. } => self.span(start, count * size),
            Region::Align16 { vstride, .. } => {
                let groups = count.div_ceil(4);
                let stride = u32::from(vstride) * size;
                (0..groups).for_each(|group| self.span(start + group * stride, 4 * size));
            }
            region @ (Region::Align1 { .. } | Region::ThreeAlign1 { .. }) => {
                let (vstride, width, hstride) = region.strides().unwrap_or((0, 1, 0));
                let width = width.max(1);
                if hstride == 1 && vstride == width {
                    return self.span(start, count * size);
                }
                let mut channel = 0;
                while channel < count {
                    let row = start + channel / width * vstride * size;
                    let columns = width.min(count - channel);
                    if hstride <= 1 {
                        self.span(row, if hstride == 0 { size } else { columns * size });
                    } else {
                        (0..columns).for_each(|n| self.span(row + n * hstride * size, size));
                    }
                    // All rows are equal.
                    if vstride == 0 {
                        break;
                    }
                    channel += width;
                }
            }
        }
    }

    /// Adds `length` bytes from byte `start` of the register file; leaves out what is beyond its end.
    fn span(&mut self, start: u32, length: u32) {
        let end = (start + length).min(REGISTERS as u32 * REGISTER_BYTES);
        let mut at = start;
        while at < end {
            let (register, first) = (at / REGISTER_BYTES, at % REGISTER_BYTES);
            let count = (end - at).min(REGISTER_BYTES - first);
            let mask = (u32::MAX >> (REGISTER_BYTES - count)) << first;
            self.bytes.push(Bytes { register: register as u8, mask });
            at += count;
        }
    }
}
