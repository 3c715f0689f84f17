//! Resolves operands (regions, swizzles, indirect addressing) to one byte offset per channel.

use crate::error::Reject;
use crate::plan::{
    Destination, DestinationKind, IndirectLanes, MAX_LANES, Modifier, Source, SourceKind,
};
use crate::registers::{
    ACCUMULATOR, ByteSet, GRF_END, LAST, arf_offset, is_accumulator, is_control, is_flag,
    is_live_state,
};
use crestline_device::Device;
use crestline_isa::semantics::convert::{vector_uv, vector_v, vector_vf};
use crestline_isa::{
    AccessMode, ArfKind, Dst, Imm, Inst, Place, Reg, Region, Src, SrcReg, Type, TypeClass, VStride,
};

/// The instruction and device of an operand, which determine its offsets.
pub(crate) struct Context<'a> {
    pub(crate) device: &'a Device,
    pub(crate) inst: &'a Inst,
    /// Channels of the executor's function that will run: at least those of the instruction.
    pub(crate) lanes: usize,
    /// Whether regions and strides count dwords, two for each channel.
    pub(crate) counts_dwords: bool,
}

/// Whether regions, strides and the execution size of an instruction count dwords. This is so for instructions with a
/// DF operand on devices that have no regions of 64-bit elements.
pub(crate) fn counts_dwords(inst: &Inst, device: &Device) -> bool {
    let wide = |ty: Type| ty == Type::Df;
    device.df_exec_size_counts_dwords()
        && !inst.opcode.is_send()
        && (wide(inst.dst.ty) || inst.srcs.iter().filter_map(Src::ty).any(wide))
}

