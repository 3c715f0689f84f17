//! Operands: register file, byte offset, type, region, modifiers; and the helpers that move them.
//!
//! An offset is one number of **bytes** in every file. Strides and widths are in elements of the
//! operand's type. The helpers behave alike for sources and destinations and never ask for the
//! type's size to decide what to do.

use crestline_isa::{AccessMode, ArfKind, Swizzle, Type, WriteMask};

use super::Vreg;

/// Size of a general register, in bytes.
pub const GRF_BYTES: u32 = 32;

/// Where an operand's bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum File {
    /// Nowhere: reads are undefined, writes are dropped.
    Null,
    /// A virtual register; the offset counts from its first byte.
    Vgrf(Vreg),
    /// The general registers as one array; the offset counts from the first byte of g0.
    Grf,
    /// General registers through the address register: word `addr` of a0 holds the byte address
    /// (one word a channel for [`Region::Indirect`] with width 1), the offset is added to it.
    /// Appears only after allocation.
    Indirect {
        /// Word of a0.
        addr: u8,
    },
    /// Architecture registers of a kind as one array. Flag registers have 4 bytes each, all
    /// others 32: `acc1` is offset 32, `f1` is offset 4.
    Arf(ArfKind),
    /// The push constants; the offset counts from their first byte.
    Uniform,
    /// The bits of a constant, in the low bytes.
    Imm(u64),
}

/// Which bytes belong to which channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Region {
    /// Channel `i` has element `i * stride`; stride 0 is one element for all channels.
    Stride(u8),
    /// `<vstride;width,hstride>`: channel `i` reads element
    /// `(i / width) * vstride + (i % width) * hstride`. Sources only.
    Rect {
        /// Elements from row to row.
        vstride: u8,
        /// Elements of a row.
        width: u8,
        /// Elements from column to column.
        hstride: u8,
    },
    /// `<width,hstride>` with an address per row ([`File::Indirect`] only).
    Indirect {
        /// Channels per address.
        width: u8,
        /// Elements from channel to channel of a row.
        hstride: u8,
    },
    /// Align16 source: channel `4 * v + c` reads component `swizzle[c]` of vector `v`. Vectors
    /// are four elements apart, but a uniform has one for all.
    Swizzle(Swizzle),
    /// As [`Region::Swizzle`] with vectors that lie elsewhere: 0 is one vector for all channels,
    /// 2 are pairs of doubles side by side.
    Vectors {
        /// Elements from vector to vector.
        step: u8,
        /// Component for each channel of a vector.
        swizzle: Swizzle,
    },
    /// Align16 destination: channel `4 * v + c` writes component `c` of vector `v` if enabled.
    Mask(WriteMask),
}

impl Region {
    /// Consecutive elements.
    pub const PACKED: Region = Region::Stride(1);
    /// One element for all channels.
    pub const SCALAR: Region = Region::Stride(0);
}

/// A source or destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Operand {
    /// Register file and number.
    pub file: File,
    /// Bytes from the start of the file's register (see [`File`]).
    pub offset: u32,
    /// Element type.
    pub ty: Type,
    /// Layout of the channels.
    pub region: Region,
    /// The value is negated, after `abs` (bitwise not for logic operations from gen8).
    pub negate: bool,
    /// The absolute value is read.
    pub abs: bool,
}

/// A move that no operand can express.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("operand {operand} cannot be moved by {channels} channels: {why}")]
pub struct OffsetError {
    /// The operand as printed.
    pub operand: String,
    /// The distance asked for.
    pub channels: u32,
    /// What stands in the way.
    pub why: &'static str,
}

impl Operand {
    const fn new(file: File, offset: u32, ty: Type, region: Region) -> Operand {
        Operand { file, offset, ty, region, negate: false, abs: false }
    }

    /// The null register.
    pub const fn null(ty: Type) -> Operand {
        Operand::new(File::Null, 0, ty, Region::PACKED)
    }

    /// A virtual register from its first byte, consecutive elements.
    pub const fn vgrf(vreg: Vreg, ty: Type) -> Operand {
        Operand::new(File::Vgrf(vreg), 0, ty, Region::PACKED)
    }

    /// One element at the start of a virtual register, for all channels.
    pub const fn scalar(vreg: Vreg, ty: Type) -> Operand {
        Operand::new(File::Vgrf(vreg), 0, ty, Region::SCALAR)
    }

