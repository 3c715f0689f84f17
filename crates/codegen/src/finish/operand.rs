//! Operands of machine instructions: register number, subregister and region.

use crate::target::Target;
use crestline_isa::{
    AccessMode, ArfKind, Dst, Imm, Place, Reg, Region as IsaRegion, Src, SrcReg, Swizzle, Type,
    VStride,
};

use super::FinishError;
use crate::ir::{File, GRF_BYTES, Inst, Op, Operand, Region};
use crate::legal;

/// Converts the operands of one instruction.
pub(super) struct Placer<'a> {
    pub(super) inst: &'a Inst,
    pub(super) target: &'a Target,
}

impl Placer<'_> {
    pub(super) fn fail(&self, what: &'static str, operand: &Operand) -> FinishError {
        FinishError::Operand { what, operand: operand.to_string(), inst: self.inst.to_string() }
    }

    /// The register, or the address in a0, of an operand.
    pub(super) fn place(&self, operand: &Operand) -> Result<Place, FinishError> {
        let direct = |reg, sub: u32| Ok(Place::Direct { reg, sub: sub as u8 });
        let number = |at: u32| {
            u8::try_from(at).map_err(|_| self.fail("register number out of range", operand))
        };
        match operand.file {
            File::Null => Ok(Place::NULL),
            File::Grf if operand.offset < self.target.registers.count * GRF_BYTES => {
                direct(Reg::Grf(number(operand.offset / GRF_BYTES)?), operand.offset % GRF_BYTES)
            }
            File::Arf(kind) => {
                let size = if kind == ArfKind::Flag { 4 } else { GRF_BYTES };
                direct(Reg::Arf(kind, number(operand.offset / size)?), operand.offset % size)
            }
            File::Indirect { addr } => {
                let offset = i16::try_from(operand.offset)
                    .map_err(|_| self.fail("address offset out of range", operand))?;
                Ok(Place::Indirect { addr, offset })
            }
            _ => Err(self.fail("the operand is not in a register", operand)),
        }
    }

    /// The destination of an arithmetic instruction.
    pub(super) fn dst(&self) -> Result<Dst, FinishError> {
        let dst = &self.inst.dst;
        if dst.is_null() {
            let null = Dst::new(Place::NULL, self.null_type(), 1);
            return Ok(null.with_writemask(dst.write_mask()));
        }
        let place = self.place(dst)?;
        let pairs = legal::doubles::counts_dwords(self.inst, self.target);
        match dst.region {
            // Each channel advances by two dwords, which the hardware counts as one element.
            Region::Stride(0..=2) if pairs && self.inst.access_mode == AccessMode::Align1 => {
                Ok(Dst::new(place, dst.ty, 1))
            }
            Region::Stride(0) => Ok(Dst::new(place, dst.ty, 1)),
            Region::Stride(stride @ (1 | 2 | 4)) => Ok(Dst::new(place, dst.ty, stride)),
            Region::Mask(mask) => Ok(Dst::new(place, dst.ty, 1).with_writemask(mask)),
            _ => Err(self.fail("the destination's region cannot be encoded", dst)),
        }
    }

    /// The type of a null destination, which is chosen so that the instruction does not convert its result.
    fn null_type(&self) -> Type {
        let vector = |src: &&Operand| !src.ty.is_packed_vector();
        self.inst.srcs.iter().find(vector).map_or(self.inst.dst.ty, |src| match src.ty.size() {
            1 => Type::Uw,
            _ => src.ty,
        })
    }

    /// Source `index` of an arithmetic instruction.
    pub(super) fn src(&self, index: usize) -> Result<Src, FinishError> {
        let src = &self.inst.srcs[index];
        if let File::Imm(bits) = src.file {
            let size = if src.ty.is_packed_vector() { 4 } else { src.ty.size() };
            let mask = if size >= 8 { u64::MAX } else { (1 << (8 * size)) - 1 };
            return Ok(Src::Imm(Imm { ty: src.ty, bits: bits & mask }));
        }
        let (start, region) = if self.inst.access_mode == AccessMode::Align16 {
            self.align16_source(index)?
        } else if legal::is_three_source(self.inst.op) {
            (*src, self.three_source_region(index, src)?)
        } else {
            (*src, self.region(src)?)
        };
        Ok(Src::Reg(SrcReg {
            place: self.place(&start)?,
            ty: src.ty,
            region,
            negate: src.negate,
            abs: src.abs,
            mme: None,
        }))
    }

    /// The region of a three-source instruction's operand.
    fn three_source_region(&self, index: usize, src: &Operand) -> Result<IsaRegion, FinishError> {
        if self.target.has_align1_three_source() {
            let step = src.linear_stride(self.inst.exec_size);
            let step =
                step.ok_or_else(|| self.fail("the region is not valid for three sources", src))?;
            // Source 2 has no vertical stride. A vertical stride of 1 cannot be encoded, so consecutive elements are
            // rows of eight; other distances are rows of two elements.
            let vstride = (index != 2).then_some(if step == 1 { 8 } else { step * 2 });
            return Ok(IsaRegion::ThreeAlign1 { vstride, hstride: step });
        }
        match src.region {
            Region::SCALAR => Ok(IsaRegion::ThreeAlign16 { rep: true, swizzle: Swizzle::XYZW }),
            _ if src.is_packed() => {
                Ok(IsaRegion::ThreeAlign16 { rep: false, swizzle: Swizzle::XYZW })
            }
            _ => Err(self.fail("the region is not valid for three sources", src)),
        }
    }

    /// The region of an operand of an instruction with one or two sources.
    fn region(&self, src: &Operand) -> Result<IsaRegion, FinishError> {
        let exec_size = self.inst.exec_size;
        let encode = |vstride: u8, width: u8, hstride: u8| {
            let valid = matches!(vstride, 0 | 1 | 2 | 4 | 8 | 16 | 32)
                && matches!(width, 1 | 2 | 4 | 8 | 16)
                && matches!(hstride, 0 | 1 | 2 | 4);
            match valid {
                true => Ok(IsaRegion::align1(vstride, width, hstride)),
                false => Err(self.fail("the region cannot be encoded", src)),
            }
        };
        if legal::doubles::counts_dwords(self.inst, self.target) {
            return self.dword_pairs(src, encode);
        }
        match src.region {
            Region::Indirect { width, hstride } => {
                Ok(IsaRegion::Align1 { vstride: VStride::VxH, width, hstride })
            }
            Region::Rect { vstride, width, hstride } if exec_size >= width => {
                encode(vstride, width, hstride)
            }
            // The source is one row, of which only the first elements are read.
            Region::Rect { hstride, .. } => self.linear(src, exec_size, hstride, encode),
            Region::Stride(stride) => self.linear(src, exec_size, stride, encode),
            Region::Mask(_) | Region::Swizzle(_) | Region::Vectors { .. } => {
                Err(self.fail("an Align1 source has an Align16 region", src))
            }
        }
    }

    /// The region of a source on devices where regions count dwords, two per channel: both dwords of a double, or the
    /// same dword twice.
    fn dword_pairs(
        &self,
        src: &Operand,
        encode: impl Fn(u8, u8, u8) -> Result<IsaRegion, FinishError>,
    ) -> Result<IsaRegion, FinishError> {
        let channels = self.inst.exec_size;
        let stride = if channels == 1 { Some(0) } else { src.linear_stride(channels) };
        match (stride, src.ty.size()) {
            (Some(0), 8) if channels == 1 => encode(2, 2, 1),
            (Some(0), 8) => encode(0, 2, 1),
            (Some(1), 8) => self.linear(&src.retype(Type::Ud), 2 * channels, 1, encode),
            (Some(0), _) => Ok(IsaRegion::SCALAR),
            (Some(stride), 4) => encode(stride, 2, 0),
            _ => {
                Err(self
                    .fail("the region does not keep the two dwords of each element together", src))
            }
        }
    }

    /// The region for `exec_size` elements at a constant distance, with the widest rows that do not cross a register
    /// boundary.
    fn linear(
        &self,
        src: &Operand,
        exec_size: u8,
        stride: u8,
        encode: impl Fn(u8, u8, u8) -> Result<IsaRegion, FinishError>,
    ) -> Result<IsaRegion, FinishError> {
        if stride == 0 || exec_size == 1 {
            return Ok(IsaRegion::SCALAR);
        }
        if stride > 4 {
            return encode(stride, 1, 0);
        }
        let size = src.ty.size();
        let step = u32::from(stride) * size;
        let crosses = |width: u32| {
            // Whether a row of this width crosses a register boundary.
            let start = src.offset % GRF_BYTES;
            let row = |first: u32| {
                let at = start + first * step;
                at / GRF_BYTES != (at + (width - 1) * step + size - 1) / GRF_BYTES
            };
            (0..u32::from(exec_size) / width).any(|r| row(r * width))
        };
        let indirect = matches!(src.file, File::Indirect { .. });
        let mut width = u32::from(exec_size).min(8);
        while width > 1 && (u32::from(stride) * width > 32 || !indirect && crosses(width)) {
            width /= 2;
        }
        match width {
            1 => encode(stride, 1, 0),
            _ => encode(stride * width as u8, width as u8, stride),
        }
    }

    /// The destination of a message, in whole registers.
    pub(super) fn payload_dst(&self) -> Result<Dst, FinishError> {
        let place = self.place(&self.inst.dst)?;
        Ok(Dst::new(place, Type::Ud, 1).with_writemask(self.inst.dst.write_mask()))
    }

    /// The payload of a message, in whole registers. The hardware ignores the region: in Align1 it is the one that
    /// `iga64` assembles, in Align16 any valid one.
    pub(super) fn payload(&self, index: usize) -> Result<Src, FinishError> {
        let src = &self.inst.srcs[index];
        debug_assert_eq!(self.inst.op, Op::Send);
        if src.file != File::Grf || !src.offset.is_multiple_of(GRF_BYTES) {
            return Err(self.fail("a payload must start at a register", src));
        }
        let region = match self.inst.access_mode {
            AccessMode::Align1 => IsaRegion::SCALAR,
            AccessMode::Align16 => IsaRegion::Align16 { vstride: 4, swizzle: Swizzle::XYZW },
        };
        Ok(Src::Reg(SrcReg {
            place: self.place(src)?,
            ty: Type::Ud,
            region,
            negate: false,
            abs: false,
            mme: None,
        }))
    }
}