impl<'a> Context<'a> {
    /// The context for a function that computes `lanes` channels.
    pub(crate) fn new(inst: &'a Inst, device: &'a Device, lanes: usize) -> Context<'a> {
        Context { device, inst, lanes, counts_dwords: counts_dwords(inst, device) }
    }

    fn channels(&self) -> usize {
        usize::from(self.inst.exec_size)
    }

    /// The byte distance of each channel's element from the operand's start. `slot` returns the distance of a slot.
    /// Normally each channel has one slot. If the execution size counts dwords, each channel has two slots, and a
    /// 64-bit element must fill both.
    fn per_channel(
        &self,
        size: i32,
        slot: impl Fn(i32) -> Result<i32, Reject>,
    ) -> Result<[i32; MAX_LANES], Reject> {
        let mut distances = [0; MAX_LANES];
        for (lane, distance) in distances.iter_mut().enumerate().take(self.channels()) {
            let lane = lane as i32;
            if !self.counts_dwords {
                *distance = slot(lane)?;
                continue;
            }
            *distance = slot(2 * lane)?;
            if size == 8 && slot(2 * lane + 1)? != *distance + 4 {
                let what = format!(
                    "region that separates the two dwords of the 64-bit element of channel {lane}"
                );
                return Err(Reject::Illegal(what));
            }
        }
        Ok(distances)
    }

    /// Byte distance of each channel's element from the start of a source.
    fn distances(&self, region: Region, size: i32) -> Result<[i32; MAX_LANES], Reject> {
        // The unit of strides and swizzles, in bytes.
        let unit = if self.counts_dwords { 4 } else { size };
        match region {
            Region::Align1 { vstride: VStride::VxH, .. } => self.per_channel(0, |_| Ok(0)),
            Region::Align1 { .. } | Region::ThreeAlign1 { .. } => {
                let (v, w, h) = region.strides().unwrap_or((0, 1, 0));
                let w = w.max(1) as i32;
                self.per_channel(size, |i| Ok((i / w * v as i32 + i % w * h as i32) * unit))
            }
            Region::Align16 { vstride, swizzle } => {
                self.align16(size, unit, vstride.into(), swizzle.0)
            }
            Region::ThreeAlign16 { rep: true, .. } => self.per_channel(0, |_| Ok(0)),
            Region::ThreeAlign16 { rep: false, swizzle } => self.align16(size, unit, 4, swizzle.0),
        }
    }

    /// The distances of an Align16 source: rows of 16 bytes with a vertical stride; the swizzle selects the component
    /// in the row. The swizzle selects dwords: a 64-bit element is selected by two of its entries, and a row contains
    /// two elements. The second half of a compressed instruction starts in the next register, independent of the
    /// stride.
    fn align16(
        &self,
        size: i32,
        unit: i32,
        vstride: i32,
        swizzle: [u8; 4],
    ) -> Result<[i32; MAX_LANES], Reject> {
        let component = |slot: i32| i32::from(swizzle[(slot % 4) as usize]);
        let row = |row: i32, half: i32, rows: i32, bytes: i32| {
            if self.device.has_compressed_instructions() && self.channels() as i32 * size > 32 {
                half * 32 + row % rows * bytes
            } else {
                row * bytes
            }
        };
        if unit != 8 {
            // A row has four elements. A register contains two rows of dwords.
            let bytes = vstride * unit;
            return self
                .per_channel(size, |i| Ok(row(i / 4, i / 8, 2, bytes) + component(i) * unit));
        }
        self.per_channel(size, |i| {
            let (low, high) = (component(2 * i), component(2 * i + 1));
            if low % 2 != 0 || high != low + 1 {
                let what = format!(
                    "swizzle that separates the two dwords of the 64-bit element of channel {i}"
                );
                return Err(Reject::Illegal(what));
            }
            let bytes = if vstride == 0 { 0 } else { 16 };
            Ok(row(i / 2, i / 4, 2, bytes) + low * 4)
        })
    }

    /// The offset in the register array at which a direct operand starts.
    fn start(&self, reg: Reg, sub: u8) -> Result<usize, Reject> {
        let base = match reg {
            Reg::Grf(number) => usize::from(number) * 32,
            Reg::Mrf(number) => {
                return Err(Reject::Illegal(format!("message register m{number}")));
            }
            Reg::Arf(kind, number) => arf_offset(kind, number)
                .ok_or_else(|| Reject::Unsupported(format!("register {}{number}", kind.name())))?,
        };
        Ok(base + usize::from(sub))
    }

    /// The offsets of all channels. An error if the operand extends beyond its register file.
    fn offsets(
        &self,
        start: usize,
        distances: &[i32; MAX_LANES],
        size: usize,
    ) -> Result<Box<[u16; MAX_LANES]>, Reject> {
        let end = if start < GRF_END { GRF_END } else { LAST };
        let mut offsets = Box::new([0u16; MAX_LANES]);
        for lane in 0..MAX_LANES {
            // Lanes beyond the instruction's channels read the same element as channel 0.
            let distance = if lane < self.channels() { distances[lane] } else { distances[0] };
            let offset = start as i64 + i64::from(distance);
            let fits = offset >= 0 && offset as usize + size <= end;
            if !fits && end == LAST {
                // The validation rules check the number of registers of each kind.
                let what = format!("channel {lane} of an architecture register's region");
                return Err(Reject::Unsupported(what));
            }
            if !fits {
                return Err(Reject::Illegal(format!(
                    "channel {lane} of an operand at byte {start} lies at byte {offset}, \
                     beyond the register file"
                )));
            }
            offsets[lane] = offset as u16;
        }
        Ok(offsets)
    }

    /// Resolves an indirect operand with the address subregister `addr` and the immediate `offset`. `rows` are width
    /// and horizontal stride if each row has its own address.
    fn indirect(
        &self,
        addr: u8,
        offset: i16,
        distances: &[i32; MAX_LANES],
        rows: Option<(u8, u8)>,
        size: i32,
    ) -> Result<Box<IndirectLanes>, Reject> {
        let words = self.device.address_register_words();
        let mut lanes = IndirectLanes {
            subregister: [addr; MAX_LANES],
            delta: [offset; MAX_LANES],
            drops_carry: self.device.has_indirect_carry_bug().then_some(offset),
            row: rows.filter(|(width, hstride)| *width > 1 && *hstride > 0).map(
                |(width, hstride)| (offset, ((width - 1) * hstride + 1).saturating_mul(size as u8)),
            ),
        };
        for (lane, distance) in distances.iter().enumerate().take(self.channels()) {
            let slot = if self.counts_dwords { 2 * lane as u8 } else { lane as u8 };
            let (row, within) = match rows {
                // Each row of `width` channels has its own address.
                Some((width, hstride)) => {
                    let within = slot % width.max(1) * hstride;
                    (slot / width.max(1), i32::from(within))
                }
                None => (0, 0),
            };
            lanes.subregister[lane] = addr + row;
            let delta = i32::from(offset) + distance + within * size;
            lanes.delta[lane] = i16::try_from(delta)
                .map_err(|_| Reject::Illegal(format!("address offset {delta}")))?;
            if u32::from(lanes.subregister[lane]) >= words {
                return Err(Reject::Illegal(format!(
                    "address subregister a0.{}: there are {words}",
                    lanes.subregister[lane]
                )));
            }
        }
        Ok(Box::new(lanes))
    }

    /// Resolves a source operand. In logic instructions a negation means bitwise not on some devices.
    pub(crate) fn source(&self, src: &Src) -> Result<Source, Reject> {
        match src {
            Src::None => Ok(Source::none()),
            Src::Imm(imm) => Ok(immediate(imm)),
            Src::Reg(reg) => self.register_source(reg),
        }
    }

    /// Resolves a register source. It is scalar, packed or strided, whichever is the first that applies.
    fn register_source(&self, reg: &SrcReg) -> Result<Source, Reject> {
        let size = reg.ty.size() as usize;
        if reg.place.is_null() {
            // The null register reads as zero with any region.
            let kind = SourceKind::Scalar(self.start(Reg::NULL, 0)? as u16);
            return Ok(Source { kind, ty: reg.ty, ..Source::none() });
        }
        let distances = self.distances(reg.region, size as i32)?;
        let invert = self.inst.opcode.is_logic() && self.device.has_logic_not_modifier();
        // The absolute value of an unsigned element is the element.
        let abs = reg.abs && !matches!(reg.ty.class(), TypeClass::Unsigned);
        let modifier = match (abs, reg.negate) {
            (false, false) => Modifier::None,
            (false, true) if invert => Modifier::Invert,
            (false, true) => Modifier::Negate,
            (true, false) => Modifier::Absolute,
            (true, true) => Modifier::NegateAbsolute,
        };
        let (kind, bytes, live_state) = match reg.place {
            Place::Direct { reg: place, sub } => {
                let start = self.start(place, sub)?;
                let offsets = self.offsets(start, &distances, size)?;
                let channels = self.channels();
                let all = offsets.iter().take(channels).map(|&offset| usize::from(offset));
                let bytes = ByteSet::of(all.clone(), size);
                let live = all.clone().any(is_live_state);
                let kind = if all.clone().all(|offset| offset == usize::from(offsets[0])) {
                    SourceKind::Scalar(offsets[0])
                } else if channels == self.lanes
                    && start % 4 == 0
                    && !bytes.is_spread()
                    && all.enumerate().all(|(lane, offset)| offset == start + lane * size)
                {
                    SourceKind::Packed(offsets[0])
                } else {
                    SourceKind::Strided(offsets)
                };
                (kind, bytes, live)
            }
            Place::Indirect { addr, offset } => {
                let rows = match reg.region {
                    Region::Align1 { vstride: VStride::VxH, width, hstride } => {
                        Some((width, hstride))
                    }
                    _ => None,
                };
                let lanes = self.indirect(addr, offset, &distances, rows, size as i32)?;
                (SourceKind::Indirect(lanes), ByteSet::default(), false)
            }
        };
        Ok(Source { kind, ty: reg.ty, modifier, bytes, live_state })
    }

    /// The u (`half` 0) or v (`half` 1) values of the second source of `pln`. For each eight channels, the source has
    /// one register of u and then one of v.
    pub(crate) fn plane_deltas(&self, reg: &SrcReg, half: usize) -> Result<Source, Reject> {
        let Place::Direct { reg: place, sub } = reg.place else {
            return Err(Reject::Unsupported("indirect pln".into()));
        };
        let start = self.start(place, sub)? + 32 * half;
        let mut distances = [0; MAX_LANES];
        for (lane, distance) in distances.iter_mut().enumerate().take(self.channels()) {
            *distance = (lane / 8 * 64 + lane % 8 * 4) as i32;
        }
        let offsets = self.offsets(start, &distances, 4)?;
        let all = offsets.iter().take(self.channels()).map(|&offset| usize::from(offset));
        let bytes = ByteSet::of(all, 4);
        let modifier = if reg.negate { Modifier::Negate } else { Modifier::None };
        let kind = match self.channels() {
            8 => SourceKind::Halves([offsets[0]; 2]),
            16 => SourceKind::Halves([offsets[0], offsets[8]]),
            _ => SourceKind::Strided(offsets),
        };
        Ok(Source { kind, ty: reg.ty, modifier, bytes, live_state: false })
    }

    /// The channels whose component the write mask enables.
    pub(crate) fn written_channels(&self, dst: &Dst) -> u32 {
        let full = u32::MAX >> (32 - self.channels());
        let components = match (self.inst.access_mode, dst.ty.size(), dst.writemask.0 & 15) {
            (AccessMode::Align1, ..) => 0b1111,
            // Only these two masks select dwords in each row of two doubles. This was found by trial on gen7; compilers
            // avoid these masks.
            (AccessMode::Align16, 8, 0b0011) => 0b0101,
            (AccessMode::Align16, 8, 0b1100) => 0b1010,
            (AccessMode::Align16, _, mask) => u32::from(mask),
        };
        full & (components * 0x1111_1111)
    }

    /// Resolves a destination operand.
    pub(crate) fn destination(&self, dst: &Dst) -> Result<Destination, Reject> {
        let size = dst.ty.size() as usize;
        let unit = if self.counts_dwords { 4 } else { size as i32 };
        let stride = i32::from(dst.hstride.max(1)) * unit;
        let lanes = self.written_channels(dst);
        let mut destination = Destination {
            kind: DestinationKind::Null,
            ty: dst.ty,
            bytes: ByteSet::default(),
            lanes,
            accumulator: None,
            flag: false,
            control: false,
        };
        if dst.place.is_null() {
            return Ok(destination);
        }
        let distances = self.per_channel(size as i32, |i| Ok(i * stride))?;
        match dst.place {
            Place::Direct { reg, sub } => {
                let start = self.start(reg, sub)?;
                // If each channel has two dwords, a 32-bit result is followed by an undefined dword.
                let align1 = self.inst.access_mode == AccessMode::Align1;
                let pairs = self.counts_dwords && size == 4 && align1;
                let written = if pairs { 2 * size } else { size };
                let offsets = self.offsets(start, &distances, written)?;
                let channels = self.channels();
                let all = offsets.iter().take(channels).map(|&offset| usize::from(offset));
                destination.bytes = ByteSet::of(all.clone(), written);
                destination.control = all.clone().any(is_control);
                destination.flag = all.clone().any(is_flag);
                if is_accumulator(start) && size == 4 {
                    destination.accumulator = u8::try_from((start - ACCUMULATOR) / 4).ok();
                }
                let packed = all.enumerate().all(|(lane, offset)| offset == start + lane * size);
                let aligned = start % 4 == 0 && !destination.bytes.is_spread();
                destination.kind = if pairs {
                    DestinationKind::Pairs(offsets)
                } else if packed && aligned && channels == self.lanes {
                    DestinationKind::Packed(offsets[0])
                } else {
                    DestinationKind::Strided(offsets)
                };
            }
            Place::Indirect { addr, offset } => {
                let lanes = self.indirect(addr, offset, &distances, None, size as i32)?;
                destination.kind = DestinationKind::Indirect(lanes);
            }
        }
        Ok(destination)
    }

    /// The accumulator as the implicit destination of an instruction.
    pub(crate) fn accumulator(&self, ty: Type) -> Result<Destination, Reject> {
        let reg = Reg::Arf(ArfKind::Accumulator, 0);
        self.destination(&Dst::new(Place::Direct { reg, sub: 0 }, ty, 1))
    }
}

/// Resolves an immediate source. Packed vectors are expanded to their elements.
fn immediate(imm: &Imm) -> Source {
    let bits = imm.bits as u32;
    let kind = match imm.ty {
        Type::V => SourceKind::Vector(Box::new(std::array::from_fn(|lane| {
            vector_v(bits, lane).cast_unsigned().into()
        }))),
        Type::Uv => {
            SourceKind::Vector(Box::new(std::array::from_fn(|lane| vector_uv(bits, lane).into())))
        }
        Type::Vf => SourceKind::Vector(Box::new(std::array::from_fn(|lane| {
            vector_vf(bits, lane).to_bits().into()
        }))),
        _ => SourceKind::Immediate(imm.bits),
    };
    Source { kind, ty: imm.ty, ..Source::none() }
}