    /// General register `nr` from its first byte, consecutive elements.
    pub const fn grf(nr: u32, ty: Type) -> Operand {
        Operand::new(File::Grf, nr * GRF_BYTES, ty, Region::PACKED)
    }

    /// Push constant at a byte offset, for all channels.
    pub const fn uniform(offset: u32, ty: Type) -> Operand {
        Operand::new(File::Uniform, offset, ty, Region::SCALAR)
    }

    /// Architecture register at a byte offset in its kind, consecutive elements.
    pub const fn arf(kind: ArfKind, offset: u32, ty: Type) -> Operand {
        Operand::new(File::Arf(kind), offset, ty, Region::PACKED)
    }

    /// A constant of any type, given by its bits.
    pub const fn imm(bits: u64, ty: Type) -> Operand {
        Operand::new(File::Imm(bits), 0, ty, Region::SCALAR)
    }

    /// A 32-bit unsigned constant.
    pub const fn imm_ud(value: u32) -> Operand {
        Operand::imm(value as u64, Type::Ud)
    }

    /// A 32-bit signed constant.
    pub const fn imm_d(value: i32) -> Operand {
        Operand::imm(value as u32 as u64, Type::D)
    }

    /// A 16-bit unsigned constant.
    pub const fn imm_uw(value: u16) -> Operand {
        Operand::imm(value as u64, Type::Uw)
    }

    /// A 32-bit float constant.
    pub fn imm_f(value: f32) -> Operand {
        Operand::imm(u64::from(value.to_bits()), Type::F)
    }

    /// The same bytes read as another type; the region stays in elements of the new type.
    #[must_use]
    pub const fn retype(mut self, ty: Type) -> Operand {
        self.ty = ty;
        self
    }

    /// The same start with another region.
    #[must_use]
    pub const fn with_region(mut self, region: Region) -> Operand {
        self.region = region;
        self
    }

    /// The same start with a stride, in elements.
    #[must_use]
    pub const fn with_stride(self, stride: u8) -> Operand {
        self.with_region(Region::Stride(stride))
    }

    /// The negated value (a constant keeps the modifier; see `passes` for folding).
    #[must_use]
    pub const fn negated(mut self) -> Operand {
        self.negate = !self.negate;
        self
    }

    /// The absolute value.
    #[must_use]
    pub const fn absolute(mut self) -> Operand {
        self.abs = true;
        self.negate = false;
        self
    }

    /// The operand without source modifiers.
    #[must_use]
    pub const fn without_modifiers(mut self) -> Operand {
        self.abs = false;
        self.negate = false;
        self
    }

    /// Whether the source has a modifier.
    pub const fn has_modifiers(&self) -> bool {
        self.negate || self.abs
    }

    /// Whether this is the null register.
    pub const fn is_null(&self) -> bool {
        matches!(self.file, File::Null)
    }

    /// Whether this is a constant.
    pub const fn is_imm(&self) -> bool {
        matches!(self.file, File::Imm(_))
    }

    /// The bits of a constant.
    pub const fn imm_bits(&self) -> Option<u64> {
        match self.file {
            File::Imm(bits) => Some(bits),
            _ => None,
        }
    }

    /// The virtual register, if it is one.
    pub const fn vreg(&self) -> Option<Vreg> {
        match self.file {
            File::Vgrf(vreg) => Some(vreg),
            _ => None,
        }
    }

    /// Whether this is an architecture register of a kind.
    pub fn is_arf(&self, kind: ArfKind) -> bool {
        matches!(self.file, File::Arf(own) if own == kind)
    }

    /// Whether this is an architecture register of any kind.
    pub const fn is_any_arf(&self) -> bool {
        matches!(self.file, File::Arf(_))
    }

    /// Whether the bytes lie in general registers, virtual or not, at known places.
    pub const fn in_grf(&self) -> bool {
        matches!(self.file, File::Vgrf(_) | File::Grf)
    }

    /// Whether every channel has the same element: constants, uniforms, stride 0.
    pub fn is_scalar(&self) -> bool {
        match self.region {
            Region::Stride(stride) => stride == 0,
            Region::Rect { vstride, width, hstride } => {
                vstride == 0 && (width == 1 || hstride == 0)
            }
            // A vector's one component does not stand where the operand does.
            _ => false,
        }
    }

    /// The component that each channel of a vector reads, and the distance of vectors in
    /// elements, of an Align16 source.
    pub fn vectors(&self) -> Option<(Swizzle, u32)> {
        match self.region {
            Region::Swizzle(swizzle) if self.file == File::Uniform => Some((swizzle, 0)),
            Region::Swizzle(swizzle) => Some((swizzle, 4)),
            Region::Vectors { step, swizzle } => Some((swizzle, step.into())),
            _ => None,
        }
    }

    /// The operand as a source of an instruction of an access mode: consecutive elements are
    /// `.xyzw` in Align16, a written vector is read as a whole. `None` if the mode has no such
    /// region.
    pub fn as_source(self, mode: AccessMode) -> Option<Operand> {
        let placed = self.in_grf() || self.file == File::Uniform;
        let whole = Region::Swizzle(Swizzle::XYZW);
        match (mode, self.region) {
            _ if !placed => Some(self),
            (AccessMode::Align16, Region::Mask(_)) => Some(self.with_region(whole)),
            (AccessMode::Align16, Region::Swizzle(_) | Region::Vectors { .. }) => Some(self),
            (AccessMode::Align16, Region::SCALAR) if self.ty.size() >= 4 => Some(self),
            (AccessMode::Align16, _) => {
                let aligned = self.is_packed() && self.offset.is_multiple_of(16);
                aligned.then(|| self.with_region(whole))
            }
            (AccessMode::Align1, Region::Stride(_) | Region::Rect { .. }) => Some(self),
            (AccessMode::Align1, _) => self.is_packed().then(|| self.with_region(Region::PACKED)),
        }
    }

    /// Whether each enabled channel of a vector reads through this source what the channel itself
    /// wrote to a destination.
    pub fn is_result(&self, dst: &Operand, channels: WriteMask) -> bool {
        let in_place = match (dst.region, self.vectors()) {
            (Region::Mask(mask), Some((Swizzle(swizzle), 4))) => {
                let own = |c: u8| channels.0 >> c & 1 == 0 || swizzle[usize::from(c)] == c;
                channels.0 & !mask.0 == 0 && (0..4).all(own)
            }
            (region, _) => region == self.region,
        };
        self.file == dst.file && self.offset == dst.offset && in_place
    }

    /// Consecutive elements as a destination of an instruction of an access mode.
    #[must_use]
    pub fn as_dst(self, mode: AccessMode) -> Operand {
        match mode {
            AccessMode::Align1 => self.with_region(Region::PACKED),
            AccessMode::Align16 => self.with_region(Region::Mask(WriteMask::XYZW)),
        }
    }

    /// The same vectors with other components; other regions stay.
    #[must_use]
    pub fn with_swizzle(self, swizzle: Swizzle) -> Operand {
        match self.region {
            Region::Swizzle(_) => self.with_region(Region::Swizzle(swizzle)),
            Region::Vectors { step, .. } => self.with_region(Region::Vectors { step, swizzle }),
            _ => self,
        }
    }

    /// The components that an Align16 destination enables; other destinations write all.
    pub fn write_mask(&self) -> WriteMask {
        match self.region {
            Region::Mask(mask) => mask,
            _ => WriteMask::XYZW,
        }
    }

    /// Whether the channels are consecutive elements.
    pub fn is_packed(&self) -> bool {
        match self.region {
            Region::Stride(stride) => stride == 1,
            Region::Rect { vstride, width, hstride } => {
                hstride == 1 && vstride == width || width == 1 && vstride == 1
            }
            _ => self.is_whole_vectors(),
        }
    }

    /// Whether this is an Align16 operand whose channels are consecutive elements: `.xyzw` of
    /// vectors one after another.
    fn is_whole_vectors(&self) -> bool {
        self.region == Region::Mask(WriteMask::XYZW) || self.vectors() == Some((Swizzle::XYZW, 4))
    }

    /// The constant step from channel to channel, in elements, if there is one over
    /// `exec_size` channels.
    pub fn linear_stride(&self, exec_size: u8) -> Option<u8> {
        match self.region {
            Region::Stride(stride) => Some(stride),
            Region::Rect { vstride, width: 1, .. } => Some(vstride),
            Region::Rect { vstride, width, hstride } => {
                (exec_size <= width || vstride == width * hstride).then_some(hstride)
            }
            _ => self.is_whole_vectors().then_some(1),
        }
    }

    /// Bytes from channel to channel of a linear region.
    pub fn byte_stride(&self, exec_size: u8) -> Option<u32> {
        self.linear_stride(exec_size).map(|stride| u32::from(stride) * self.ty.size())
    }

    /// Byte offset of a channel's element from the operand's own start. Align16 regions count
    /// four components a vector; an indirect region has no known place and gives 0.
    pub fn channel_offset(&self, channel: u32) -> u32 {
        let element = match self.region {
            Region::Stride(stride) => channel * u32::from(stride),
            Region::Rect { vstride, width, hstride } => {
                let width = u32::from(width).max(1);
                channel / width * u32::from(vstride) + channel % width * u32::from(hstride)
            }
            Region::Indirect { .. } => 0,
            Region::Swizzle(_) | Region::Vectors { .. } => {
                let (Swizzle(components), step) = self.vectors().unwrap_or((Swizzle::XYZW, 4));
                channel / 4 * step + u32::from(components[channel as usize % 4])
            }
            Region::Mask(_) => channel,
        };
        element * self.ty.size()
    }

    /// Bytes from the operand's start to the end of the last element that `exec_size` channels
    /// touch: the size of the region, gaps included, whatever channels are enabled.
    #[inline]
    pub fn region_bytes(&self, exec_size: u8) -> u32 {
        let channels = u32::from(exec_size.max(1));
        match (self.file, self.region) {
            (File::Null, _) => 0,
            (_, Region::Stride(stride)) => {
                ((channels - 1) * u32::from(stride) + 1) * self.ty.size()
            }
            _ => self.other_region_bytes(channels),
        }
    }

    /// [`region_bytes`](Self::region_bytes) of the regions that are less common.
    fn other_region_bytes(&self, channels: u32) -> u32 {
        match self.region {
            Region::Swizzle(_) | Region::Vectors { .. } => {
                let (Swizzle(components), step) = self.vectors().unwrap_or((Swizzle::XYZW, 4));
                let last = components.into_iter().max().map_or(0, u32::from);
                ((channels.div_ceil(4) - 1) * step + last + 1) * self.ty.size()
            }
            Region::Mask(_) => channels.div_ceil(4) * 4 * self.ty.size(),
            Region::Rect { width, .. } => {
                let last_row = channels - 1;
                let last_column = u32::from(width).max(1).min(channels) - 1;
                self.channel_offset(last_row).max(self.channel_offset(last_column)) + self.ty.size()
            }
            Region::Stride(_) | Region::Indirect { .. } => {
                self.channel_offset(channels - 1) + self.ty.size()
            }
        }
    }

    /// Size of one component of a value that is `width` channels wide, laid out as this operand:
    /// the distance to the next component, in bytes.
    pub fn component_bytes(&self, width: u8) -> u32 {
        match self.region {
            Region::Stride(stride) => {
                (u32::from(width) * u32::from(stride)).max(1) * self.ty.size()
            }
            Region::Rect { .. } | Region::Indirect { .. } => self.region_bytes(width),
            Region::Swizzle(_) | Region::Vectors { .. } => {
                let step = self.vectors().map_or(4, |(_, step)| step);
                (u32::from(width.div_ceil(4)) * step).max(4) * self.ty.size()
            }
            Region::Mask(_) => u32::from(width).max(4) * self.ty.size(),
        }
    }

    /// The operand `bytes` further on. Constants and null do not move.
    #[must_use]
    pub const fn byte_offset(mut self, bytes: u32) -> Operand {
        if !matches!(self.file, File::Null | File::Imm(_)) {
            self.offset += bytes;
        }
        self
    }

    /// Component `components` of a value `width` channels wide whose component 0 this is.
    /// Constants and null do not move; a scalar's components are consecutive elements.
    #[must_use]
    pub fn component(self, width: u8, components: u32) -> Operand {
        self.byte_offset(components * self.component_bytes(width))
    }

    /// The operand as the instruction that starts `channels` channels later sees it. Scalars,
    /// uniforms, constants and null do not move.
    ///
    /// # Errors
    /// A distance that is not a whole number of rows (rectangular regions), vectors (Align16)
    /// or repetitions (packed vector constants), or a region whose place is not known.
    pub fn horiz_offset(self, channels: u32) -> Result<Operand, OffsetError> {
        let refuse = |why| Err(OffsetError { operand: self.to_string(), channels, why });
        if channels == 0 {
            return Ok(self);
        }
        match (self.file, self.region) {
            (File::Imm(_), _) if self.ty == Type::Vf && !channels.is_multiple_of(4) => {
                refuse("a VF constant repeats every 4 channels")
            }
            (File::Imm(_), _)
                if matches!(self.ty, Type::V | Type::Uv) && !channels.is_multiple_of(8) =>
            {
                refuse("a V or UV constant repeats every 8 channels")
            }
            (File::Null | File::Imm(_) | File::Uniform, _) => Ok(self),
            (_, Region::Rect { width, .. })
                if self.linear_stride(u8::MAX).is_none()
                    && !channels.is_multiple_of(u32::from(width)) =>
            {
                refuse("the distance is not a multiple of the row's width")
            }
            (_, Region::Indirect { .. }) => refuse("the region is indirect"),
            (_, Region::Swizzle(_) | Region::Vectors { .. } | Region::Mask(_)) => {
                if channels.is_multiple_of(4) {
                    let step = self.vectors().map_or(4, |(_, step)| step);
                    Ok(self.byte_offset(channels / 4 * step * self.ty.size()))
                } else {
                    refuse("the distance is not a multiple of a vector")
                }
            }
            _ => Ok(self.byte_offset(self.channel_offset(channels))),
        }
    }

    /// Each element as an array of smaller ones of type `ty`, of which number `index` is taken:
    /// the low (0) or high (1) dword of each qword, and so on. `None` if `ty` does not divide
    /// the element or the region has no stride that could express it.
    pub fn subscript(self, ty: Type, index: u32) -> Option<Operand> {
        let (old, new) = (self.ty.size(), ty.size());
        if new > old || old % new != 0 || (index + 1) * new > old {
            return None;
        }
        let factor = old / new;
        if let File::Imm(bits) = self.file {
            let shifted = bits >> (8 * new * index);
            let mask = if new >= 8 { u64::MAX } else { (1u64 << (8 * new)) - 1 };
            return (!self.has_modifiers() && !self.ty.is_packed_vector())
                .then(|| Operand::imm(shifted & mask, ty));
        }
        let scale = |elements: u8| u8::try_from(u32::from(elements) * factor).ok();
        let region = match self.region {
            Region::Stride(stride) => Region::Stride(scale(stride)?),
            Region::Rect { vstride, width, hstride } => {
                Region::Rect { vstride: scale(vstride)?, width, hstride: scale(hstride)? }
            }
            _ if factor == 1 => self.region,
            _ => return None,
        };
        Some(Operand { region, ty, ..self.byte_offset(index * new) })
    }
}

/// The bytes an operand covers: a file and a range of byte offsets in it, gaps included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The file the range counts in.
    pub file: File,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// `bytes` bytes from the start of an operand.
    pub const fn of(operand: &Operand, bytes: u32) -> Span {
        Span { file: operand.file, start: operand.offset, end: operand.offset + bytes }
    }

    /// Whether two spans have a byte in common. Null and constants have none; an indirect
    /// operand may touch any general register.
    pub fn overlaps(&self, other: &Span) -> bool {
        let grf = |file| matches!(file, File::Grf | File::Vgrf(_) | File::Indirect { .. });
        match (self.file, other.file) {
            (File::Null | File::Imm(_), _) | (_, File::Null | File::Imm(_)) => false,
            (File::Indirect { .. }, file) | (file, File::Indirect { .. }) => grf(file),
            (a, b) => a == b && self.start < other.end && other.start < self.end,
        }
    }

    /// Whether every byte of this span is in the other.
    pub fn is_contained_in(&self, other: &Span) -> bool {
        match self.file {
            File::Null | File::Imm(_) | File::Indirect { .. } => false,
            file => file == other.file && self.start >= other.start && self.end <= other.end,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const V: Vreg = Vreg(3);

    #[test]
    fn moves_do_not_depend_on_the_type() {
        for ty in [Type::Ub, Type::Hf, Type::F, Type::Df] {
            let packed = Operand::vgrf(V, ty);
            assert_eq!(packed.horiz_offset(8).unwrap().offset, 8 * ty.size());
            assert_eq!(packed.component(16, 2).offset, 32 * ty.size());
            assert_eq!(packed.byte_offset(12).offset, 12);
            let strided = packed.with_stride(2);
            assert_eq!(strided.horiz_offset(4).unwrap().offset, 8 * ty.size());
            assert_eq!(strided.component(8, 1).offset, 16 * ty.size());
        }
    }

    #[test]
    fn scalars_uniforms_constants_and_null_stay() {
        for op in [
            Operand::scalar(V, Type::F),
            Operand::uniform(16, Type::D),
            Operand::imm_f(1.0),
            Operand::null(Type::F),
        ] {
            assert_eq!(op.horiz_offset(8), Ok(op));
        }
        assert_eq!(Operand::imm_ud(3).byte_offset(4), Operand::imm_ud(3));
        assert_eq!(Operand::uniform(16, Type::D).component(8, 1).offset, 20);
    }

    #[test]
    fn what_cannot_be_expressed_is_an_error() {
        let rect = Region::Rect { vstride: 4, width: 2, hstride: 1 };
        let op = Operand::vgrf(V, Type::F).with_region(rect);
        assert!(op.horiz_offset(1).is_err());
        assert_eq!(op.horiz_offset(2).unwrap().offset, 16);
        let linear = Region::Rect { vstride: 4, width: 4, hstride: 1 };
        assert_eq!(op.with_region(linear).horiz_offset(1).unwrap().offset, 4);
        assert!(Operand::imm(0x30, Type::Vf).horiz_offset(2).is_err());
        assert!(Operand::imm(0x30, Type::V).horiz_offset(8).is_ok());
        let vec4 = op.with_region(Region::Mask(WriteMask::XYZW));
        assert!(vec4.horiz_offset(2).is_err());
        assert_eq!(vec4.horiz_offset(4).unwrap().offset, 16);
        assert_eq!(vec4.retype(Type::Df).horiz_offset(4).unwrap().offset, 32);
        for (step, offset) in [(0, 0), (2, 16), (4, 32)] {
            let vectors = Region::Vectors { step, swizzle: Swizzle::XYZW };
            let vectors = vec4.retype(Type::Df).with_region(vectors);
            assert_eq!(vectors.horiz_offset(4).unwrap().offset, offset);
            assert_eq!(vectors.region_bytes(8), offset + 32);
            assert_eq!(vectors.channel_offset(6), offset + 16);
        }
    }

    #[test]
    fn region_sizes_are_in_bytes_and_reach_the_last_element() {
        let op = Operand::vgrf(V, Type::F);
        assert_eq!(op.region_bytes(8), 32);
        assert_eq!(op.with_stride(2).region_bytes(8), 60);
        assert_eq!(op.with_stride(0).region_bytes(16), 4);
        let ddx = Region::Rect { vstride: 2, width: 2, hstride: 0 };
        assert_eq!(op.with_region(ddx).region_bytes(8), 28);
        let wide_rows = Region::Rect { vstride: 1, width: 8, hstride: 4 };
        assert_eq!(op.with_region(wide_rows).region_bytes(16), (1 + 28 + 1) * 4);
    }

    #[test]
    fn subscripts_address_parts_of_elements() {
        let op = Operand::vgrf(V, Type::Q);
        let high = op.subscript(Type::Ud, 1).unwrap();
        assert_eq!((high.offset, high.region), (4, Region::Stride(2)));
        let imm = Operand::imm(0x1_0000_0002, Type::Uq);
        assert_eq!(imm.subscript(Type::Ud, 1), Some(Operand::imm_ud(1)));
        assert_eq!(op.subscript(Type::Ud, 2), None);
    }

    #[test]
    fn overlap_and_containment_go_by_bytes_and_file() {
        let a = Operand::vgrf(V, Type::F);
        let b = Operand::vgrf(V, Type::Uw).byte_offset(16);
        let span = |operand: &Operand, bytes| Span::of(operand, bytes);
        assert!(span(&a, 32).overlaps(&span(&b, 16)));
        assert!(!span(&a, 16).overlaps(&span(&b, 16)));
        assert!(span(&b, 16).is_contained_in(&span(&a, 32)));
        assert!(!span(&a, 32).is_contained_in(&span(&b, 16)));
        assert!(!span(&a, 32).overlaps(&span(&Operand::vgrf(Vreg(4), Type::F), 32)));
        assert!(!span(&Operand::imm_ud(1), 4).overlaps(&span(&Operand::imm_ud(1), 4)));
    }
}
